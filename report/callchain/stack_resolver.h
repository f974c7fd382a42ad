/* stack_resolver.h: stacks resolved by a thread of its own, some ahead of the
 * one that makes rows of them.  Both wait for memory most of the time.  (What
 * runs beside what when all rows are there: print_pipeline.h.)
 *
 *	ahead = rpt_stack_resolver_new(&conf);
 *	for each of conf.stacks:
 *		rpt_stack_resolver_next(ahead, &at)
 *	rpt_stack_resolver_free(ahead);
 *
 * Until then the frames are the thread's: of them the caller may read the items
 * and briefs of the stacks that it got; nothing may move them: room for all was
 * made before (rpt_frames_reserve()).
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

/* NULL: no thread, or no memory for it. */
struct rpt_stack_resolver *
rpt_stack_resolver_new(const struct rpt_stack_resolver_conf *conf);
void rpt_stack_resolver_free(struct rpt_stack_resolver *ahead);

/* The next stack's frames, but for their scope, valid until the next call.  0,
 * or what rpt_stack_frames_resolve() said of it, which ends it. */
int rpt_stack_resolver_next(struct rpt_stack_resolver *ahead,
			    const struct rpt_stack_frames **ret);

#endif
