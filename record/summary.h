/* summary.h: what the recorder says when it is done. */
#ifndef REC_SUMMARY_H
#define REC_SUMMARY_H

#include "record/recording.h"

#include <stdio.h>

/* -v, before it starts: each event with what the kernel was asked, the rings.
 */
void rec_summary_print_opened(const struct rec_recording *rec, FILE *out);

/* In perf's manner: how much was written, samples; a line for each CPU that
 * lost something; throttling; what the recorder cost. */
void rec_summary_print(const struct rec_recording *rec, FILE *out);

#endif
