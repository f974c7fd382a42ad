#include "report/callgraph.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* perf's left edge of every call graph line */
#define EDGE_LEN 12

void rpt_callgraph_init(struct rpt_callgraph *graph,
			const struct rpt_frames *frames)
{
	*graph = (struct rpt_callgraph){ .frames = frames, .nr = 1 };
}

void rpt_callgraph_release(struct rpt_callgraph *graph)
{
	free(graph->nodes);
	free(graph->slots);
	*graph = (struct rpt_callgraph){ 0 };
}

static uint32_t node_new(struct rpt_callgraph *graph)
{
	if (graph->nr >= graph->cap) {
		uint32_t cap = graph->cap ? graph->cap * 2 : 1024;
		struct rpt_call_node *nodes =
			cap > graph->cap
				? realloc(graph->nodes, cap * sizeof(*nodes))
				: NULL;

		if (!nodes)
			return 0;
		graph->nodes = nodes;
		graph->cap = cap;
	}
	graph->nodes[graph->nr] = (struct rpt_call_node){ 0 };
	return graph->nr++;
}

uint32_t rpt_callgraph_root(struct rpt_callgraph *graph)
{
	return node_new(graph);
}

static uint32_t label_of(const struct rpt_callgraph *graph, uint32_t node)
{
	return graph->frames->items[graph->nodes[node].frame].label;
}

static uint32_t slot_start(const struct rpt_callgraph *graph, uint32_t parent,
			   uint32_t label)
{
	uint64_t key = (uint64_t)parent << 32 | label;

	key *= UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(key >> 32) & (graph->slots_nr - 1);
}

static bool grow_slots(struct rpt_callgraph *graph)
{
	uint32_t slots_nr = graph->slots_nr ? graph->slots_nr * 2 : 4096;
	uint32_t *old = graph->slots;
	uint32_t old_nr = graph->slots_nr;
	uint32_t *slots = calloc(slots_nr, sizeof(*slots));

	if (!slots)
		return false;
	graph->slots = slots;
	graph->slots_nr = slots_nr;
	for (uint32_t i = 0; i < old_nr; i++) {
		uint32_t at;

		if (!old[i])
			continue;
		at = slot_start(graph, graph->nodes[old[i]].parent,
				label_of(graph, old[i]));
		while (slots[at])
			at = (at + 1) & (slots_nr - 1);
		slots[at] = old[i];
	}
	free(old);
	return true;
}

/* The child of parent with frame's label, made if need be; 0: out of memory. */
static uint32_t child_of(struct rpt_callgraph *graph, uint32_t parent,
			 uint32_t frame)
{
	uint32_t label = graph->frames->items[frame].label;
	struct rpt_call_node *node;
	uint32_t at;
	uint32_t child;

	if (graph->nr >= graph->slots_nr / 2 && !grow_slots(graph))
		return 0;
	at = slot_start(graph, parent, label);
	while (graph->slots[at]) {
		child = graph->slots[at];
		if (graph->nodes[child].parent == parent &&
		    label_of(graph, child) == label)
			return child;
		at = (at + 1) & (graph->slots_nr - 1);
	}
	child = node_new(graph);
	if (!child)
		return 0;
	graph->slots[at] = child;
	node = &graph->nodes[child];
	node->frame = frame;
	node->parent = parent;
	node->next_sibling = graph->nodes[parent].first_child;
	graph->nodes[parent].first_child = child;
	graph->nodes[parent].child_nr++;
	return child;
}

int rpt_callgraph_add(struct rpt_callgraph *graph, uint32_t root,
		      const uint32_t *chain, uint32_t nr, uint64_t period,
		      uint64_t count)
{
	uint32_t node = root;

	if (!nr)
		return 0;
	for (uint32_t i = 0; i < nr; i++) {
		graph->nodes[node].below += period;
		node = child_of(graph, node, chain[i]);
		if (!node)
			return -ENOMEM;
	}
	graph->nodes[node].hit += period;
	graph->nodes[node].hit_nr += count;
	return 0;
}

struct printer {
	const struct rpt_callgraph *graph;
	const struct rpt_callgraph_style *style;
	FILE *out;
	int margin; /* of every line, beyond the edge */
	bool is_printed;
	bool is_oom;
};

static uint64_t weight(const struct rpt_callgraph *graph, uint32_t node)
{
	return graph->nodes[node].hit + graph->nodes[node].below;
}

/* The last node of those that are shown as one with node. */
static uint32_t run_end(const struct rpt_callgraph *graph, uint32_t node)
{
	while (!graph->nodes[node].hit_nr && graph->nodes[node].child_nr == 1)
		node = graph->nodes[node].first_child;
	return node;
}

struct ranked {
	uint64_t weight;
	uint64_t addr;
	uint32_t dso_rank;
	uint32_t node;
	const struct rpt_frame *frame;
};

static const char *plain_name(const struct rpt_frame *frame)
{
	if (frame->inline_name)
		return frame->inline_name;
	return frame->sym ? frame->sym->name : "";
}

