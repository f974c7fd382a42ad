/* summary.h: what the recorder prints when it ends. */
#ifndef REC_SUMMARY_H
#define REC_SUMMARY_H

#include "record/recording/recording.h"

#include <stdio.h>

/* -v, before it starts: print each event with its attr, and the rings. */
void rec_summary_print_opened(const struct rec_recording *rec, FILE *out);

/* Print in perf's style how much was written, with samples, or why there are
 * none; what was lost where and when; then the cost. */
void rec_summary_print(struct rec_recording *rec, FILE *out);

/* Print how to read what was written; nothing of a pipe, of several files, or
 * without samples. */
void rec_summary_print_next(const struct rec_recording *rec, FILE *out);

/* Print the cost so far: CPU, memory, wake-ups, ratio, and spare memory,
 * throttling or lowered rates if there were any.  At the end, and on SIGUSR1,
 * while others drain. */
void rec_summary_print_cost(struct rec_recording *rec, FILE *out);

/* Return how many samples were lost in all files so far, or records of maps and
 * tasks (side_band). */
uint64_t rec_summary_lost(const struct rec_recording *rec, bool side_band);

#endif
