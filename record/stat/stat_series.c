#include "record/stat/stat_series.h"

#include <math.h>

enum { STEP_NR_MAX = 300, HALVINGS = 200, RUNS_MIN_OF_DRIFT = 6 };

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (int m = 1; m <= STEP_NR_MAX; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x /
			     ((a + 2 * m) * (a + 2 * m + 1));
		double factor;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		h *= c * d;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		factor = c * d;
		h *= factor;
		if (fabs(factor - 1) < 1e-14)
			break;
	}
	return h;
}

static double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
		    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double rec_student_tail(double t, double freedom)
{
	return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double rec_student_quantile(double p, double freedom)
{
	double low = 0, high = 1;

	while (rec_student_tail(high, freedom) > p && high < 1e12)
		high *= 2;
	for (int i = 0; i < HALVINGS; i++) {
		double mid = low + (high - low) / 2;

		if (rec_student_tail(mid, freedom) > p)
			low = mid;
		else
			high = mid;
	}
	return high;
}

void rec_series_of(struct rec_series *ret, const double *values, size_t nr)
{
	double squares = 0, half;

	*ret = (struct rec_series){ .nr = nr };
	for (size_t i = 0; i < nr; i++)
		ret->mean += (values[i] - ret->mean) / (double)(i + 1);
	for (size_t i = 0; i < nr; i++)
		squares += (values[i] - ret->mean) * (values[i] - ret->mean);
	ret->low = ret->high = ret->mean;
	if (nr < 2)
		return;
	ret->error = sqrt(squares / (double)(nr - 1) / (double)nr);
	half = ret->error * rec_student_quantile(0.05, (double)(nr - 1));
	ret->low -= half;
	ret->high += half;
	/* A count is never less than nothing. */
	if (ret->low < 0)
		ret->low = 0;
}

double rec_series_noise_pct(const struct rec_series *series)
{
	return series->mean != 0 ? 100 * series->error / fabs(series->mean) : 0;
}

bool rec_series_drifts(const double *values, size_t nr, double *ret_pct)
{
	size_t half = nr / 2;
	struct rec_series first, last;
	double a, b, freedom, t;

	if (nr < RUNS_MIN_OF_DRIFT)
		return false;
	rec_series_of(&first, values, half);
	rec_series_of(&last, values + nr - half, half);
	if (first.mean == 0)
		return false;
	*ret_pct = 100 * (last.mean - first.mean) / first.mean;
	if (fabs(*ret_pct) < 1)
		return false;
	a = first.error * first.error;
	b = last.error * last.error;
	if (a + b <= 0)
		return true; /* two constants that differ */
	freedom = (a + b) * (a + b) / ((a * a + b * b) / (double)(half - 1));
	t = (last.mean - first.mean) / sqrt(a + b);
	return rec_student_tail(t, freedom) < 0.01;
}
