/* summary.h: what the recorder says when it is done. */
#ifndef REC_SUMMARY_H
#define REC_SUMMARY_H

#include "record/recording/recording.h"

#include <stdio.h>

/* -v, before it starts: each event with what the kernel was asked, the rings.
 */
void rec_summary_print_opened(const struct rec_recording *rec, FILE *out);

/* In perf's manner: how much was written, samples; what was lost where and
 * when; then the cost. */
void rec_summary_print(struct rec_recording *rec, FILE *out);

/* What the recorder cost so far: CPU, memory, wake-ups, ratio; where spare
 * memory was used, the kernel throttled or rates were lowered, that.  At the
 * end, and on SIGUSR1, while others drain. */
void rec_summary_print_cost(struct rec_recording *rec, FILE *out);

#endif
