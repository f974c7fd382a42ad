#include "report/report/stack_walk.h"

#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The fields that decide the frames of a stack, in front of its addresses.
 *  Without padding: it is hashed. */
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

static uint32_t place_of(struct rpt_stack_walk *walk)
{
	const struct rpt_stack_key *key = walk->key;
	size_t chain_len = key->chain_nr * sizeof(uint64_t);
	const struct place_head head = {
		.comm = key->base->comm,
		.ip = key->ip,
		.tid = key->base->comm ? 0 : key->base->tid,
		.space_id = key->base->space_id,
		.space_version = key->base->space_version,
		.kernel_version = key->base->kernel_version,
		.event = key->event_idx,
		.modes = key->cpumode,
	};
	size_t len = sizeof(head) + chain_len;

	if (len > walk->place_key_cap) {
		walk->place_key = rpt_realloc_array(walk->place_key, len, 2);
		walk->place_key_cap = 2 * len;
	}
	memcpy(walk->place_key, &head, sizeof(head));
	memcpy(walk->place_key + sizeof(head), key->chain, chain_len);
	return (uint32_t)rpt_intern(&walk->places, walk->place_key, len);
}

/* Return whether options hide a sample that was taken in that frame. */
static bool hides(const struct rpt_rows_hide *hide,
		  const struct rpt_frame *frame)
{
	const char *symbol = rpt_frame_symbol(frame);

	return (hide->filter && !rpt_filter_place(hide->filter, frame->dso,
						  symbol, frame->ip)) ||
	       (hide->symbol_part &&
		!(symbol && strstr(symbol, hide->symbol_part))) ||
	       (hide->unresolved && !frame->sym);
}

/* Find the frames of a new place. */
static int find_frames(struct rpt_stack_walk *walk, uint32_t stack_idx)
{
	const struct rpt_rows_conf *rows = &walk->report->rows_conf;
	const struct rpt_stack_frames_conf conf = {
		.chain = { .is_caller_first = true,
			   .max_stack = rows->max_stack },
		.ignored = rows->ignored,
	};
	struct rpt_stack_frames *at = &walk->at;
	const struct rpt_frame *self;
	int rc = rpt_stack_frames_resolve(at, walk->all, &walk->report->profile,
					  stack_idx, &conf);

	if (rc)
		return rc;
	self = &walk->all->items[at->self];
	walk->is_hidden = hides(&rows->hide, self);
	walk->self = at->self;
	walk->addr = self->addr;
	if (!at->is_cut) /* self may be that of another address in a function */
		walk->addr += walk->key->ip - self->ip;
	walk->frames = at->chain.nr ? at->chain.frames : &at->self;
	walk->frame_nr = at->chain.nr ? at->chain.nr : 1;
	return 0;
}

int rpt_stack_walk_next(struct rpt_stack_walk *walk)
{
	const struct rpt_profile *profile = &walk->report->profile;
	uint32_t known_nr = walk->places.nr;
	uint32_t stack_idx;
	int rc = 0;

	walk->stack = NULL;
	if (walk->next == profile->keys.nr)
		return 0;
	stack_idx = walk->report->order[walk->next++];
	walk->key = rpt_profile_key(profile, stack_idx);
	walk->stack = &profile->stacks[stack_idx];
	walk->place = place_of(walk);
	walk->is_new_place = walk->place == known_nr;
	walk->are_hidden = rpt_grow(walk->are_hidden, &walk->hidden_cap,
				    walk->place, sizeof(*walk->are_hidden));
	if (walk->is_new_place) {
		rc = find_frames(walk, stack_idx);
		walk->are_hidden[walk->place] = walk->is_hidden;
	}
	walk->is_hidden = walk->are_hidden[walk->place];
	return rc;
}

void rpt_stack_walk_init(struct rpt_stack_walk *walk,
			 const struct rpt_report *report,
			 struct rpt_frames *frames)
{
	*walk = (struct rpt_stack_walk){ .report = report,
					 .all = frames,
					 .places.is_bytes = true };
}

void rpt_stack_walk_release(struct rpt_stack_walk *walk)
{
	rpt_stack_frames_release(&walk->at);
	rpt_intern_release(&walk->places);
	free(walk->are_hidden);
	free(walk->place_key);
	*walk = (struct rpt_stack_walk){ .stack = NULL };
}
