#include "report/callchain/chain.h"

#include "format/records/callchain.h"
#include "report/base/memory.h"
#include "report/callchain/branch_stat.h"
#include "report/callchain/chain_impl.h"
#include "report/profile/linked_stacks.h"
#include "report/profile/user_stack.h"

#include <stdlib.h>
#include <string.h>

static void grow_entries(struct rpt_chain *chain, uint32_t nr)
{
	if (nr <= chain->entries_cap)
		return;
	chain->entries =
		rpt_realloc_array(chain->entries, nr, sizeof(*chain->entries));
	chain->modes = rpt_realloc_array(chain->modes, nr, 1);
	chain->entries_cap = nr;
}

/* Find the addresses between the context marks, from word start on.  Return how
 * many there are; 0 if a mark is unknown. */
static uint32_t split(struct rpt_chain *chain, const struct rpt_stack_key *key,
		      uint32_t start)
{
	const struct pd_u64s words = {
		.raw = (const uint8_t *)key->chain,
		.nr = key->chain_nr,
	};
	struct pd_callchain it = pd_callchain_start(&words);
	enum pd_callchain_word word;
	uint32_t nr = 0;

	it.next_idx = start;
	while ((word = pd_callchain_next(&it)) != PD_CALLCHAIN_END) {
		if (word == PD_CALLCHAIN_ADDRESS) {
			chain->entries[nr] = (uint32_t)it.next_idx - 1;
			chain->modes[nr++] = it.cpumode;
		} else if (it.ip == RPT_CONTEXT_UNWOUND) {
			/* such frames have any address, the last often ~0 */
			it.has_no_marks = true;
			it.cpumode = PD_CPUMODE_USER | RPT_FRAME_UNWOUND;
		} else {
			return 0;
		}
	}
	return nr;
}

void rpt_chain_grow(struct rpt_chain *chain, bool has_history)
{
	uint32_t cap = chain->cap ? chain->cap * 2 : 256;

	chain->frames =
		rpt_realloc_array(chain->frames, cap, sizeof(*chain->frames));
	if (has_history)
		chain->ends = rpt_realloc_array(chain->ends, cap,
						sizeof(*chain->ends));
	chain->cap = cap;
}

/* Return true if the frame, and the one pushed before it, are code of one file
 * of which no function is known: they are shown as one. */
static bool repeats_file(const struct rpt_chain *chain,
			 const struct rpt_frames *frames, uint32_t frame)
{
	return frames->flags[frame].is_file && chain->nr > chain->link_start &&
	       frames->items[chain->frames[chain->nr - 1]].sym ==
		       frames->items[frame].sym;
}

void rpt_chain_push(struct rpt_chain *chain, struct rpt_frames *frames,
		    const struct rpt_frame_span *span,
		    const struct rpt_chain_conf *conf)
{
	uint32_t end = span->start + span->nr;

	for (uint32_t k = 0; k < span->nr; k++) {
		uint32_t frame =
			conf->is_caller_first ? end - 1 - k : span->start + k;

		if (conf->folds_unmapped &&
		    rpt_frame_is_unmapped(frames, frame))
			frame = rpt_frames_unmapped(frames);
		if ((conf->hide_unresolved &&
		     !rpt_frame_has_name(&frames->items[frame])) ||
		    repeats_file(chain, frames, frame))
			continue;
		if (chain->nr == chain->cap)
			rpt_chain_grow(chain, conf->has_history);
		if (conf->has_history)
			chain->ends[chain->nr] = 0;
		chain->frames[chain->nr++] = frame;
	}
}

struct history {
	struct rpt_chain *chain;
	struct rpt_frames *frames;
	struct rpt_frame_scope *scope;
	const struct rpt_chain_conf *conf;
};

static int push_end(const struct history *h, uint64_t ip,
		    const struct rpt_branch_end *end)
{
	uint32_t number =
		rpt_frames_number(&h->frames->branch_ends, end, sizeof(*end));
	uint32_t from = h->chain->nr;
	struct rpt_frame_span span;
	int rc = rpt_frames_resolve(h->frames, h->scope,
				    rpt_frames_mode_at(h->frames, h->scope, ip),
				    ip, &span);

	if (!rc)
		rpt_chain_push(h->chain, h->frames, &span, h->conf);
	for (uint32_t i = from; i < h->chain->nr; i++)
		h->chain->ends[i] = number + 1;
	return rc;
}

/* Add the frames of both ends of each branch.  Set *ret_nr to the words of the
 * key that hold branches. */
static int push_history(const struct history *h,
			const struct rpt_stack_key *key, uint32_t *ret_nr)
{
	struct rpt_history_branch branch;
	uint32_t at = 2;
	int rc = 0;

	*ret_nr = 0;
	if (!h->conf->has_history || !key->chain_nr)
		return 0;
	for (uint64_t left = key->chain[1]; left && !rc; left--) {
		struct rpt_branch_end to, from;

		memcpy(&branch, key->chain + at, sizeof(branch));
		to = rpt_branch_end_to(&branch);
		from = rpt_branch_end_from(&branch);
		rc = push_end(h, branch.to, &to);
		if (!rc)
			rc = push_end(h, branch.from, &from);
		at += RPT_BRANCH_WORDS;
	}
	*ret_nr = at;
	return rc;
}

