#include "report/block_ratio.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Neighbours that correlate by more standard errors than this are too close
 * to each other. */
#define Z_CORRELATED 1.0

/* Beyond it the run is too short to tell. */
#define CORRELATION_MAX 0.9

/* Of what blocks scatter; less is hardly ever true. */
#define INFLATION_MIN 0.5

struct residuals {
	double e[RPT_BLOCKS_MAX];
	size_t nr;
	double squares; /* sum of e^2 */
	double fourths; /* sum of e^4 */
};

static void residuals_sum(struct residuals *r)
{
	r->squares = 0.0;
	r->fourths = 0.0;
	for (size_t i = 0; i < r->nr; i++) {
		double square = r->e[i] * r->e[i];

		r->squares += square;
		r->fourths += square * square;
	}
}

/* Correlation of neighbours; the residuals sum to 0. */
static double neighbours(const struct residuals *r)
{
	double sum = 0.0;

	for (size_t i = 0; i + 1 < r->nr; i++)
		sum += r->e[i] * r->e[i + 1];
	return r->squares > 0.0 ? sum / r->squares : 0.0;
}

static void join_pairs(struct residuals *r)
{
	size_t nr = r->nr / 2;

	for (size_t i = 0; i < nr; i++)
		r->e[i] = r->e[2 * i] + r->e[2 * i + 1];
	if (r->nr % 2) /* no part of the run is left out */
		r->e[nr - 1] += r->e[r->nr - 1];
	r->nr = nr;
	residuals_sum(r);
}

/* Var(sum e^2) / E^2 is 2 / df for normal residuals, for which sum(e^4) is 3 /
 * nr of sum(e^2)^2; a few large ones among zeros make it larger. */
static double freedom(const struct residuals *r)
{
	double most = (double)r->nr - 1.0;
	double df = most;

	if (r->fourths > 0.0)
		df = 3.0 * r->squares * r->squares / r->fourths - 1.0;
	return fmax(1.0, fmin(df, most));
}

/* One length of blocks: the variance of sum(e), and its degrees of freedom. */
struct estimate {
	double variance;
	double df;
};

static struct estimate estimate_of(const struct residuals *r)
{
	double nr = (double)r->nr;
	struct estimate e = { r->squares * nr / (nr - 1.0), freedom(r) };
	double left;

	if (r->nr < RPT_BLOCKS_MIN) /* too few to correlate */
		return e;
	left = (neighbours(r) * nr + 1.0) / (nr - 3.0);
	left = fmax(-CORRELATION_MAX, fmin(left, CORRELATION_MAX));
	/* (1 + left) / (1 - left), at the mean as large as in truth */
	e.variance *=
		fmax(INFLATION_MIN, exp(2.0 * atanh(left) - 2.0 / (nr - 3.0)));
	/* the correlation is uncertain too */
	e.df = 1.0 / (1.0 / e.df + 2.0 / (nr * (1.0 - left * left)));
	e.df = fmax(1.0, e.df);
	return e;
}

static bool is_too_short(const struct residuals *r)
{
	return r->nr >= 2 * (size_t)RPT_BLOCKS_MIN &&
	       neighbours(r) > Z_CORRELATED / sqrt((double)r->nr);
}

/* The degrees of freedom of the average of several lengths are more than those
 * of the longest, fewer than those of the shortest: their geometric mean, which
 * keeps the levels in simulation. */
static struct rpt_scatter_sum average(struct residuals *r)
{
	double variance = 0.0;
	double log_df = 0.0;
	double nr = 0.0;

	while (is_too_short(r))
		join_pairs(r);
	for (;;) {
		struct estimate e = estimate_of(r);

		variance += e.variance;
		log_df += log(e.df);
		nr += 1.0;
		if (r->nr < 2 * (size_t)RPT_BLOCKS_MIN)
			break;
		join_pairs(r);
	}
	return (struct rpt_scatter_sum){ variance / nr, exp(log_df / nr) };
}

double rpt_block_residuals(const double *x, const double *d, size_t nr,
			   double *e)
{
	double x_sum = 0.0;
	double d_sum = 0.0;

	for (size_t i = 0; i < nr; i++) {
		x_sum += x[i];
		d_sum += d[i];
	}
	if (d_sum <= 0.0)
		return NAN;
	for (size_t i = 0; i < nr; i++)
		e[i] = (x[i] - x_sum / d_sum * d[i]) / d_sum;
	return x_sum / d_sum;
}

/* What lies between from and to, counted in stages, goes to them by length. */
static void spread(double from, double to, double e, double *stages)
{
	size_t last = RPT_BLOCKS_MAX - 1;
	size_t stage = from < (double)last ? (size_t)from : last;
	double at = from;

	for (; stage < last && to > (double)stage + 1.0; stage++) {
		double end = (double)stage + 1.0;

		stages[stage] += e * (end - at) / (to - from);
		at = end;
	}
	stages[stage] += to > from ? e * (to - at) / (to - from) : e;
}

void rpt_block_stages(const double *e, const double *samples, double weight,
		      double *ret)
{
	double sum = 0.0;
	double before = 0.0;

	for (size_t i = 0; i < RPT_BLOCKS_MAX; i++)
		sum += samples[i];
	if (sum <= 0.0)
		return;
	for (size_t i = 0; i < RPT_BLOCKS_MAX; i++) {
		double after = before + samples[i] * RPT_BLOCKS_MAX / sum;

		spread(before, after, weight * e[i], ret);
		before = after;
	}
}

struct rpt_scatter_sum rpt_block_scatter(const double *e, size_t nr)
{
	struct residuals r = { .nr = nr };

	assert(nr <= RPT_BLOCKS_MAX);
	if (nr < 2)
		return (struct rpt_scatter_sum){ NAN, 1.0 };
	memcpy(r.e, e, nr * sizeof(*e));
	residuals_sum(&r);
	return average(&r);
}
