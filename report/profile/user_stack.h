/* user_stack.h: the user part of a call chain, out of a sample's stack copy. */
#ifndef RPT_USER_STACK_H
#define RPT_USER_STACK_H

#include "format/sample.h"
#include "report/timeline/timeline.h"
#include "report/unwind/unwind.h"

#define RPT_USER_STACK_FRAMES 127u /* as many as perf shows */

/* The mark in front of unwound frames; no kernel writes it. */
#define RPT_CONTEXT_UNWOUND ((uint64_t)-4000)

struct rpt_user_stack {
	const struct rpt_timeline *timeline;
	const struct rpt_task_ref *ref;
	struct rpt_timestamp when;
};

/* Writes RPT_CONTEXT_UNWOUND and the frames, innermost first, to chain, which
 * has room for RPT_USER_STACK_FRAMES + 1; returns how many words.  0: nothing
 * was captured. */
uint32_t rpt_user_stack_unwind(struct rpt_unwind *unwind,
			       const struct rpt_user_stack *at,
			       const struct pd_sample *sample, bool swap,
			       uint64_t *chain);

/* Says on stderr how many stack copies of the file were too short, if any. */
void rpt_user_stack_tell(const char *path, const struct rpt_unwind *unwind);

#endif
