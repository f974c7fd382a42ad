#include "report/page/page_fill.h"

#include "report/base/memory.h"
#include "report/callchain/stack_frames.h"
#include "report/timeline/tasks.h"

#include <stdlib.h>
#include <string.h>

/* Threads that have a row of the timeline to themselves, at most. */
#define LANES_MAX 64u

/* What decides the frames of a stack, in front of its addresses.  Without
 * padding: it is hashed. */
struct place_head {
	uint64_t comm;
	uint64_t ip;
	uint32_t tid; /* if comm is 0: the name has it */
	uint32_t space_id;
	uint32_t space_version;
	uint32_t kernel_version;
	uint32_t event;
	uint32_t modes;
};

/* Where the sample of a place counts. */
struct placed {
	uint32_t node;
	uint32_t frame; /* unless the node is HIDDEN */
	uint64_t addr;	/* of the instruction, in the frame's DSO */
};

struct walk {
	struct rpt_page_fill *fill;
	const struct rpt_page_input *input;
	struct rpt_stack_frames_conf conf;
	struct rpt_stack_frames at;
	struct rpt_intern places; /* of stacks: struct place_head, chain */
	struct placed *placed;	  /* by place */
	uint32_t placed_cap;
	uint8_t *key; /* of a place, under construction */
	size_t key_cap;
};

/* The node of a stack that filters hide. */
#define HIDDEN UINT32_MAX

static const struct rpt_profile *profile_of(const struct walk *w)
{
	return &w->input->report->profile;
}

static uint32_t event_of(const struct walk *w, const struct rpt_stack_key *key)
{
	return w->input->events[key->event_idx];
}

/* Return the number of the stack's place in w->places; equal places have the
 * same node. */
static uint32_t place_of(struct walk *w, const struct rpt_stack_key *key)
{
	size_t chain_len = key->chain_nr * sizeof(uint64_t);
	const struct place_head head = {
		.comm = key->base->comm,
		.ip = key->ip,
		.tid = key->base->comm ? 0 : key->base->tid,
		.space_id = key->base->space_id,
		.space_version = key->base->space_version,
		.kernel_version = key->base->kernel_version,
		.event = event_of(w, key),
		.modes = key->cpumode,
	};
	size_t len = sizeof(head) + chain_len;

	if (!w->key || len > w->key_cap) {
		w->key = rpt_realloc_array(w->key, len, 2);
		w->key_cap = 2 * len;
	}
	memcpy(w->key, &head, sizeof(head));
	memcpy(w->key + sizeof(head), key->chain, chain_len);
	return (uint32_t)rpt_intern(&w->places, w->key, len);
}

/* Return whether a stack is shown whose sample was taken in that frame. */
static bool passes(const struct walk *w, const struct rpt_frame *frame)
{
	const struct rpt_rows_hide *hide = &w->input->report->rows_conf.hide;
	const char *symbol = rpt_frame_symbol(frame);

	return (!hide->filter || rpt_filter_place(hide->filter, frame->dso,
						  symbol, frame->ip)) &&
	       (!hide->symbol_part ||
		(symbol && strstr(symbol, hide->symbol_part))) &&
	       (!hide->unresolved || frame->sym);
}

/* Return the child of the root for the stack's task. */
static uint32_t task_node(struct walk *w, struct rpt_page_tree *tree,
			  const struct rpt_stack_key *key, uint32_t tid)
{
	char buf[16];
	const char *comm = rpt_comm_or_tid(
		(const char *)(uintptr_t)key->base->comm, tid, buf);

	return rpt_page_tree_child(
		tree, 0, rpt_page_names_of_task(&w->fill->names, comm));
}

/* Return whether a function stands for code without a name. */
static bool is_nameless(const struct walk *w, uint32_t function)
{
	const struct rpt_page_function *f =
		rpt_intern_key(&w->fill->names.functions, function);

	return f->kind == RPT_PAGE_NAMELESS;
}

/* Return the node of a frame below its caller's.  Code without a name that
 * calls such code of its file is one node. */
static uint32_t frame_node(struct walk *w, struct rpt_page_tree *tree,
			   uint32_t node, uint32_t frame)
{
	uint32_t function = rpt_page_names_of_frame(&w->fill->names,
						    w->input->frames, frame);

	if (tree->nodes[node].function == function && is_nameless(w, function))
		return node;
	return rpt_page_tree_child(tree, node, function);
}

