/* t_test.h: Student's t and F distributions, and tests of many rows.
 *
 * The distribution function through the regularized incomplete beta function
 * (DLMF 8.17.22, the continued fraction, by the modified Lentz method; the t
 * distribution by Abramowitz and Stegun 26.7.1, F by 26.6.2).  Welch's test
 * with the degrees of freedom of Satterthwaite (Biometrics Bulletin 2, 1946).
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

/* Mark the p values that are significant at a false discovery rate of rate; NaN
 * is not a test.  scratch has room for nr values. */
void rpt_benjamini_hochberg(const double *p, size_t nr, double rate,
			    double *scratch, bool *ret_significant);

#endif
