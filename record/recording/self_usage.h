/* self_usage.h: what the recorder itself costs, so far or in all. */
#ifndef REC_SELF_USAGE_H
#define REC_SELF_USAGE_H

#include "record/recording/recording.h"

#include <stdio.h>

/* May be called while others drain. */
void rec_self_usage_read(struct rec_recording *rec,
			 struct pd_trailer_cost *ret);

/* kernel.perf_event_max_sample_rate; 0: it cannot be read. */
uint64_t rec_max_sample_rate(void);

#endif