/* Heaviest first; equals as perf mostly has them: the DSO that came last and
 * the highest address first, inlined functions backwards by name. */
static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->frame->inline_name || y->frame->inline_name)
		return strcmp(plain_name(y->frame), plain_name(x->frame));
	if (x->dso_rank != y->dso_rank)
		return x->dso_rank > y->dso_rank ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr > y->addr ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* The children that are shown, ordered; to be freed.  NULL with *ret_nr 0. */
static struct ranked *ranked_children(struct printer *p, uint32_t parent,
				      uint32_t *ret_nr)
{
	const struct rpt_callgraph *graph = p->graph;
	const struct rpt_call_node *node = &graph->nodes[parent];
	struct ranked *items = malloc((node->child_nr + 1) * sizeof(*items));

	*ret_nr = 0;
	if (!items) {
		p->is_oom = true;
		return NULL;
	}
	for (uint32_t c = node->first_child; c;
	     c = graph->nodes[c].next_sibling) {
		const struct rpt_frame *f =
			&graph->frames->items[graph->nodes[c].frame];
		struct ranked r = { weight(graph, c),
				    f->sym ? f->sym->start : f->ip, f->dso_rank,
				    c, f };

		if (r.weight >= p->style->min_hit)
			items[(*ret_nr)++] = r;
	}
	qsort(items, *ret_nr, sizeof(*items), compare_ranked);
	return items;
}

static void print_margin(const struct printer *p)
{
	fprintf(p->out, "%*s", EDGE_LEN + p->margin, "");
}

static void print_name(const struct printer *p, uint32_t node)
{
	const struct rpt_frame *frame =
		&p->graph->frames->items[p->graph->nodes[node].frame];
	char buf[1024];

	fprintf(p->out, "%s\n", rpt_frame_name(frame, buf, sizeof(buf)));
}

/* Bit i of mask: a line goes down at level i.  32 of them, as perf has. */
static bool has_pipe(uint32_t mask, unsigned level)
{
	return mask >> (level & 31) & 1;
}

/* One line down to depth: empty, or the start of a named one, whose first one
 * carries the percentage. */
static void print_pipes(struct printer *p, unsigned depth, uint32_t mask)
{
	print_margin(p);
	for (unsigned i = 0; i < depth; i++)
		fputs(has_pipe(mask, i) ? "|          " : "           ",
		      p->out);
	fputc('\n', p->out);
	p->is_printed = true;
}

static void print_run(struct printer *p, uint32_t node, unsigned depth,
		      uint32_t mask)
{
	uint32_t end = run_end(p->graph, node);
	double total = (double)p->style->total;
	double pct = total > 0 ? 100.0 * (double)weight(p->graph, node) / total
			       : 0.0;

	for (bool is_first = true;; is_first = false) {
		print_margin(p);
		for (unsigned i = 0; i < depth; i++) {
			fputc(has_pipe(mask, i) ? '|' : ' ', p->out);
			if (is_first && i == depth - 1)
				fprintf(p->out, "--%.2f%%--", pct);
			else
				fputs("          ", p->out);
		}
		print_name(p, node);
		if (node == end)
			return;
		node = p->graph->nodes[node].first_child;
	}
}

static void print_level(struct printer *p, uint32_t parent, unsigned depth,
			uint32_t mask)
{
	uint32_t nr;
	struct ranked *items = ranked_children(p, parent, &nr);

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t next = mask;

		if (i == nr - 1)
			next &= ~(1u << ((depth - 1) & 31));
		print_pipes(p, depth, mask);
		print_run(p, items[i].node, depth, next);
		print_level(p, run_end(p->graph, items[i].node), depth + 1,
			    next | 1u << (depth & 31));
		if (i == nr - 1)
			mask = next;
	}
	free(items);
}

/* A tree with one root that holds the whole row starts without percentage. */
static uint32_t print_trunk(struct printer *p, uint32_t node)
{
	uint32_t end = run_end(p->graph, node);
	bool is_skipped = p->style->skip_first;
	bool is_open = false;

	for (;; node = p->graph->nodes[node].first_child) {
		if (!is_skipped && !is_open) {
			print_margin(p);
			fputs("|\n", p->out);
			print_margin(p);
			fputs("---", p->out);
			p->margin += 3;
			is_open = true;
			p->is_printed = true;
		} else if (!is_skipped) {
			print_margin(p);
		}
		if (!is_skipped)
			print_name(p, node);
		is_skipped = false;
		if (node == end)
			return end;
	}
}

int rpt_callgraph_print(const struct rpt_callgraph *graph, uint32_t root,
			uint64_t row_period,
			const struct rpt_callgraph_style *style, FILE *out)
{
	struct printer p = { .graph = graph, .style = style, .out = out };
	uint32_t nr;
	struct ranked *items;

	if (!root)
		return 0;
	items = ranked_children(&p, root, &nr);
	if (nr == 1 && items[0].weight == row_period)
		root = print_trunk(&p, items[0].node);
	free(items);
	print_level(&p, root, 1, 1);
	if (p.is_printed)
		fputc('\n', out);
	return p.is_oom ? -ENOMEM : 0;
}
