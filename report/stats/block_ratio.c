#include "report/stats/block_ratio.h"

#include "report/stats/t_test.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define HALF (RPT_BLOCKS_MAX / 2)

/* Below it the slower half of the waves is weaker beyond chance. */
#define P_WEAKER 0.05

/* The first halves of the waves, by number - 1.  The second half is the first
 * in reverse, with the other sign if the number is odd. */
static double waves[RPT_WAVES_MAX][HALF];
static pthread_once_t waves_once = PTHREAD_ONCE_INIT;

static void set_waves(void)
{
	for (size_t j = 0; j < RPT_WAVES_MAX; j++) {
		for (size_t t = 0; t < HALF; t++)
			waves[j][t] = cos(M_PI * ((double)j + 1.0) *
					  ((double)t + 0.5) / RPT_BLOCKS_MAX);
	}
}

/* Set ret to the estimates of the variance of sum(e), one by each wave. */
static void powers_of(const double *e, double *ret)
{
	double even[HALF], odd[HALF];

	pthread_once(&waves_once, set_waves);
	for (size_t t = 0; t < HALF; t++) {
		even[t] = e[t] + e[RPT_BLOCKS_MAX - 1 - t];
		odd[t] = e[t] - e[RPT_BLOCKS_MAX - 1 - t];
	}
	for (size_t j = 0; j < RPT_WAVES_MAX; j++) {
		const double *part = j % 2 ? even : odd; /* number is j + 1 */
		double sum = 0.0;

		for (size_t t = 0; t < HALF; t++)
			sum += part[t] * waves[j][t];
		ret[j] = 2.0 * sum * sum;
	}
}

static double mean(const double *values, size_t nr)
{
	double sum = 0.0;

	for (size_t i = 0; i < nr; i++)
		sum += values[i];
	return sum / (double)nr;
}

/* Return how many waves, from the slowest on, are about equally strong. */
static size_t waves_nr(const double *powers)
{
	size_t nr = RPT_WAVES_MAX;

	for (; nr > RPT_WAVES_MIN; nr /= 2) {
		double half = (double)nr / 2.0;
		double slow = mean(powers, nr / 2);
		double fast = mean(powers + nr / 2, nr / 2);

		if (slow <= fast &&
		    (fast <= 0.0 ||
		     rpt_f_above(slow / fast, half, half) <= 1.0 - P_WEAKER))
			break;
	}
	return nr;
}

/* Return the average of the estimates by the first nr waves, by half of them
 * ... */
static struct rpt_scatter_sum average(const double *powers, size_t nr)
{
	double weights[RPT_WAVES_MAX] = { 0 };
	struct rpt_scatter_sum s = { 0.0, 0.0 };
	double band_nr = 0.0, squares = 0.0;

	for (size_t n = nr; n >= RPT_WAVES_MIN; n /= 2) {
		band_nr += 1.0;
		for (size_t j = 0; j < n; j++)
			weights[j] += 1.0 / (double)n;
	}
	for (size_t j = 0; j < nr; j++) {
		double weight = weights[j] / band_nr;

		s.variance += weight * powers[j];
		squares += weight * weight;
	}
	s.df = 1.0 / squares;
	return s;
}

/* Return what the inverse of the degrees of freedom of a sum of nr squares
 * grows by if its terms are not normal ones: for these Var(sum e^2) / E^2 is 2
 * / df, and sum(e^4) is 3 / nr of sum(e^2)^2; a few large terms make it larger.
 */
static double lumps_of(const double *e, size_t nr)
{
	double squares = 0.0, fourths = 0.0, most = (double)nr - 1.0;

	for (size_t i = 0; i < nr; i++) {
		double square = e[i] * e[i];

		squares += square;
		fourths += square * square;
	}
	if (fourths <= 0.0)
		return 0.0;
	return 1.0 / fmax(1.0,
			  fmin(most, 3.0 * squares * squares / fourths - 1.0)) -
	       1.0 / most;
}

/* The same of e in longer blocks: about two for each degree of freedom. */
static double lumps_at(const double *e, double df)
{
	double joined[RPT_BLOCKS_MAX];
	size_t nr = RPT_BLOCKS_MAX;

	memcpy(joined, e, sizeof(joined));
	for (; (double)nr > 2.0 * df; nr /= 2) {
		for (size_t i = 0; i < nr / 2; i++)
			joined[i] = joined[2 * i] + joined[2 * i + 1];
	}
	return lumps_of(joined, nr);
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

/* Divide a value among the stages between from and to, by length. */
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

struct rpt_scatter_sum rpt_block_scatter(const double *e)
{
	double powers[RPT_WAVES_MAX];
	struct rpt_scatter_sum s;

	powers_of(e, powers);
	s = average(powers, waves_nr(powers));
	s.df = fmax(1.0, 1.0 / (1.0 / s.df + lumps_at(e, s.df)));
	return s;
}
