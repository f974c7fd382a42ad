#include "report/report/task_tree.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/timeline/tasks.h"
#include "report/symbols/dso_class.h"
#include "format/base/search.h"
#include "format/support/safe_text.h"
#include "report/timeline/address_space.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BUCKET_NR 256u /* of perf's table of threads, by tid */
#define NO_NODE	  SIZE_MAX
/* Limits on maps that are listed in full: changes read and bytes written.  As
 * forks share their parents' maps, and threads their process's, a file of less
 * than a MiB may have gigabytes of them. */
#define FULL_WORK_MAX ((uint64_t)1 << 20)
#define FULL_LEN_MAX  ((uint64_t)64 << 20)
/* The most blanks before a name, so that a chain of forks does not print the
 * square of its length. */
#define DEPTH_MAX 1000u
/* Blanks before a map of a task at the root. */
#define MAP_BLANK_NR 32

struct node {
	struct rpt_task_exit last;
	size_t parent; /* NO_NODE: at the root */
	size_t first_child;
	size_t last_child;
	size_t next; /* of the same parent */
	unsigned depth;
	bool is_placed;
};

struct tree {
	struct node *nodes; /* owned; in the order in which perf visits them */
	size_t nr;
	size_t *by_tid; /* owned; indices of nodes */
	size_t first_root;
	size_t last_root;
	bool *is_listed;    /* owned; by number of address space */
	uint64_t work_left; /* for maps that are listed in full */
	uint64_t len_left;
};

struct map_list {
	struct rpt_map *items; /* owned */
	size_t nr;
};

static int compare_visits(const void *a, const void *b)
{
	uint32_t x = ((const struct node *)a)->last.ref.tid;
	uint32_t y = ((const struct node *)b)->last.ref.tid;

	if (x % BUCKET_NR != y % BUCKET_NR)
		return x % BUCKET_NR < y % BUCKET_NR ? -1 : 1;
	/* in a bucket by the signed number */
	return rpt_compare_int((int32_t)x, (int32_t)y);
}

/* In the order of perf 6.12. */
static int compare_numbers(const void *a, const void *b)
{
	return rpt_compare_int((int32_t)((const struct node *)a)->last.ref.tid,
			       (int32_t)((const struct node *)b)->last.ref.tid);
}

static int compare_tids(const void *a, const void *b, void *ctx)
{
	const struct node *nodes = ctx;
	uint32_t x = nodes[*(const size_t *)a].last.ref.tid;
	uint32_t y = nodes[*(const size_t *)b].last.ref.tid;

	return rpt_compare_u64(x, y);
}

static size_t find_tid(const struct tree *tree, uint32_t tid)
{
	const struct node *nodes = tree->nodes;
	size_t at;

	PD_FIND_FIRST(at, tree->nr,
		      nodes[tree->by_tid[at]].last.ref.tid >= tid);
	return at < tree->nr && nodes[tree->by_tid[at]].last.ref.tid == tid
		       ? tree->by_tid[at]
		       : NO_NODE;
}

static size_t space_nr(const struct tree *tree)
{
	size_t nr = 1;

	for (size_t i = 0; i < tree->nr; i++) {
		const struct rpt_address_space *space =
			tree->nodes[i].last.ref.space;

		if (space && space->id >= nr)
			nr = (size_t)space->id + 1;
	}
	return nr;
}