/* Find the frames of a stack, and the node of its sample. */
static int find_node(struct walk *w, uint32_t stack_idx, uint32_t *ret)
{
	const struct rpt_profile *profile = profile_of(w);
	const struct rpt_stack_key *key = rpt_profile_key(profile, stack_idx);
	struct rpt_page_tree *tree = &w->fill->trees[event_of(w, key)];
	struct rpt_frames *frames = w->input->frames;
	int rc = rpt_stack_frames_resolve(&w->at, frames, profile, stack_idx,
					  &w->conf);
	uint32_t node;

	*ret = HIDDEN;
	if (rc || !passes(w, &frames->items[w->at.self]))
		return rc;
	node = task_node(w, tree, key, profile->stacks[stack_idx].first_tid);
	for (uint32_t i = 0; i < w->at.chain.nr; i++)
		node = frame_node(w, tree, node, w->at.chain.frames[i]);
	if (!w->at.chain.nr)
		node = frame_node(w, tree, node, w->at.self);
	*ret = node;
	return 0;
}

/* Set the frame and the address that find_node() found.  Frames are those of
 * functions: one of them has the address of another sample there. */
static void set_address(const struct walk *w, uint32_t stack_idx,
			struct placed *at)
{
	const struct rpt_frame *frame = &w->input->frames->items[w->at.self];

	at->frame = w->at.self;
	at->addr = frame->addr;
	if (!w->at.is_cut)
		at->addr += rpt_profile_key(profile_of(w), stack_idx)->ip -
			    frame->ip;
}

static int find_placed(struct walk *w, uint32_t stack_idx, struct placed *ret)
{
	uint32_t known_nr = w->places.nr;
	uint32_t place = place_of(w, rpt_profile_key(profile_of(w), stack_idx));
	int rc = 0;

	w->placed = rpt_grow(w->placed, &w->placed_cap, known_nr,
			     sizeof(*w->placed));
	if (place == known_nr) {
		rc = find_node(w, stack_idx, &w->placed[place].node);
		set_address(w, stack_idx, &w->placed[place]);
	}
	*ret = w->placed[place];
	return rc;
}

static uint32_t lane_of(struct walk *w, const struct rpt_stack_key *key,
			const struct rpt_stack *stack)
{
	const struct rpt_page_input *input = w->input;
	struct rpt_page_thread thread = { input->idx, stack->first_pid,
					  stack->first_tid };
	const char *name = (const char *)(uintptr_t)key->base->comm;

	if (input->name) {
		thread.pid = 0;
		thread.tid = 0;
		name = input->name;
	}
	return rpt_page_names_thread(&w->fill->names, &thread, name, stack->nr);
}

static int add_stack(struct walk *w, uint32_t stack_idx)
{
	const struct rpt_profile *profile = profile_of(w);
	const struct rpt_stack_key *key = rpt_profile_key(profile, stack_idx);
	const struct rpt_stack *stack = &profile->stacks[stack_idx];
	struct placed at;
	int rc;

	if (w->input->modes &&
	    !rpt_event_modes_have(w->input->modes[key->event_idx],
				  key->cpumode))
		return 0;
	rc = find_placed(w, stack_idx, &at);
	if (rc || at.node == HIDDEN)
		return rc;
	if (w->input->hits)
		rpt_page_hits_add(w->input->hits, &w->fill->names,
				  &(struct rpt_page_hit){
					  .frames = w->input->frames,
					  .frame = at.frame,
					  .addr = at.addr,
					  .event_idx = event_of(w, key),
					  .nr = stack->nr,
					  .period = stack->period,
				  });
	rpt_page_tree_add(&w->fill->trees[event_of(w, key)],
			  &(struct rpt_page_entry){
				  .node = at.node,
				  .bin = key->base->block,
				  .cpu = rpt_page_names_cpu(&w->fill->names,
							    key->base->cpu),
				  .lane = lane_of(w, key, stack),
				  .nr = stack->nr,
				  .period = stack->period,
			  });
	return 0;
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
	const struct rpt_rows_conf *conf = &input->report->rows_conf;
	struct walk w = {
		.fill = fill,
		.input = input,
		.conf = { .chain = { .is_caller_first = true,
				     .max_stack = conf->max_stack },
			  .ignored = conf->ignored },
		.places.is_bytes = true,
	};
	uint32_t nr = input->report->profile.keys.nr;
	int rc = 0;

	rpt_page_names_new_frames(&fill->names);
	for (uint32_t i = 0; i < nr && !rc; i++)
		rc = add_stack(&w, input->report->order[i]);
	rpt_stack_frames_release(&w.at);
	rpt_intern_release(&w.places);
	free(w.placed);
	free(w.key);
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
