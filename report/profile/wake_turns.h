/* wake_turns.h: whether a task wakes in step with the clock that samples it.
 *
 * The place of a wakeup between two samples is an angle.  If n periods are m
 * turns of the task, n times this angle is the same each time: the resultant
 * vector is long (K. V. Mardia and P. E. Jupp, Directional Statistics, 2000,
 * section 2.3).
 */
#ifndef RPT_WAKE_TURNS_H
#define RPT_WAKE_TURNS_H

#include <stdint.h>

enum {
	RPT_INTERVALS_NR = 64, /* between a task's first wakeups */
	RPT_HARMONICS_NR = 8,
};

/* How a task gets its CPU after it slept; a zeroed one has not. */
struct rpt_wake_turns {
	uint32_t nr;
	uint64_t last_ns;
	uint64_t ran_ns; /* since the first time, by its switches */
	double intervals_ns[RPT_INTERVALS_NR];
	struct {
		double x, y;
	} sums[RPT_HARMONICS_NR];
};

/* Add a wakeup, since_ns after a sample was due. */
void rpt_wake_turns_add(struct rpt_wake_turns *t, uint64_t time_ns,
			uint64_t since_ns, uint64_t period_ns);

/* Return how many moments of the turns of a task samples see; 0: it does not
 * wake in step.  Sorts the intervals. */
uint32_t rpt_wake_turns_moments(struct rpt_wake_turns *t, uint64_t period_ns);

#endif
