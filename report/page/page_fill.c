#include "report/page/page_fill.h"

#include "report/base/memory.h"
#include "report/report/stack_walk.h"
#include "report/timeline/tasks.h"

#include <stdlib.h>
#include <string.h>

/* Threads that have a row of the timeline to themselves, at most. */
#define LANES_MAX 64u

/* The tree's node and the hits that the samples of a place are added to. */
struct placed {
	uint32_t node;
	uint32_t hit; /* in filler.hits */
};

struct filler {
	struct rpt_page_fill *fill;
	const struct rpt_page_input *input;
	struct rpt_stack_walk walk;
	struct placed *placed; /* by place of the walk */
	uint32_t placed_cap;
	struct rpt_page_hit *hits;
	uint32_t hit_nr, hits_cap;
};

/* Return the child of the root for the stack's task. */
static uint32_t task_node(struct filler *f, struct rpt_page_tree *tree)
{
	char buf[16];
	const char *comm = rpt_comm_or_tid(
		(const char *)(uintptr_t)f->walk.key->base->comm,
		f->walk.stack->first_tid, buf);

	return rpt_page_tree_child(
		tree, 0, rpt_page_names_of_task(&f->fill->names, comm));
}

/* Return whether a function stands for code without a name. */
static bool is_nameless(const struct rpt_page_fill *fill, uint32_t number)
{
	const struct rpt_page_function *function =
		rpt_intern_key(&fill->names.functions, number);

	return function->kind == RPT_PAGE_NAMELESS;
}

/* Return the node of a frame below its caller's.  Code without a name that
 * calls such code of its file is one node. */
static uint32_t frame_node(struct filler *f, struct rpt_page_tree *tree,
			   uint32_t node, uint32_t frame)
{
	uint32_t function = rpt_page_names_of_frame(&f->fill->names,
						    f->input->frames, frame);

	if (tree->nodes[node].function == function &&
	    is_nameless(f->fill, function))
		return node;
	return rpt_page_tree_child(tree, node, function);
}

/* Return where the samples of the stack count. */
static const struct placed *place(struct filler *f, struct rpt_page_tree *tree)
{
	const struct rpt_stack_walk *walk = &f->walk;
	uint32_t node;

	f->placed = rpt_grow(f->placed, &f->placed_cap, walk->place,
			     sizeof(*f->placed));
	if (!walk->is_new_place)
		return &f->placed[walk->place];
	node = task_node(f, tree);
	for (uint32_t i = 0; i < walk->frame_nr; i++)
		node = frame_node(f, tree, node, walk->frames[i]);
	f->hits = rpt_grow(f->hits, &f->hits_cap, f->hit_nr, sizeof(*f->hits));
	f->hits[f->hit_nr] = (struct rpt_page_hit){
		.frame = walk->self,
		.addr = walk->addr,
		.event_idx = f->input->events[walk->key->event_idx],
	};
	f->placed[walk->place] = (struct placed){ node, f->hit_nr++ };
	return &f->placed[walk->place];
}

/* Return the last name of the process of a stack's thread. */
static const char *process_of(const struct filler *f)
{
	const struct rpt_stack *stack = f->walk.stack;
	struct rpt_task_ref ref;

	rpt_timeline_task(f->input->report->timeline, stack->first_pid,
			  stack->first_pid, stack->first, &ref);
	return rpt_task_ref_comm_last(&ref);
}

static uint32_t lane_of(struct filler *f)
{
	const struct rpt_page_input *input = f->input;
	const struct rpt_stack *stack = f->walk.stack;
	struct rpt_page_thread thread = { input->idx, stack->first_pid,
					  stack->first_tid };
	const char *name = (const char *)(uintptr_t)f->walk.key->base->comm;
	struct rpt_page_names *names = &f->fill->names;
	uint32_t known_nr = names->threads.nr, lane;

	if (input->name) {
		thread.pid = 0;
		thread.tid = 0;
		name = input->name;
	}
	lane = rpt_page_names_thread(names, &thread, name, stack->nr);
	if (lane == known_nr && !input->name)
		rpt_page_names_set_process(names, lane, process_of(f));
	return lane;
}

static void add_stack(struct filler *f)
{
	const struct rpt_stack_key *key = f->walk.key;
	uint32_t event = f->input->events[key->event_idx];
	struct rpt_page_tree *tree = &f->fill->trees[event];
	const struct placed *at;

	if (f->input->modes &&
	    !rpt_event_modes_have(f->input->modes[key->event_idx],
				  key->cpumode))
		return;
	at = place(f, tree);
	f->hits[at->hit].nr += f->walk.stack->nr;
	f->hits[at->hit].period += f->walk.stack->period;
	rpt_page_tree_add(tree,
			  &(struct rpt_page_entry){
				  .node = at->node,
				  .bin = key->base->block,
				  .cpu = rpt_page_names_cpu(&f->fill->names,
							    key->base->cpu),
				  .lane = lane_of(f),
				  .nr = f->walk.stack->nr,
				  .period = f->walk.stack->period,
			  });
}

