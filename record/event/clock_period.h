/* clock_period.h: periods of clock events that do not lock to a timer.
 *
 * The kernel turns the frequency of cpu-clock and task-clock into a fixed
 * period when the event is opened (kernel/events/core.c,
 * perf_swevent_init_hrtimer(), 6.1).  1 s / frequency divides the periods of
 * timers by which programs wake: each sample then sees the same moment of a
 * program's turn, whatever else it does.
 *
 * The n-th sample falls at n * period of a timer's turn, modulo the turn.  How
 * evenly is the discrepancy of these phases: the largest error of the share of
 * any first part of the turn.  It follows from the continued fraction of
 * period / turn and from the Ostrowski digits of the number of samples
 * (L. Kuipers and H. Niederreiter, Uniform Distribution of Sequences, 1974,
 * chapter 2, section 3).
 */
#ifndef REC_CLOCK_PERIOD_H
#define REC_CLOCK_PERIOD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* Return whether it is cpu-clock or task-clock. */
bool rec_is_clock(const struct perf_event_attr *attr);

/* Return about the discrepancy, 0 to 1, of nr samples over turns of a timer. */
double rec_clock_discrepancy(uint64_t period_ns, uint64_t turn_ns, uint64_t nr);

/* Return one of the periods from 1 s / freq_hz to 4 % more, in ns, whose
 * samples of half a second to five are spread evenly over the turns of common
 * timers; another one for each number nth modulo REC_CLOCK_PERIOD_NR. */
enum { REC_CLOCK_PERIOD_NR = 64 };
uint64_t rec_clock_period(uint64_t freq_hz, uint32_t nth);

#endif
