#include "report/profile/turn_moments.h"

#include "report/base/compare.h"

#include <math.h>
#include <stdlib.h>

/* Wakeups of a task in step with the clock that samples it.
 *
 * The place of a wakeup between two samples is an angle.  If n periods are m
 * turns of the task, n times this angle is the same each time: the resultant
 * vector is long (K. V. Mardia and P. E. Jupp, Directional Statistics, 2000,
 * section 2.3). */

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
		return moments < 0.5 || moments > (double)RPT_MOMENTS_MAX + 0.5
			       ? 0
			       : (uint32_t)(moments + 0.5);
	}
	return 0;
}

/* Samples of a task that depend on their number.
 *
 * Samples are numbered on the grid of their clock.  If each n-th one sees the
 * task at the same moment of its turns, the table of its samples by number
 * modulo n and by place differs from what rows and columns give, and it does so
 * alike in both halves, which take turns.  A task that changes what it does,
 * but in no step with the clock, differs in each half in another way, or is
 * seen at all moments in time. */

enum {
	COLUMNS_NR = RPT_IDLE + 1,
	LEAST_NR = 200,	      /* samples of a task */
	LEAST_MOMENT_NR = 16, /* of them at each moment */
	BLOCK_TURNS = 4,      /* one half has, then the other */
};

/* The least of a task that keeps step: the part of its samples that is at other
 * moments than evenly, how alike both halves are in it, and how far beyond
 * chance that is, in standard deviations. */
#define LEAST_MOVED	0.1
#define LEAST_LIKENESS	0.7
#define LEAST_DEVIATION 10.0

/* Samples of a task, and of its CPU while it was idle, by moment and by place;
 * apart for both halves, which take turns: the moments drift slowly. */
struct table {
	uint32_t nr[2][RPT_MOMENTS_MAX][COLUMNS_NR];
};

static void fill(struct table *t, const struct rpt_moment_sample *samples,
		 size_t nr, uint32_t moments)
{
	for (size_t i = 0; i < nr; i++) {
		uint32_t at = samples[i].at;

		t->nr[at / moments / BLOCK_TURNS % 2][at % moments]
		     [samples[i].place]++;
	}
}

struct likeness {
	double cosine;	  /* between the halves, less what is even */
	double deviation; /* of their product, in standard deviations */
	double moved;	  /* the part of the task's samples that is not even */
};

static struct likeness compare_halves(const struct table *t, uint32_t moments)
{
	double columns[2][COLUMNS_NR] = { { 0 } };
	double rows[2][RPT_MOMENTS_MAX] = { { 0 } }, sums[2] = { 0, 0 };
	double product = 0, squares[2] = { 0, 0 }, chance = 0, moved = 0;

	for (unsigned h = 0; h < 2; h++)
		for (uint32_t m = 0; m < moments; m++)
			for (unsigned c = 0; c < COLUMNS_NR; c++) {
				rows[h][m] += t->nr[h][m][c];
				columns[h][c] += t->nr[h][m][c];
				sums[h] += t->nr[h][m][c];
			}
	if (sums[0] <= columns[0][RPT_IDLE] || sums[1] <= columns[1][RPT_IDLE])
		return (struct likeness){ 0 };
	for (uint32_t m = 0; m < moments; m++)
		for (unsigned c = 0; c < COLUMNS_NR; c++) {
			double even[2], off[2];

			for (unsigned h = 0; h < 2; h++) {
				even[h] = rows[h][m] * columns[h][c] / sums[h];
				off[h] = t->nr[h][m][c] - even[h];
				squares[h] += off[h] * off[h];
			}
			product += off[0] * off[1];
			chance += even[0] * even[1];
			moved += copysign(fmin(fabs(off[0]), fabs(off[1])),
					  off[0] * off[1]);
		}
	return (struct likeness){
		.cosine = squares[0] > 0 && squares[1] > 0
				  ? product / sqrt(squares[0] * squares[1])
				  : 0,
		.deviation = chance > 0 ? product / sqrt(chance) : 0,
		.moved = moved / 2 /
			 fmin(sums[0] - columns[0][RPT_IDLE],
			      sums[1] - columns[1][RPT_IDLE]),
	};
}

uint32_t rpt_sample_moments(const struct rpt_moment_sample *task,
			    size_t task_nr,
			    const struct rpt_moment_sample *idle,
			    size_t idle_nr)
{
	uint32_t best = 0;
	double most = 0;

	for (uint32_t n = 2; n <= RPT_MOMENTS_MAX; n++) {
		struct table t = { 0 };
		struct likeness l;

		if (task_nr < LEAST_NR || task_nr / n < LEAST_MOMENT_NR)
			break;
		fill(&t, task, task_nr, n);
		fill(&t, idle, idle_nr, n);
		l = compare_halves(&t, n);
		/* multiples of n see the same */
		if (l.cosine >= LEAST_LIKENESS && l.moved >= LEAST_MOVED &&
		    l.deviation >= LEAST_DEVIATION && l.moved > 1.2 * most) {
			best = n;
			most = l.moved;
		}
	}
	return best;
}