static void gather(struct tree *tree, const struct rpt_timeline *tl,
		   const struct rpt_task_tree_conf *conf)
{
	struct rpt_task_exit last;
	uint32_t nr = 0;

	*tree = (struct tree){
		.first_root = NO_NODE,
		.last_root = NO_NODE,
		.work_left = FULL_WORK_MAX,
		.len_left = FULL_LEN_MAX,
	};
	while (rpt_timeline_last_task(tl, nr, &last))
		nr++;
	tree->nodes = rpt_alloc_zeroed((size_t)nr + 1, sizeof(*tree->nodes));
	tree->by_tid = rpt_alloc_zeroed((size_t)nr + 1, sizeof(*tree->by_tid));
	for (uint32_t i = 0; rpt_timeline_last_task(tl, i, &last); i++) {
		if (last.is_named || conf->with_maps)
			tree->nodes[tree->nr++] = (struct node){
				.last = last,
				.parent = NO_NODE,
				.first_child = NO_NODE,
				.last_child = NO_NODE,
				.next = NO_NODE,
			};
	}
	tree->is_listed =
		rpt_alloc_zeroed(space_nr(tree), sizeof(*tree->is_listed));
	qsort(tree->nodes, tree->nr, sizeof(*tree->nodes),
	      conf->is_newer ? compare_numbers : compare_visits);
	for (size_t i = 0; i < tree->nr; i++)
		tree->by_tid[i] = i;
	qsort_r(tree->by_tid, tree->nr, sizeof(*tree->by_tid), compare_tids,
		tree->nodes);
}

/* Find parents by the tids of FORK records.  Reused pids can make a circle of
 * them, which is cut. */
static void find_parents(struct tree *tree)
{
	for (size_t i = 0; i < tree->nr; i++) {
		size_t parent = find_tid(tree, tree->nodes[i].last.ptid);
		size_t up = parent;

		if (tree->nodes[i].last.ptid == RPT_TID_NONE)
			continue;
		while (up != NO_NODE && up != i)
			up = tree->nodes[up].parent;
		if (up == NO_NODE)
			tree->nodes[i].parent = parent;
	}
}

static void append(struct tree *tree, size_t *first, size_t *last, size_t i)
{
	if (*last == NO_NODE)
		*first = i;
	else
		tree->nodes[*last].next = i;
	*last = i;
}

/* Place a task, then the one that started it unless it is placed already, as in
 * perf: this decides the order of siblings. */
static void place(struct tree *tree, size_t i)
{
	while (i != NO_NODE && !tree->nodes[i].is_placed) {
		size_t parent = tree->nodes[i].parent;

		tree->nodes[i].is_placed = true;
		if (parent == NO_NODE)
			append(tree, &tree->first_root, &tree->last_root, i);
		else
			append(tree, &tree->nodes[parent].first_child,
			       &tree->nodes[parent].last_child, i);
		i = parent;
	}
}

/* Print maps with blank_nr blanks in front of each; return how many bytes. */
static uint64_t print_maps(const struct map_list *maps, int blank_nr, FILE *out)
{
	uint64_t len = 0;

	for (size_t i = 0; i < maps->nr; i++) {
		const struct rpt_map *m = &maps->items[i];
		int n = fprintf(out,
				"%*s%" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64
				" %" PRIu64 " ",
				blank_nr, "", m->start, m->end,
				m->prot & RPT_PROT_READ ? 'r' : '-',
				m->prot & RPT_PROT_WRITE ? 'w' : '-',
				m->prot & RPT_PROT_EXEC ? 'x' : '-',
				m->is_shared ? 's' : 'p', m->recorded_pgoff,
				m->ino);

		sup_put_safe_text(out, rpt_dso_name(m->dso));
		fputc('\n', out);
		len += (n > 0 ? (uint64_t)n : 0) + strlen(rpt_dso_name(m->dso));
	}
	return len;
}

/* Print all maps of the task's process, as perf does. */
static void list_full(struct tree *tree, const struct node *node, FILE *out)
{
	struct map_list maps = { 0 };
	uint64_t len;

	rpt_address_space_list(node->last.ref.space, &maps.items, &maps.nr);
	len = print_maps(&maps, (int)node->depth + MAP_BLANK_NR, out);
	tree->len_left -= len < tree->len_left ? len : tree->len_left;
	free(maps.items);
}

/* Print the maps that no earlier task has, and name the task with the others.
 */
