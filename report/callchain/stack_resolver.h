/* stack_resolver.h: stacks resolved by a thread of its own, ahead of the thread
 * that makes rows of them.  (By two threads `report` of 120,000 stacks with
 * children takes three quarters of the time.)
 *
 *	ahead = rpt_stack_resolver_new(&conf);
 *	for each of conf.stacks:
 *		rpt_stack_resolver_next(ahead, &at)
 *	rpt_stack_resolver_free(ahead);
 *
 * Until then the frames belong to the thread.  The caller may read the items
 * and flags of stacks that it got; rpt_frames_reserve() has to make room for
 * all of them before, so that they do not move.
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

/* Get the next stack's frames, valid until the next call; their scope is not
 * set.  Return 0, or what rpt_stack_frames_resolve() returned, which is the
 * end. */
int rpt_stack_resolver_next(struct rpt_stack_resolver *ahead,
			    const struct rpt_stack_frames **ret);

/* Return the frames of the stack that comes so many calls of
 * rpt_stack_resolver_next() later, and how many they are: self, and those of
 * the chain.  0: it is not there yet. */
uint32_t rpt_stack_resolver_peek(const struct rpt_stack_resolver *ahead,
				 uint32_t later, const uint32_t **ret);

#endif