/* Count the samples by address.  Several recordings are one run: which of
 * their functions are heavy is known at the end only. */
static void add_hits(const struct filler *f)
{
	const struct rpt_page_input *input = f->input;
	bool is_only = input->report->whole.part_nr < 2 && !input->idx;

	rpt_page_hits_add(input->hits, &f->fill->names, input->frames, f->hits,
			  f->hit_nr,
			  is_only ? RPT_PAGE_CODE_LEAST_PCT / 100 : 0);
}

/* Return the period of each sample of a tree; 0 if they differ. */
static uint64_t period_of(const struct rpt_page_tree *tree)
{
	uint64_t period =
		tree->entry_nr && tree->entries[0].nr
			? tree->entries[0].period / tree->entries[0].nr
			: 0;

	for (uint32_t i = 0; i < tree->entry_nr; i++)
		if (tree->entries[i].period != period * tree->entries[i].nr)
			return 0;
	return period;
}

/* Return whether a node stands for others that were left out. */
static bool is_rest(const struct rpt_page_fill *fill,
		    const struct rpt_page_tree *tree, uint32_t node)
{
	const struct rpt_page_function *f = rpt_intern_key(
		&fill->names.functions, tree->nodes[node].function);

	return f->kind == RPT_PAGE_REST;
}

/* Put the functions that the trees have into order. */
static void sort_names(struct rpt_page_fill *fill)
{
	rpt_page_names_use_none(&fill->names);
	for (uint32_t i = 0; i < fill->tree_nr; i++)
		rpt_page_tree_use(&fill->trees[i], &fill->names);
	rpt_page_names_sort(&fill->names);
}

void rpt_page_fill_prune(struct rpt_page_fill *fill, uint64_t sample_nr)
{
	uint32_t rest = rpt_page_names_rest(&fill->names);

	for (uint32_t i = 0; i < fill->tree_nr; i++)
		rpt_page_tree_prune(&fill->trees[i], rest, sample_nr);
	sort_names(fill);
	for (uint32_t i = 0; i < fill->tree_nr; i++)
		rpt_page_tree_order(&fill->trees[i], &fill->names);
}

void rpt_page_fill_left_out(const struct rpt_page_fill *fill,
			    uint64_t *ret_node_nr, uint64_t *ret_sample_nr)
{
	*ret_node_nr = 0;
	*ret_sample_nr = 0;
	for (uint32_t t = 0; t < fill->tree_nr; t++) {
		const struct rpt_page_tree *tree = &fill->trees[t];

		*ret_node_nr += tree->full_node_nr;
		for (uint32_t i = 0; i < tree->node_nr; i++)
			*ret_node_nr -= !is_rest(fill, tree, i);
		for (uint32_t i = 0; i < tree->entry_nr; i++)
			if (is_rest(fill, tree, tree->entries[i].node))
				*ret_sample_nr += tree->entries[i].nr;
	}
}

void rpt_page_fill_init(struct rpt_page_fill *fill)
{
	*fill = (struct rpt_page_fill){ 0 };
	rpt_page_names_init(&fill->names);
}

void rpt_page_fill_reserve(struct rpt_page_fill *fill, uint32_t tree_nr)
{
	if (tree_nr <= fill->tree_nr)
		return;
	fill->trees =
		rpt_realloc_array(fill->trees, tree_nr, sizeof(*fill->trees));
	fill->periods = rpt_realloc_array(fill->periods, tree_nr,
					  sizeof(*fill->periods));
	for (; fill->tree_nr < tree_nr; fill->tree_nr++)
		rpt_page_tree_init(&fill->trees[fill->tree_nr]);
}

int rpt_page_fill_add(struct rpt_page_fill *fill,
		      const struct rpt_page_input *input)
{
	struct filler f = { .fill = fill, .input = input };
	int rc;

	rpt_page_names_new_frames(&fill->names);
	rpt_stack_walk_init(&f.walk, input->report, input->frames);
	while (!(rc = rpt_stack_walk_next(&f.walk)) && f.walk.stack)
		if (!f.walk.is_hidden)
			add_stack(&f);
	if (input->hits && !rc)
		add_hits(&f);
	rpt_stack_walk_release(&f.walk);
	free(f.placed);
	free(f.hits);
	return rc;
}

void rpt_page_fill_end(struct rpt_page_fill *fill)
{
	rpt_page_names_rest(&fill->names);
	rpt_page_names_make_lanes(&fill->names, LANES_MAX);
	sort_names(fill);
	for (uint32_t i = 0; i < fill->tree_nr; i++) {
		rpt_page_tree_finish(&fill->trees[i], &fill->names);
		fill->periods[i] = period_of(&fill->trees[i]);
	}
}

void rpt_page_fill_release(struct rpt_page_fill *fill)
{
	for (uint32_t i = 0; i < fill->tree_nr; i++)
		rpt_page_tree_release(&fill->trees[i]);
	free(fill->trees);
	free(fill->periods);
	rpt_page_names_release(&fill->names);
	*fill = (struct rpt_page_fill){ 0 };
}
