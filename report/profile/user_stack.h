/* user_stack.h: the user part of a call chain, out of a sample's stack copy. */
#ifndef RPT_USER_STACK_H
#define RPT_USER_STACK_H

#include "report/events/sample_reader.h"
#include "report/unwind/unwind.h"

#define RPT_USER_STACK_FRAMES 127u /* as many as perf shows */

/* The mark in front of unwound frames; no kernel writes it. */
#define RPT_CONTEXT_UNWOUND ((uint64_t)-4000)

/* Write RPT_CONTEXT_UNWOUND and the frames, innermost first, to chain, which
 * has room for RPT_USER_STACK_FRAMES + 1; return how many words.  0: nothing
 * was captured.  Frames that were unwound when the file was made are copied;
 * unwind may be NULL if there is no stack copy. */
uint32_t rpt_user_stack_frames(struct rpt_unwind *unwind,
			       const struct rpt_timeline *timeline,
			       const struct rpt_sample *sample,
			       uint64_t *chain);

/* Says on stderr how many stack copies of the file were too short, if any. */
void rpt_user_stack_warn(const char *path, const struct rpt_unwind *unwind);

#endif
