/* clock_steps.h: whether the period of a clock event goes into the turns of a
 * common timer.
 *
 * If n periods are m turns of a timer, samples see n moments of each turn of a
 * program that it wakes, however long they are taken (phase_lock.h).
 */
#ifndef RPT_CLOCK_STEPS_H
#define RPT_CLOCK_STEPS_H

#include "format/reader/reader.h"

#include <stdbool.h>

/* With more moments a share is wrong by less than chance makes it. */
enum { RPT_MOMENTS_MAX = 8 };

/* Clocks are looked at for so long, and no sample stands for more. */
#define RPT_LOCK_SPAN_NS UINT64_C(5000000000)

/* A clock event of constant period. */
struct rpt_clock_steps {
	uint32_t event_idx;
	uint64_t period_ns;
	uint64_t turn_ns; /* of a common timer */
	uint32_t moments; /* of its turns that samples see */
};

/* Return how many moments of a turn samples of this period see within
 * RPT_LOCK_SPAN_NS; 0: more than RPT_MOMENTS_MAX. */
uint32_t rpt_clock_moments(uint64_t period_ns, uint64_t turn_ns);

/* Return the period of a sample of a clock event in ns. */
uint64_t rpt_clock_sample_period(const struct pd_event *event,
				 const struct pd_sample *sample);

/* Find a clock event that sees few moments of the turns of a common timer, the
 * one whose samples come first.  Its period is that of its first sample: the
 * attr of what perfpair-record writes has the rate that was asked for. */
bool rpt_clock_steps_find(struct pd_reader *reader,
			  struct rpt_clock_steps *ret);

/* Say what rpt_clock_steps_find() finds; NULL: nothing. */
enum { RPT_STEPS_TEXT_LEN = 160 };
const char *rpt_clock_steps_text(struct pd_reader *reader,
				 char buf[RPT_STEPS_TEXT_LEN]);

#endif
