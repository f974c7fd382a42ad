/* stacks_ahead.h: stacks resolved by a thread of its own, some ahead of the one
 * that makes rows of them.  Both wait for memory most of the time.  (What runs
 * beside what when all rows are there: out_steps.h.)
 *
 *	ahead = rpt_stacks_ahead_new(&conf);
 *	for each of conf.stacks:
 *		rpt_stacks_ahead_next(ahead, &at)
 *	rpt_stacks_ahead_free(ahead);
 *
 * Until then the frames are the thread's: of them the caller may read the items
 * and briefs of the stacks that it got; nothing may move them: room for all was
 * made before (rpt_frames_reserve()).
 */
#ifndef RPT_STACKS_AHEAD_H
#define RPT_STACKS_AHEAD_H

#include "report/callchain/stack_frames.h"

struct rpt_stacks_ahead_conf {
	struct rpt_frames *frames;
	const struct rpt_profile *profile;
	const uint32_t *stacks; /* numbers in the profile */
	uint32_t nr;
	struct rpt_stack_frames_conf stack;
};

struct rpt_stacks_ahead;

/* NULL: no thread, or no memory for it. */
struct rpt_stacks_ahead *
rpt_stacks_ahead_new(const struct rpt_stacks_ahead_conf *conf);
void rpt_stacks_ahead_free(struct rpt_stacks_ahead *ahead);

/* The next stack's frames, but for their scope, valid until the next call.  0,
 * or what rpt_stack_frames_resolve() said of it, which ends it. */
int rpt_stacks_ahead_next(struct rpt_stacks_ahead *ahead,
			  const struct rpt_stack_frames **ret);

/* Of the stack that comes nr behind the next one; nr 0: it is not known yet. */
struct rpt_stack_places
rpt_stacks_ahead_peek(const struct rpt_stacks_ahead *ahead, uint32_t nr);

#endif
