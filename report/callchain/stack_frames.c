#include "report/callchain/stack_frames.h"

#include <string.h>

void rpt_stack_frames_release(struct rpt_stack_frames *at)
{
	rpt_chain_release(&at->chain);
}

/* Cut off the callees of the last frame that matches, in whatever order the
 * frames are, as in perf. */
static void cut_callees(struct rpt_stack_frames *at,
			const struct rpt_frames *frames,
			struct rpt_frame_match *ignored)
{
	struct rpt_chain *chain = &at->chain;
	uint32_t i = chain->nr;

	while (i > 0 &&
	       !rpt_frame_match_is(ignored, frames, chain->frames[i - 1]))
		i--;
	at->is_cut = i > 0;
	if (!i--)
		return;
	at->self = chain->frames[i];
	chain->nr -= i;
	memmove(chain->frames, chain->frames + i,
		chain->nr * sizeof(*chain->frames));
	if (chain->ends)
		memmove(chain->ends, chain->ends + i,
			chain->nr * sizeof(*chain->ends));
}

int rpt_stack_frames_resolve(struct rpt_stack_frames *at,
			     struct rpt_frames *frames,
			     const struct rpt_profile *profile,
			     uint32_t stack_idx,
			     const struct rpt_stack_frames_conf *conf)
{
	const struct rpt_stack_key *key = rpt_profile_key(profile, stack_idx);
	struct rpt_chain_conf chain = conf->chain;
	struct rpt_frame_span span;
	int rc = 0;

	chain.linked = profile->linked;
	rpt_chain_scope(frames, key, &profile->stacks[stack_idx], &at->scope);
	at->chain.nr = 0;
	if (key->chain_nr)
		rc = rpt_chain_resolve(&at->chain, frames, key, &at->scope,
				       &chain);
	if (rc || conf->is_branch)
		return rc;
	if (chain.linked && rpt_stack_key_is_linked(key)) {
		rc = rpt_chain_linked_self(&at->chain, frames, key, &chain,
					   &at->self);
	} else {
		rc = rpt_frames_resolve(frames, &at->scope, key->cpumode,
					key->ip, &span);
		if (!rc)
			at->self = span.self;
	}
	at->is_cut = false;
	if (!rc && conf->ignored)
		cut_callees(at, frames, conf->ignored);
	return rc;
}
