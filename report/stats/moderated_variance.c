#include "report/stats/moderated_variance.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/stats/t_test.h"

#include "format/base/search.h"

#include <math.h>
#include <stdlib.h>

/* From here on the series below are exact to 1e-12. */
#define SERIES_FROM 12.0

/* The least ratio, as a part of the median: 0 has no logarithm. */
#define RATIO_MIN 1e-5

double rpt_digamma(double x)
{
	double sum = 0.0;
	double y;

	while (x < SERIES_FROM) { /* Abramowitz and Stegun 6.3.5 */
		sum -= 1.0 / x;
		x += 1.0;
	}
	y = 1.0 / (x * x); /* 6.3.18 */
	return sum + log(x) - 0.5 / x -
	       y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y / 240)));
}

double rpt_trigamma(double x)
{
	double sum = 0.0;
	double y;

	while (x < SERIES_FROM) { /* 6.4.6 */
		sum += 1.0 / (x * x);
		x += 1.0;
	}
	y = 1.0 / (x * x); /* 6.4.12 */
	return sum + 1.0 / x + 0.5 * y +
	       y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y / 30)));
}

/* 1/x < psi'(x) < 1/x + 1/x^2 */
double rpt_trigamma_inverse(double y)
{
	double low = 1.0 / y;
	double high = 0.5 / y + sqrt(0.25 / (y * y) + 1.0 / y);

	for (int i = 0; i < 200 && high - low > 1e-13 * high; i++) {
		double mid = (low + high) / 2.0;

		if (rpt_trigamma(mid) > y)
			low = mid;
		else
			high = mid;
	}
	return (low + high) / 2.0;
}

static double ratio_of(const struct rpt_row_variance *row)
{
	return row->variance / row->expected;
}

/* Return the ratios of the witnesses, sorted; the caller frees them. */
static double *sorted_ratios(const struct rpt_row_variance *rows, size_t nr,
			     size_t *ret_nr)
{
	double *ratios = rpt_alloc((nr + 1) * sizeof(*ratios));

	*ret_nr = 0;
	for (size_t i = 0; i < nr; i++) {
		if (rows[i].is_witness)
			ratios[(*ret_nr)++] = ratio_of(&rows[i]);
	}
	qsort(ratios, *ret_nr, sizeof(*ratios), rpt_compare_doubles);
	return ratios;
}

static double median(const double *sorted, size_t nr)
{
	return (sorted[(nr - 1) / 2] + sorted[nr / 2]) / 2.0;
}

/* Return log(x) without the bias that few degrees of freedom give it. */
static double log_free(double x, double df)
{
	return log(x) - rpt_digamma(df / 2.0) + log(df / 2.0);
}

/* Return the prior by Smyth 2004, 6.2; sorted: the ratios of the witnesses. */
static struct rpt_prior fit(const struct rpt_row_variance *rows, size_t nr,
			    const double *sorted, size_t sorted_nr)
{
	double n = (double)sorted_nr;
	double sum = 0.0, mean = 0.0, squares = 0.0, own = 0.0, df, least;

	if (sorted_nr < 2 || median(sorted, sorted_nr) <= 0.0)
		return (struct rpt_prior){ 1.0, 0.0 };
	least = RATIO_MIN * median(sorted, sorted_nr);
	for (size_t i = 0; i < nr; i++) {
		if (!rows[i].is_witness)
			continue;
		sum += ratio_of(&rows[i]);
		mean += log_free(fmax(least, ratio_of(&rows[i])), rows[i].df) /
			n;
		own += rpt_trigamma(rows[i].df / 2.0) / n;
	}
	for (size_t i = 0; i < nr; i++) {
		double e;

		if (!rows[i].is_witness)
			continue;
		e = log_free(fmax(least, ratio_of(&rows[i])), rows[i].df) -
		    mean;
		squares += e * e / (n - 1.0);
	}
	if (squares <= own) /* chance alone explains how the ratios differ */
		return (struct rpt_prior){ sum / n, INFINITY };
	df = 2.0 * rpt_trigamma_inverse(squares - own);
	return (struct rpt_prior){
		exp(mean + rpt_digamma(df / 2.0) - log(df / 2.0)), df
	};
}

/* Return how many ratios are above. */
static size_t nr_above(const double *sorted, size_t nr, double ratio)
{
	size_t at;

	PD_FIND_FIRST(at, nr, sorted[at] > ratio);
	return nr - at;
}

/* Return the probability that a row belongs to those of the prior. */
static double membership(const struct rpt_row_variance *row,
			 const struct rpt_prior *prior, const double *sorted,
			 size_t nr)
{
	double ratio = ratio_of(row);
	double tail = rpt_f_above(ratio / prior->scale, row->df, prior->df);
	double seen = ((double)nr_above(sorted, nr, ratio) + 0.5) / (double)nr;

	return fmin(1.0, tail / seen);
}

static void moderate(struct rpt_row_variance *row,
		     const struct rpt_prior *prior, double share, double most)
{
	double weight = share * fmin(prior->df, fmax(0.0, most - row->df));
	double ratio = (weight * prior->scale + row->df * ratio_of(row)) /
		       (weight + row->df);

	row->variance = ratio * row->expected;
	row->df += weight;
}

/* Return the degrees of freedom of all rows: one follows from the others. */
static double df_of_all(const struct rpt_row_variance *rows, size_t nr)
{
	double sum = 0.0;
	double witness_nr = 0.0;

	for (size_t i = 0; i < nr; i++) {
		if (!rows[i].is_witness)
			continue;
		sum += rows[i].df;
		witness_nr += 1.0;
	}
	return witness_nr > 0.0 ? sum * (1.0 - 1.0 / witness_nr) : 0.0;
}

struct rpt_prior rpt_moderate(struct rpt_row_variance *rows, size_t nr)
{
	size_t sorted_nr;
	double *sorted = sorted_ratios(rows, nr, &sorted_nr);
	double most = df_of_all(rows, nr);
	struct rpt_prior prior = fit(rows, nr, sorted, sorted_nr);

	for (size_t i = 0; i < nr && prior.df > 0.0; i++)
		moderate(&rows[i], &prior,
			 membership(&rows[i], &prior, sorted, sorted_nr), most);
	free(sorted);
	return prior;
}