static void list_own(const struct tree *tree, const struct node *node,
		     FILE *out)
{
	const struct rpt_address_space *space = node->last.ref.space;
	struct map_list maps = { 0 };

	if (tree->is_listed[space->id]) {
		fprintf(out, "%*smaps of PID %" PRId32 "\n", MAP_BLANK_NR, "",
			(int32_t)node->last.ref.pid);
		return;
	}
	rpt_address_space_list_own(space, &maps.items, &maps.nr);
	if (space->is_forked)
		fprintf(out,
			"%*smaps of PID %" PRId32 " when it forked this%s\n",
			MAP_BLANK_NR, "", (int32_t)space->fork_pid,
			maps.nr ? ", and:" : "");
	print_maps(&maps, MAP_BLANK_NR, out);
	free(maps.items);
}

static void list_maps(struct tree *tree, const struct node *node, FILE *out)
{
	const struct rpt_address_space *space = node->last.ref.space;
	uint64_t work;

	if (!space)
		return;
	work = rpt_address_space_list_work(space, tree->work_left);
	if (work < tree->work_left && tree->len_left) {
		tree->work_left -= work;
		list_full(tree, node, out);
	} else {
		tree->work_left = 0;
		list_own(tree, node, out);
	}
	tree->is_listed[space->id] = true;
}

static void print_node(struct tree *tree, const struct node *node,
		       bool with_maps, FILE *out)
{
	const struct rpt_task_ref *ref = &node->last.ref;
	const char *comm = rpt_task_ref_comm_last(ref);

	fprintf(out, "  %8" PRId32 " %8" PRId32 " %8" PRId32 " |%*s",
		(int32_t)ref->pid, (int32_t)ref->tid, (int32_t)node->last.ptid,
		(int)node->depth, "");
	if (comm)
		sup_put_safe_text(out, comm);
	else
		fprintf(out, ":%" PRId32, (int32_t)ref->tid);
	fputc('\n', out);
	if (with_maps)
		list_maps(tree, node, out);
}

/* Return the node to print after i: its first child, or else the next sibling
 * of it or of the nearest node above that has one. */
static size_t after(const struct tree *tree, size_t i)
{
	if (tree->nodes[i].first_child != NO_NODE)
		return tree->nodes[i].first_child;
	while (i != NO_NODE && tree->nodes[i].next == NO_NODE)
		i = tree->nodes[i].parent;
	return i == NO_NODE ? NO_NODE : tree->nodes[i].next;
}

static unsigned depth_below(const struct node *parent)
{
	return parent->depth + (parent->depth < DEPTH_MAX);
}

/* Newer perf prints tasks without a parent as if the idle task had started
 * them. */
static unsigned depth_of_root(const struct node *node, bool is_newer)
{
	return is_newer && node->last.ref.tid;
}

static void print_tree(struct tree *tree, const struct rpt_task_tree_conf *conf,
		       FILE *out)
{
	fprintf(out, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	for (size_t i = tree->first_root; i != NO_NODE; i = after(tree, i)) {
		struct node *node = &tree->nodes[i];

		node->depth = node->parent == NO_NODE
				      ? depth_of_root(node, conf->is_newer)
				      : depth_below(&tree->nodes[node->parent]);
		print_node(tree, node, conf->with_maps, out);
	}
}

/* Place the tasks in the order of perf 6.12: siblings by number. */
static void place_sorted(struct tree *tree)
{
	for (size_t i = 0; i < tree->nr; i++) {
		size_t parent = tree->nodes[i].parent;

		if (parent == NO_NODE)
			append(tree, &tree->first_root, &tree->last_root, i);
		else
			append(tree, &tree->nodes[parent].first_child,
			       &tree->nodes[parent].last_child, i);
	}
}

void rpt_task_tree_print(const struct rpt_timeline *tl,
			 const struct rpt_task_tree_conf *conf, FILE *out)
{
	struct tree tree;

	gather(&tree, tl, conf);
	find_parents(&tree);
	if (conf->is_newer)
		place_sorted(&tree);
	for (size_t i = 0; i < tree.nr && !conf->is_newer; i++)
		place(&tree, i);
	print_tree(&tree, conf, out);
	free(tree.nodes);
	free(tree.by_tid);
	free(tree.is_listed);
}