/* Return how many addresses of the chain count.  As in perf, it is all of a
 * chain out of branches if the part before its user part is not too long. */
static uint32_t max_stack(const struct rpt_stack_key *key,
			  const struct rpt_chain_conf *conf)
{
	const struct pd_u64s words = {
		.raw = (const uint8_t *)key->chain,
		.nr = key->chain_nr,
	};

	return key->is_of_branches &&
			       pd_callchain_has_user(&words, conf->max_stack)
		       ? UINT32_MAX
		       : conf->max_stack;
}

/* The entries of a chain from start to before end. */
struct part {
	uint32_t start, end;
};

/* --max-stack holds for what was recorded and for what was unwound.  perf
 * begins at the end that is shown first, but unwinds from the innermost frame.
 */
static struct part recorded_part(uint32_t nr, uint32_t max_nr,
				 const struct rpt_chain_conf *conf)
{
	struct part part = { 0, nr };

	if (nr > max_nr && conf->is_caller_first)
		part.start = nr - max_nr;
	else if (nr > max_nr)
		part.end = max_nr;
	return part;
}

static struct part unwound_part(uint32_t start, uint32_t end,
				const struct rpt_chain_conf *conf)
{
	bool is_long = end - start > conf->max_stack;

	return (struct part){ start, is_long ? start + conf->max_stack : end };
}

static int push_part(const struct history *h, const struct rpt_stack_key *key,
		     struct part part)
{
	struct rpt_chain *chain = h->chain;
	struct rpt_frame_span span;
	int rc = 0;

	/* addr2line's names depend on the order of questions, see
	 * inline_frames.c. */
	for (uint32_t k = 0; k < part.end - part.start && !rc; k++) {
		uint32_t i = h->conf->is_caller_first ? part.end - 1 - k
						      : part.start + k;

		rc = rpt_frames_resolve(h->frames, h->scope, chain->modes[i],
					key->chain[chain->entries[i]], &span);
		if (!rc)
			rpt_chain_push(chain, h->frames, &span, h->conf);
	}
	return rc;
}

int rpt_chain_append(struct rpt_chain *chain, struct rpt_frames *frames,
		     const struct rpt_stack_key *key,
		     struct rpt_frame_scope *scope,
		     const struct rpt_chain_conf *conf)
{
	const struct history history = { chain, frames, scope, conf };
	uint32_t history_nr, recorded_nr = 0, end;
	struct part parts[2];
	int rc;

	grow_entries(chain, key->chain_nr);
	rc = push_history(&history, key, &history_nr);
	if (rc)
		return rc;
	end = split(chain, key, history_nr);
	while (recorded_nr < end &&
	       !(chain->modes[recorded_nr] & RPT_FRAME_UNWOUND))
		recorded_nr++;
	parts[0] = recorded_part(recorded_nr, max_stack(key, conf), conf);
	parts[1] = unwound_part(recorded_nr, end, conf);
	for (uint32_t p = 0; p < 2 && !rc; p++)
		rc = push_part(&history, key,
			       parts[conf->is_caller_first ? 1 - p : p]);
	return rc;
}

int rpt_chain_resolve(struct rpt_chain *chain, struct rpt_frames *frames,
		      const struct rpt_stack_key *key,
		      struct rpt_frame_scope *scope,
		      const struct rpt_chain_conf *conf)
{
	uint32_t nr = key->chain_nr;
	int rc = 0;

	chain->nr = chain->link_start = 0;
	if (!conf->linked || !rpt_stack_key_is_linked(key))
		return rpt_chain_append(chain, frames, key, scope, conf);
	for (uint32_t i = 1; i < nr && !rc; i++) {
		const struct rpt_stack_link *link = rpt_linked_stacks_at(
			conf->linked,
			key->chain[conf->is_caller_first ? nr - i : i]);

		if (link)
			rc = rpt_chain_append_link(chain, frames, link, conf);
	}
	return rc;
}

void rpt_chain_scope(struct rpt_frames *frames, const struct rpt_stack_key *key,
		     const struct rpt_stack *stack, struct rpt_frame_scope *ret)
{
	*ret = (struct rpt_frame_scope){
		.when = stack->first,
		.space_id = key->base->space_id,
		.space_version = key->base->space_version,
		.kernel_version = key->base->kernel_version,
	};
	rpt_timeline_task(frames->timeline, stack->first_pid, stack->first_tid,
			  stack->first, &ret->ref);
}

void rpt_chain_release(struct rpt_chain *chain)
{
	free(chain->frames);
	free(chain->ends);
	free(chain->entries);
	free(chain->modes);
	*chain = (struct rpt_chain){ 0 };
}
