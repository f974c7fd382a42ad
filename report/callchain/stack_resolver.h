/* stack_resolver.h: resolves stacks in a separate thread, ahead of the thread
 * that makes rows of them.  (With it, `report` of 120,000 stacks with children
 * takes three quarters of the time.)
 *
 *	ahead = rpt_stack_resolver_new(&conf);
 *	for each of conf.stacks:
 *		rpt_stack_resolver_next(ahead, &at)
 *	rpt_stack_resolver_free(ahead);
 *
 * In between, the frames belong to that thread.  The caller may read the items
 * and flags of stacks that it got; before, rpt_frames_reserve() must make room
 * for all frames, so that they do not move.
 */
#ifndef RPT_STACK_RESOLVER_H
#define RPT_STACK_RESOLVER_H

#include "report/callchain/stack_frames.h"

struct rpt_stack_resolver_conf {
	struct rpt_frames *frames;
	const struct rpt_profile *profile;
	const uint32_t *stacks; /* numbers in the profile */
	uint32_t nr;
	struct rpt_stack_frames_conf stack;
};

struct rpt_stack_resolver;

struct rpt_stack_resolver *
rpt_stack_resolver_new(const struct rpt_stack_resolver_conf *conf);
/* Safe on NULL. */
void rpt_stack_resolver_free(struct rpt_stack_resolver *ahead);

/* Get the frames of the next stack, valid until the next call; their scope is
 * not set.  Return 0, or the error of rpt_stack_frames_resolve(), after which
 * no stack follows. */
int rpt_stack_resolver_next(struct rpt_stack_resolver *ahead,
			    const struct rpt_stack_frames **ret);

/* Get the frames that rpt_stack_resolver_next() will give after `later` more
 * calls: self, and those of the chain.  Return how many they are; 0 if they are
 * not resolved yet. */
uint32_t rpt_stack_resolver_peek(const struct rpt_stack_resolver *ahead,
				 uint32_t later, const uint32_t **ret);

#endif
