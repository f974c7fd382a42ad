/* block_ratio.h: by how much chance may move the difference of two runs' rates
 * or shares.
 *
 * A run is cut into blocks of equal time.  Each block has two sums: x of one
 * row, and d of what the row is divided by (all samples, seconds, ...).  The
 * run's value is sum(x) / sum(d), and a block's residual is its part of the
 * value's error,
 *
 *	e = (x - value * d) / sum(d)
 *
 * (linearized ratio: Cochran, Sampling Techniques, 3rd ed., 6.3).  Samples
 * close in time depend on each other, since a program does one thing for a
 * while, then another: the binomial formula would give too narrow intervals;
 * and too wide ones if a clock samples work that repeats (systematic sampling:
 * Cochran, 8).
 *
 * Two runs are compared block by block, e of the new one less e of the old
 * one, as in a paired t test (Law and Kelton, Simulation Modeling and
 * Analysis, 3rd ed., 10.2.1, with common random numbers, 11.2): what both do
 * at the same stage of their work cancels.  If the runs have nothing in
 * common, the variances add.
 *
 * A stage is the same part of the run's samples, not of its time, as a busy
 * machine makes each run wait elsewhere.  So the sum of e up to a time is taken
 * as a function of the samples up to then (linear within a block), and cut anew
 * at each 256th of the samples.
 *
 * The variance of the sum of e is 256 times the spectral density of e at
 * frequency zero (Heidelberger and Welch, CACM 24, 1981).  It is estimated by
 * the slowest waves,
 *
 *	p(j) = 2 * (sum over t of e(t) * cos(pi * j * (t + 1/2) / 256))^2
 *
 * j = 1 ... n, each an estimate with one degree of freedom (equal-weighted
 * cosines: Mueller, J. Econometrics 141, 2007; Lazarus, Lewis, Stock and
 * Watson, J. Bus. Econ. Stat. 36, 2018).  They do not see what alternates
 * faster than 1/n of the run, such as calls that come sooner in one run than
 * in the other, which means of blocks take for noise.
 *
 * n is RPT_WAVES_MAX.  While the slower half of the waves is the stronger one,
 * or the weaker one beyond chance (an F test at 5 %), that half is taken
 * alone, down to RPT_WAVES_MIN.  The estimates by n, n / 2, ... RPT_WAVES_MIN
 * waves are averaged.  Degrees of freedom are those of the weights
 * (Satterthwaite, Biometrics Bulletin 2, 1946), fewer if most of e is in few
 * blocks.
 *
 * test_block_ratio.c simulates how well this holds (at 5 % there are 5 % of
 * false alarms with spells of up to 4 blocks at the mean, 6 % with 8, 7 % with
 * 12), tests/bench/diff_quality tries it on recordings.
 */
#ifndef RPT_BLOCK_RATIO_H
#define RPT_BLOCK_RATIO_H

#include <stdbool.h>
#include <stddef.h>

#define RPT_BLOCKS_MAX 256 /* into which a run is cut */
#define RPT_WAVES_MAX  32
#define RPT_WAVES_MIN  4 /* below, the scatter itself is too uncertain */

struct rpt_scatter_sum {
	double variance; /* of the sum of e */
	double df;	 /* its degrees of freedom */
};

/* Set e to (x - value * d) / sum(d) of nr blocks and return the value.  If
 * sum(d) is 0, return NaN and leave e. */
double rpt_block_residuals(const double *x, const double *d, size_t nr,
			   double *e);

/* Add weight * e to ret.  e has RPT_BLOCKS_MAX blocks of equal time with
 * samples each, ret as many stages of equally many samples. */
void rpt_block_stages(const double *e, const double *samples, double weight,
		      double *ret);

/* Return the variance of the sum of e, RPT_BLOCKS_MAX values that sum to 0.  If
 * all of e lies in few blocks, df is small. */
struct rpt_scatter_sum rpt_block_scatter(const double *e);

#endif
