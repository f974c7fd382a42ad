/* stat_series.h: statistics of the values of several runs.
 *
 * perf prints the standard error of the mean in percent of it.  That is too
 * narrow for few runs: of three runs, mean +- 1 standard error holds the true
 * mean in 58 of 100 cases.  So there is an interval by Student's t, too.
 *
 * Source: Student's t distribution as regularised incomplete beta function
 * (Abramowitz and Stegun 26.7.1, 26.5.8); Welch, The generalization of
 * "Student's" problem when several different population variances are
 * involved, Biometrika 34 (1947).
 */
#ifndef REC_STAT_SERIES_H
#define REC_STAT_SERIES_H

#include <stdbool.h>
#include <stddef.h>

struct rec_series {
	size_t nr;
	double mean;
	double error;	  /* the standard error of the mean */
	double low, high; /* hold the true mean with 95 %; nr < 2: the mean */
};

/* The values are 0 or more. */
void rec_series_of(struct rec_series *ret, const double *values, size_t nr);

/* Return the standard error in percent of the mean; 0 if the mean is. */
double rec_series_noise_pct(const struct rec_series *series);

/* Compare the first half of the runs to the last half.  Return true if they
 * differ with p < 0.01 by Welch's test and by at least 1 %, in 6 runs or more;
 * ret_pct is the change in percent of the first half's mean. */
bool rec_series_drifts(const double *values, size_t nr, double *ret_pct);

/* Return the t that |T| of that many degrees of freedom exceeds with
 * probability p, and the probability that |T| exceeds t. */
double rec_student_quantile(double p, double freedom);
double rec_student_tail(double t, double freedom);

#endif
