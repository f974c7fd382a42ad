/* paired_looks.h: when an experiment of pairs of runs may end, and what it has
 * shown.
 *
 * A pair is a run of the old program and one of the new, in random order; its
 * value is log(new / old).  After some numbers of pairs, the looks, the change
 * is tested; the experiment ends with the first look that decides.  If each of
 * five looks tested at 5 %, a change would be found in some 17 of a hundred
 * experiments without one.  So the error of 5 % is spent over the looks (Lan
 * and DeMets, Biometrika 70, 1983): by a look after the part t of all pairs,
 *
 *	spent(t) = 0.05 * log(1 + (e - 1) * t)
 *
 * of it (their approximation of Pocock's boundaries), and each look is at the
 * level of what it spends.  These add up to 5 %, so the bound holds whatever
 * the looks have in common (Bonferroni's inequality); boundaries out of their
 * joint distribution would be a little narrower, but are exact for a known
 * variance alone.  An interval at a look's level is a repeated confidence
 * interval: all looks' intervals hold the change in 95 % of all experiments
 * (Jennison and Turnbull, J. R. Statist. Soc. B 51, 1989).
 *
 * The center is the mean of the values without the nr / 8 lowest and as many
 * highest ones, so that one odd run does not decide; its interval is that of
 * Tukey and McLaughlin (Sankhya A 25, 1963): a t interval by the Winsorized
 * variance, with nr - 2 * (nr / 8) - 1 degrees of freedom.
 *
 * test_paired_looks.c simulates how often it errs.
 */
#ifndef RPT_PAIRED_LOOKS_H
#define RPT_PAIRED_LOOKS_H

#include <stddef.h>
#include <stdint.h>

#define RPT_PAIRS_MIN  3   /* of an experiment */
#define RPT_PAIRS_MAX  200 /* the same */
#define RPT_LOOKS_MAX  16
#define RPT_LOOKS_RATE 0.05 /* of experiments that err */

struct rpt_looks {
	uint32_t nr;
	uint32_t pairs[RPT_LOOKS_MAX]; /* after which it is looked; rising */
	double levels[RPT_LOOKS_MAX];  /* two-sided */
};

/* A change, as a logarithm of the ratio. */
struct rpt_paired_change {
	double center;
	double low; /* the interval; NaN: fewer than two pairs */
	double high;
};

enum rpt_paired_verdict {
	RPT_PAIRED_UNDECIDED,
	RPT_PAIRED_LESS,
	RPT_PAIRED_MORE,   /* by more than the limit */
	RPT_PAIRED_WITHIN, /* not by more than the limit */
};

/* Return the looks of an experiment of at most pair_max pairs, which are
 * RPT_PAIRS_MIN to RPT_PAIRS_MAX; the last one is after pair_max. */
struct rpt_looks rpt_looks_plan(uint32_t pair_max);

/* Estimate the change of nr pairs; the interval is at 1 - level. */
struct rpt_paired_change rpt_paired_change(const double *logs, size_t nr,
					   double level);

/* Return what a change shows: that there is one (limit 0), or on which side of
 * a limit > 0 it is. */
enum rpt_paired_verdict
rpt_paired_verdict(const struct rpt_paired_change *change, double limit);

/* Return how many pairs, up to RPT_PAIRS_MAX, would do for a change of that
 * size if further ones scatter as these do; 0: more than that. */
uint32_t rpt_paired_needed(const double *logs, size_t nr, double size);

/* Return the size of a change that the last look of an experiment of pair_max
 * pairs can just see, in half of all cases. */
double rpt_paired_visible(const double *logs, size_t nr, uint32_t pair_max);

#endif
