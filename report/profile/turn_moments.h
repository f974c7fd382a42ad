/* turn_moments.h: how many moments of a task's turns samples see.
 *
 * A task turns if a timer wakes it.  Both answers are statistics of numbers
 * alone; phase_lock.c takes these from the records.
 */
#ifndef RPT_TURN_MOMENTS_H
#define RPT_TURN_MOMENTS_H

#include "report/profile/clock_steps.h"

#include <stddef.h>
#include <stdint.h>

enum {
	RPT_INTERVALS_NR = 64, /* between a task's first wakeups */
	RPT_HARMONICS_NR = 8,
	RPT_PLACES_NR = 32,	  /* that a task's code is divided into */
	RPT_IDLE = RPT_PLACES_NR, /* the place of a sample of an idle CPU */
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

struct rpt_moment_sample {
	uint32_t grid; /* of a CPU without a long gap */
	uint32_t tid;
	uint32_t at; /* its number on the grid */
	uint32_t place;
};

/* Return how many moments the samples of a task see; 0: it does not keep step.
 * task has its samples, idle those of its CPU while it was idle, both of one
 * grid and in the order of their numbers. */
uint32_t rpt_sample_moments(const struct rpt_moment_sample *task,
			    size_t task_nr,
			    const struct rpt_moment_sample *idle,
			    size_t idle_nr);

#endif
