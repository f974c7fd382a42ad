/* block_ratio.h: a rate or share estimated from one run, and how uncertain it
 * is.
 *
 * The run is cut into blocks of equal time.  Of each block two sums are known:
 * x, what one row has, and d, what it is measured by (all samples, seconds,
 * ...).  The estimate is sum(x) / sum(d).  Samples close in time are not
 * independent (a program does one thing for a while, then another), so that
 * the binomial formula claims too much; blocks that are long against such
 * spells are nearly independent, and their scatter tells the truth: with the
 * residuals e = x - ratio * d,
 *
 *	variance = B / (B - 1) * sum(e^2) / sum(d)^2
 *
 * the linearized variance of a ratio (Cochran, Sampling Techniques, 3rd ed.,
 * 6.3), with whole blocks as units: the method of batch means (Law and Kelton,
 * Simulation Modeling and Analysis, 9.5.3).
 *
 * How long is long: neighbouring blocks are joined two by two, down to
 * RPT_BLOCKS_MIN of them.  At each length what correlation neighbours have left
 * goes into the variance as that of a first-order autoregression, (1 + r) /
 * (1 - r) (Fishman, Oper. Res. 26, 1978), r corrected for its bias (Kendall,
 * Biometrika 41, 1954).  That is exp(2 z) of Fisher's z (Metron 1, 1921), which
 * is normal with variance 1 / (B - 3): exp(2 z - 2 / (B - 3)) has the mean
 * that it should have.  Taking r below 0 as none would make intervals too wide
 * (97 % for 95 %) where nothing correlates.  Lengths at which neighbours still
 *correlate (von Neumann's ratio, Ann. Math. Stat. 12, 1941) are dropped, the
 *others averaged: short blocks are many, long ones see slow changes.
 *
 * tests/bench/diff_quality says how well this holds.
 */
#ifndef RPT_BLOCK_RATIO_H
#define RPT_BLOCK_RATIO_H

#include <stdbool.h>
#include <stddef.h>

#define RPT_BLOCKS_MAX 256 /* into which a run is cut */
#define RPT_BLOCKS_MIN 16  /* below, the scatter itself is too uncertain */

struct rpt_ratio {
	double value;
	double variance; /* of value */
	double df;	 /* degrees of freedom that the variance rests on */
	size_t block_nr; /* the most blocks that it came from */
};

/* nr <= RPT_BLOCKS_MAX blocks.  Fewer than 2, or sum(d) 0: variance is NaN.
 * Where all of x lies in few blocks df is small. */
struct rpt_ratio rpt_block_ratio(const double *x, const double *d, size_t nr);

#endif
