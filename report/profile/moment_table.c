#include "report/profile/moment_table.h"

#include "report/profile/clock_steps.h"

#include <math.h>

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

uint32_t rpt_moments_of_samples(const struct rpt_moment_sample *task,
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
