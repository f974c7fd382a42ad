#include "report/stack_frames.h"

void rpt_stack_frames_release(struct rpt_stack_frames *at)
{
	rpt_chain_release(&at->chain);
}

int rpt_stack_frames_resolve(struct rpt_stack_frames *at,
			     struct rpt_frames *frames,
			     const struct rpt_profile *profile,
			     uint32_t stack_idx,
			     const struct rpt_stack_frames_conf *conf)
{
	const struct rpt_stack_key *key = rpt_profile_key(profile, stack_idx);
	struct rpt_frame_span span;
	int rc = 0;

	rpt_chain_scope(frames, key, &profile->stacks[stack_idx], &at->scope);
	at->chain.nr = 0;
	if (key->chain_nr)
		rc = rpt_chain_resolve(&at->chain, frames, key, &at->scope,
				       &conf->chain);
	if (rc || conf->is_branch)
		return rc;
	rc = rpt_frames_resolve(frames, &at->scope, key->cpumode, key->ip,
				&span);
	if (!rc)
		at->self = span.self;
	return rc;
}
