/* block_ratio.h: by how much chance may move the difference of two runs' rates
 * or shares.
 *
 * A run is cut into blocks of equal time.  Of each block two sums are known: x,
 * what one row has, and d, what it is measured by (all samples, seconds, ...).
 * The run's value is sum(x) / sum(d), and a block's residual is what it
 * contributes to the value's error,
 *
 *	e = (x - value * d) / sum(d)
 *
 * (linearized ratio: Cochran, Sampling Techniques, 3rd ed., 6.3).  Samples
 * close in time are not independent (a program does one thing for a while, then
 * another), so that the binomial formula claims too much; blocks that are long
 * against such spells are nearly independent, and their scatter tells the
 * truth: batch means (Law and Kelton, Simulation Modeling and Analysis, 9.5.3).
 *
 * Two runs are compared block by block, e of the new one less e of the old one:
 * as in a paired t test (Cochran, 2.11; common random numbers in Law and
 * Kelton, 11.2), what both do alike at the same stage of their work (a compiler
 * that parses first and optimizes then) cancels and is no noise; where the runs
 * have nothing to do with each other, the variances add.
 *
 *	variance of the difference = B / (B - 1) * sum(e^2)
 *
 * The same stage is where the same part of the run's samples has been taken,
 * not of its time: on a busy machine one run waits here, another there.  So the
 * sum of e up to a moment is seen as a function of the samples up to then
 * (linear within a block), and cut anew where so many 256ths of these have
 * been.
 *
 * How long is long: neighbouring blocks are joined two by two, down to
 * RPT_BLOCKS_MIN of them.  At each length what correlation neighbours have left
 * goes into the variance as that of a first-order autoregression, (1 + r) /
 * (1 - r) (Fishman, Oper. Res. 26, 1978), r corrected for its bias (Kendall,
 * Biometrika 41, 1954).  That is exp(2 z) of Fisher's z (Metron 1, 1921), which
 * is nearly normal, of neighbours with the variance 1 / (B * (1 - r^2)) that df
 * reckons with.  At r near 0, where it is 1 / (B - 3), exp(2 z - 2 / (B - 3))
 * has the mean that it should have; at others too large a one, which makes
 * intervals wide and no false alarms.  Taking r below 0 as none would make
 * them too wide (97 % for 95 %) where nothing correlates.  Lengths at which
 * neighbours still correlate (von Neumann's ratio, Ann. Math. Stat. 12, 1941)
 * are dropped, the others averaged: short blocks are many, long ones see slow
 * changes.
 *
 * test_block_ratio.c simulates how well this holds, tests/bench/diff_quality
 * tries it on recordings.
 */
#ifndef RPT_BLOCK_RATIO_H
#define RPT_BLOCK_RATIO_H

#include <stdbool.h>
#include <stddef.h>

#define RPT_BLOCKS_MAX 256 /* into which a run is cut */
#define RPT_BLOCKS_MIN 16  /* below, the scatter itself is too uncertain */

struct rpt_scatter_sum {
	double variance; /* of the sum of e */
	double df;	 /* degrees of freedom that it rests on */
};

/* Sets e to (x - value * d) / sum(d) of nr blocks; returns the value, NaN (and
 * e as it was) where sum(d) is 0. */
double rpt_block_residuals(const double *x, const double *d, size_t nr,
			   double *e);

/* Adds weight times e, of RPT_BLOCKS_MAX blocks of time with so many samples
 * each, to ret, by RPT_BLOCKS_MAX stages of equally many samples. */
void rpt_block_stages(const double *e, const double *samples, double weight,
		      double *ret);

/* nr <= RPT_BLOCKS_MAX blocks, whose e sum to 0.  Fewer than 2: variance is
 * NaN.  Where all of e lies in few blocks df is small. */
struct rpt_scatter_sum rpt_block_scatter(const double *e, size_t nr);

#endif
