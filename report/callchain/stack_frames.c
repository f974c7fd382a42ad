#include "report/callchain/stack_frames.h"

#include "format/layout.h"
#include "report/base/cpu_prefetch.h"
#include "report/callchain/frames_prefetch.h"

#include <errno.h>
#include <string.h>

void rpt_stack_frames_release(struct rpt_stack_frames *at)
{
	rpt_chain_release(&at->chain);
}

/* The last match counts, in whatever order the frames are: as perf has it. */
static int cut_callees(struct rpt_stack_frames *at,
		       const struct rpt_frames *frames,
		       struct rpt_frame_match *ignored)
{
	struct rpt_chain *chain = &at->chain;
	uint32_t i = chain->nr;

	if (rpt_frame_match_reserve(ignored, frames))
		return -ENOMEM;
	while (i > 0 &&
	       !rpt_frame_match_is(ignored, frames, chain->frames[i - 1]))
		i--;
	at->is_cut = i > 0;
	if (!i--)
		return 0;
	at->self = chain->frames[i];
	chain->nr -= i;
	memmove(chain->frames, chain->frames + i,
		chain->nr * sizeof(*chain->frames));
	if (chain->ends)
		memmove(chain->ends, chain->ends + i,
			chain->nr * sizeof(*chain->ends));
	return 0;
}

/* How far ahead what is fetched. */
#define AHEAD_ENTRY   24u
#define AHEAD_KEY     16u
#define AHEAD_ADDRESS 8u

/* Of a long chain so many addresses. */
#define FETCHED_NR_MAX 16u

static void fetch_addresses(const struct rpt_frames *frames,
			    const struct rpt_stack_key *key)
{
	struct rpt_frame_scope scope = {
		.space_id = key->base->space_id,
		.space_generation = key->base->space_generation,
		.kernel_generation = key->base->kernel_generation,
	};
	unsigned mode = PD_CPUMODE_USER;

	rpt_frames_prefetch(frames, &scope, key->cpumode, key->ip);
	for (uint32_t i = 0; i < key->chain_nr && i < FETCHED_NR_MAX; i++) {
		uint64_t ip = key->chain[i];

		if (ip == PD_CONTEXT_KERNEL)
			mode = PD_CPUMODE_KERNEL;
		else if (ip == PD_CONTEXT_USER)
			mode = PD_CPUMODE_USER;
		else
			rpt_frames_prefetch(frames, &scope, mode, ip);
	}
}

void rpt_stack_frames_fetch(const struct rpt_frames *frames,
			    const struct rpt_profile *profile,
			    const uint32_t *stacks, uint32_t nr)
{
	const char *key;

	if (nr > AHEAD_ENTRY) {
		rpt_cpu_prefetch(&profile->keys.entries[stacks[AHEAD_ENTRY]]);
		rpt_cpu_prefetch(&profile->stacks[stacks[AHEAD_ENTRY]]);
	}
	if (nr > AHEAD_KEY) {
		key = (const char *)rpt_profile_key(profile, stacks[AHEAD_KEY]);
		rpt_cpu_prefetch(key);
		rpt_cpu_prefetch(key + sizeof(struct rpt_stack_key));
	}
	if (frames && nr > AHEAD_ADDRESS)
		fetch_addresses(frames, rpt_profile_key(profile,
							stacks[AHEAD_ADDRESS]));
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
	at->is_cut = false;
	return rc || !conf->ignored ? rc
				    : cut_callees(at, frames, conf->ignored);
}
