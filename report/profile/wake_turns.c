#include "report/profile/wake_turns.h"

#include "report/base/compare.h"
#include "report/profile/clock_steps.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { LEAST_WAKES_NR = 64 };

/* The resultant length of wakeups that keep step, and the part of intervals
 * that are whole turns. */
#define LEAST_RESULTANT 0.8
#define LEAST_REGULAR	0.6

void rpt_wake_turns_add(struct rpt_wake_turns *t, uint64_t time_ns,
			uint64_t since_ns, uint64_t period_ns)
{
	double angle =
		2.0 * M_PI * (double)(since_ns % period_ns) / (double)period_ns;

	if (t->nr && t->nr <= RPT_INTERVALS_NR)
		t->intervals_ns[t->nr - 1] = (double)(time_ns - t->last_ns);
	t->nr++;
	t->last_ns = time_ns;
	for (unsigned m = 1; m <= RPT_HARMONICS_NR; m++) {
		t->sums[m - 1].x += cos(m * angle);
		t->sums[m - 1].y += sin(m * angle);
	}
}

/* Return the length of a task's turns: of its intervals between wakeups one of
 * the shortest, if most others are about multiples of it, as on a busy CPU;
 * else 0. */
static double turn_of(struct rpt_wake_turns *t)
{
	size_t nr = t->nr - 1 < RPT_INTERVALS_NR ? t->nr - 1 : RPT_INTERVALS_NR;
	size_t like_nr = 0;
	double turn_ns;

	qsort(t->intervals_ns, nr, sizeof(*t->intervals_ns),
	      rpt_compare_doubles);
	turn_ns = t->intervals_ns[nr / 10];
	for (size_t i = 0; i < nr && turn_ns > 0; i++) {
		double turns = t->intervals_ns[i] / turn_ns;

		like_nr += fabs(turns - round(turns)) < 0.1;
	}
	return (double)like_nr >= LEAST_REGULAR * (double)nr ? turn_ns : 0;
}

uint32_t rpt_wake_turns_moments(struct rpt_wake_turns *t, uint64_t period_ns)
{
	double turn_ns;

	if (t->nr < LEAST_WAKES_NR)
		return 0;
	turn_ns = turn_of(t);
	for (unsigned m = 1; m <= RPT_HARMONICS_NR && turn_ns > 0; m++) {
		double moments = m * turn_ns / (double)period_ns;

		if (hypot(t->sums[m - 1].x, t->sums[m - 1].y) <
		    LEAST_RESULTANT * t->nr)
			continue;
		return moments < 0.5 || moments > RPT_MOMENTS_MAX + 0.5
			       ? 0
			       : (uint32_t)(moments + 0.5);
	}
	return 0;
}
