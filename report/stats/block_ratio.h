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
 * close in time are not independent: a program does one thing for a while, then
 * another, so that the binomial formula claims too much; and a clock that
 * samples work which is the same each time scatters less than it says
 * (systematic sampling: Cochran, 8).
 *
 * Two runs are compared block by block, e of the new one less e of the old one:
 * as in a paired t test (Law and Kelton, Simulation Modeling and Analysis, 3rd
 * ed., 10.2.1, with common random numbers, 11.2), what both do alike at the
 * same stage of their work (a compiler that parses first and optimizes then)
 * cancels and is no noise; where the runs have nothing to do with each other,
 * the variances add.
 *
 * The same stage is where the same part of the run's samples has been taken,
 * not of its time: on a busy machine one run waits here, another there.  So the
 * sum of e up to a moment is seen as a function of the samples up to then
 * (linear within a block), and cut anew where so many 256ths of these have
 * been.
 *
 * The variance of the sum of e is 256 times the spectral density of e at
 * frequency zero (Heidelberger and Welch, CACM 24, 1981), which is estimated by
 * the waves that are slowest,
 *
 *	p(j) = 2 * (sum over t of e(t) * cos(pi * j * (t + 1/2) / 256))^2
 *
 * j = 1 ... n, each an estimate with one degree of freedom (equal-weighted
 * cosines: Mueller, J. Econometrics 141, 2007; Lazarus, Lewis, Stock and
 * Watson, J. Bus. Econ. Stat. 36, 2018).  They see nothing of what goes back
 * and forth faster than their half waves, 1/n of the run: the spells of a
 * program, or calls that come sooner in one run than in the other, both of
 * which means of blocks take for noise.
 *
 * How many: RPT_WAVES_MAX, so that spells of up to 1/RPT_WAVES_MAX of a run do
 * no harm.  While the slower half of them is the stronger one (there are longer
 * spells), or the weaker one beyond chance (an F test at 5 %), it is taken
 * alone, down to RPT_WAVES_MIN.  Of n waves the estimates by n, n / 2, ...
 * RPT_WAVES_MIN are averaged, which leans to the slow ones; degrees of freedom
 * are those of the weights (Satterthwaite, Biometrics Bulletin 2, 1946), less
 * where most of e lies in few blocks.
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
	double df;	 /* degrees of freedom that it rests on */
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
