/* self_usage.h: what the recorder itself costs, so far or in total. */
#ifndef REC_SELF_USAGE_H
#define REC_SELF_USAGE_H

#include "record/recording/file.h"
#include "record/recording/session.h"

/* Fill *ret; safe while others drain. */
void rec_self_usage_read(const struct rec_session *session,
			 struct rec_file *file,
			 const struct rec_drain_schedule *schedule,
			 struct pd_trailer_cost *ret);

/* Return kernel.perf_event_max_sample_rate, 0 if it cannot be read. */
uint64_t rec_max_sample_rate(void);

#endif
