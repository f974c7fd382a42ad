#include "report/stats/t_test.h"

#include "report/base/compare.h"

#include <math.h>
#include <stdlib.h>

#define LENTZ_STEPS 400
#define LENTZ_TINY  1e-300
#define LENTZ_EPS   1e-15

/* Used instead of infinity. */
#define DF_INFINITE 1e5

/* A sum of squares around a mean is known to this part of the squares. */
#define ROUNDING 1e-13

static double not_zero(double v)
{
	return fabs(v) < LENTZ_TINY ? LENTZ_TINY : v;
}

/* Return the continued fraction of DLMF 8.17.22, which converges fast for
 * x < (a+1)/(a+b+2). */
static double beta_fraction(double x, double a, double b)
{
	double c = 1.0;
	double d = 1.0 / not_zero(1.0 - (a + b) * x / (a + 1.0));
	double f = d;

	for (int m = 1; m <= LENTZ_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x /
			     ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1.0 / not_zero(1.0 + even * d);
		c = not_zero(1.0 + even / c);
		f *= c * d;
		d = 1.0 / not_zero(1.0 + odd * d);
		c = not_zero(1.0 + odd / c);
		step = c * d;
		f *= step;
		if (fabs(step - 1.0) < LENTZ_EPS)
			break;
	}
	return f;
}

/* The same as lgamma(), which writes a global. */
static double log_gamma(double v)
{
	int sign;

	return lgamma_r(v, &sign);
}

/* I_x(a, b) */
static double beta_regularized(double x, double a, double b)
{
	double front;

	if (x <= 0.0)
		return 0.0;
	if (x >= 1.0)
		return 1.0;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) +
		    a * log(x) + b * log1p(-x));
	if (x < (a + 1.0) / (a + b + 2.0))
		return front * beta_fraction(x, a, b) / a;
	return 1.0 - front * beta_fraction(1.0 - x, b, a) / b;
}

double rpt_t_test_two_sided(double t, double df)
{
	return beta_regularized(df / (df + t * t), df / 2.0, 0.5);
}

double rpt_f_above(double f, double a, double b)
{
	b = fmin(b, DF_INFINITE);
	return beta_regularized(b / (b + a * f), b / 2.0, a / 2.0);
}

double rpt_t_test_critical(double p, double df)
{
	double low = 0.0;
	double high = 1.0;

	while (rpt_t_test_two_sided(high, df) > p && high < 1e300)
		high *= 2.0;
	for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
		double mid = (low + high) / 2.0;

		if (rpt_t_test_two_sided(mid, df) > p)
			low = mid;
		else
			high = mid;
	}
	return (low + high) / 2.0;
}

double rpt_welch_df(double var_a, double df_a, double var_b, double df_b)
{
	double sum = var_a + var_b;
	double down = var_a * var_a / df_a + var_b * var_b / df_b;

	return down > 0.0 ? sum * sum / down : fmin(df_a, df_b);
}

void rpt_pairs_add(struct rpt_pairs *pairs, double a, double b)
{
	pairs->nr++;
	pairs->a += a;
	pairs->b += b;
	pairs->a_squares += a * a;
	pairs->b_squares += b * b;
	pairs->products += a * b;
}

/* Return a sum of squares around the mean, 0 if all of it may be rounding. */
static double around_mean(double sum, double squares, double nr)
{
	double around = squares - sum * sum / nr;

	return around > ROUNDING * squares ? around : 0.0;
}

double rpt_pair_correlation(const struct rpt_pairs *pairs)
{
	double a, b, both;

	if (pairs->nr <= 1.0)
		return 0.0;
	a = around_mean(pairs->a, pairs->a_squares, pairs->nr);
	b = around_mean(pairs->b, pairs->b_squares, pairs->nr);
	both = pairs->products - pairs->a * pairs->b / pairs->nr;
	if (a <= 0.0 || b <= 0.0)
		return 0.0;
	return fmin(1.0, fmax(-1.0, both / sqrt(a * b)));
}

double rpt_pair_covariance(const struct rpt_pairs *pairs, double var_a,
			   double nr_a, double var_b, double nr_b)
{
	return rpt_pair_correlation(pairs) * sqrt(var_a * var_b) * pairs->nr /
	       sqrt(nr_a * nr_b);
}

double rpt_pair_df(const struct rpt_pairs *pairs, double nr_a, double nr_b,
		   double welch)
{
	double nr = pairs->nr, single = nr_a + nr_b - 2.0 * nr;

	if (nr <= 1.0)
		return welch;
	return nr - 1.0 + (welch - nr + 1.0) * single / (nr_a + nr_b);
}

void rpt_benjamini_hochberg(const double *p, size_t nr, double rate,
			    double *scratch, bool *ret_significant)
{
	size_t tests_nr = 0;
	double cut = -1.0;

	for (size_t i = 0; i < nr; i++) {
		if (!isnan(p[i]))
			scratch[tests_nr++] = p[i];
	}
	qsort(scratch, tests_nr, sizeof(*scratch), rpt_compare_doubles);
	for (size_t k = tests_nr; k > 0 && cut < 0.0; k--) {
		if (scratch[k - 1] <= rate * (double)k / (double)tests_nr)
			cut = scratch[k - 1];
	}
	for (size_t i = 0; i < nr; i++)
		ret_significant[i] = !isnan(p[i]) && p[i] <= cut;
}
