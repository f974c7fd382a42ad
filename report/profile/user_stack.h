/* user_stack.h: the user frames of a sample, unwound from its stack copy. */
#ifndef RPT_USER_STACK_H
#define RPT_USER_STACK_H

#include "report/events/sample_reader.h"
#include "report/unwind/unwind.h"

#define RPT_USER_STACK_FRAMES 127u /* as many as perf shows */

/* Stands in front of unwound frames, like PERF_CONTEXT_USER in front of
 * recorded ones; no kernel writes it. */
#define RPT_CONTEXT_UNWOUND ((uint64_t)-4000)

/* Write RPT_CONTEXT_UNWOUND and the user frames of sample, innermost first, to
 * chain, which has room for RPT_USER_STACK_FRAMES + 1 words.  Return the number
 * of words; 0 if sample has neither a stack copy nor unwound frames.  Frames
 * that perfpair unwind has stored are copied; unwind may be NULL if there is no
 * stack copy. */
uint32_t rpt_user_stack_frames(struct rpt_unwind *unwind,
			       const struct rpt_timeline *timeline,
			       const struct rpt_sample *sample,
			       uint64_t *chain);

/* Print to stderr how many stack copies of the file were too short, if any. */
void rpt_user_stack_warn(const char *path, const struct rpt_unwind *unwind);

#endif
