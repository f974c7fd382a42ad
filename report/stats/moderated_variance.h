/* moderated_variance.h: estimates the variances of many rows from few runs,
 * using what the rows have in common.
 *
 * With three runs on each side, a row has four degrees of freedom: its variance
 * is hardly known, and a t interval from it is wide.  But the variance of
 * counting so many samples is known, and the ratios of observed to expected
 * variances are similar over the rows.  Model and estimates are those of Smyth
 * (Stat. Appl. Genet. Mol. Biol. 3(1), article 3, 2004, sections 3 and 6): the
 * true ratios scatter over the rows like scale * df0 / chi^2(df0), so that the
 * logarithms of the observed ratios, of df each, have the
 *
 *	mean      log(scale) + psi(df/2) - log(df/2) - psi(df0/2) + log(df0/2)
 *	variance  psi'(df/2) + psi'(df0/2)
 *
 * from which scale and df0 follow.  A row's moderated ratio and degrees of
 * freedom are
 *
 *	(df0 * scale + df * ratio) / (df0 + df)		df0 + df
 *
 * An outlier keeps its own variance: df0 is multiplied by the probability that
 * the row is none, P(F > ratio / scale) over the share of the rows with such
 * ratios (Phipson and others, Ann. Appl. Stat. 10, 2016, 4.2, with no degrees
 * of freedom for outliers).
 *
 * Rows are not independent: shares sum to 1, and all costs follow the machine's
 * speed.  So no row gets more degrees of freedom than all others have.
 */
#ifndef RPT_MODERATED_VARIANCE_H
#define RPT_MODERATED_VARIANCE_H

#include <stdbool.h>
#include <stddef.h>

/* A row's variance and its degrees of freedom. */
struct rpt_row_variance {
	double variance;
	double df;	 /* > 0 */
	double expected; /* variance; > 0 */
	bool is_witness; /* used to estimate the prior */
};

/* The distribution of the ratios of variance to expected. */
struct rpt_prior {
	double scale;
	double df; /* infinite: all ratios are the same; 0: not known */
};

/* Replace variance and df of all rows by the moderated ones.  Return the prior,
 * which the witnesses among the rows give. */
struct rpt_prior rpt_moderate(struct rpt_row_variance *rows, size_t nr);

/* Return psi(x), psi'(x), and the x of psi'(x) = y; for x, y > 0. */
double rpt_digamma(double x);
double rpt_trigamma(double x);
double rpt_trigamma_inverse(double y);

#endif
