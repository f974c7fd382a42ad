/* t_test.h: Student's t and F distributions, and tests of many rows.
 *
 * The distribution function through the regularized incomplete beta function
 * (DLMF 8.17.22, the continued fraction, by the modified Lentz method; the t
 * distribution by Abramowitz and Stegun 26.7.1, F by 26.6.2).  Welch's test
 * with the degrees of freedom of Satterthwaite (Biometrics Bulletin 2, 1946).
 * Two samples that share some of their subjects: the partially overlapping
 * samples test with unequal variances (Derrick, Russ, Toher and White, J. Mod.
 * Appl. Stat. Methods 16(1), 2017), which is Welch's test without pairs, and
 * the paired one if all are pairs.
 * False discovery rate by Benjamini and Hochberg (J. R. Statist. Soc. B 57,
 * 1995).
 */
#ifndef RPT_T_TEST_H
#define RPT_T_TEST_H

#include <stdbool.h>
#include <stddef.h>

/* Return P(|T| > t) with df > 0 degrees of freedom, which need not be whole. */
double rpt_t_test_two_sided(double t, double df);

/* Return the t that is exceeded in absolute value with probability p, 0 < p
 * < 1. */
double rpt_t_test_critical(double p, double df);

/* Return P(F > f) with a > 0 and b > 0 degrees of freedom; b may be infinite.
 */
double rpt_f_above(double f, double a, double b);

/* Return the degrees of freedom of the difference of two means; var_a and var_b
 * are the variances of the means. */
double rpt_welch_df(double var_a, double df_a, double var_b, double df_b);

/* Two samples with subjects in common: pairs of a value in each. */
struct rpt_pairs {
	double nr; /* pairs; 0: the samples are independent */
	double a;  /* sum of the first sample's values in pairs */
	double b;
	double a_squares;
	double b_squares;
	double products;
};

void rpt_pairs_add(struct rpt_pairs *pairs, double a, double b);

/* Return Pearson's correlation of the pairs, 0 if one side of them does not
 * vary, or there are fewer than two. */
double rpt_pair_correlation(const struct rpt_pairs *pairs);

/* Return the covariance of the means of two samples of nr_a and nr_b values,
 * whose variances, of the means, are var_a and var_b. */
double rpt_pair_covariance(const struct rpt_pairs *pairs, double var_a,
			   double nr_a, double var_b, double nr_b);

/* Return the degrees of freedom of the difference of these means; welch are
 * those of independent samples. */
double rpt_pair_df(const struct rpt_pairs *pairs, double nr_a, double nr_b,
		   double welch);

/* Mark the p values that are significant at a false discovery rate of rate; NaN
 * is not a test.  scratch has room for nr values. */
void rpt_benjamini_hochberg(const double *p, size_t nr, double rate,
			    double *scratch, bool *ret_significant);

#endif
