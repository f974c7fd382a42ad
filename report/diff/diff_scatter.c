#include "report/diff/diff_estimate.h"

#include "report/stats/t_test.h"

#include <math.h>

/* Rows with fewer on both sides together are not tested: they would only make
 * the correction for the others stricter (independent filtering: Bourgon and
 * others, PNAS 107, 2010). */
#define TESTED_SAMPLES 10

/* Degrees of freedom of rows with few samples, whose variance is the others'.
 */
#define FEW_DF 15

/* The variance of differences is known to this part of both sides'. */
#define ROUNDING 1e-13

struct rpt_scatter_sum rpt_scatter_between(const struct rpt_estimate *old,
					   const struct rpt_estimate *new)
{
	struct rpt_scatter_sum scatter = {
		old->variance + new->variance,
		rpt_welch_df(old->chance, old->df, new->chance, new->df),
	};
	double old_nr = old->df + 1.0, new_nr = new->df + 1.0;
	double covariance;

	if (!old->pairs || !new->pairs)
		return scatter;
	/* the runs' own levels cancel */
	covariance = rpt_pair_covariance(new->pairs, old->seen_variance, old_nr,
					 new->seen_variance, new_nr);
	scatter.variance = fmax(scatter.variance - 2.0 * covariance,
				ROUNDING * scatter.variance);
	scatter.df = rpt_pair_df(new->pairs, old_nr, new_nr, scatter.df);
	return scatter;
}

/* Return the least variance, by a design effect that grows with the number of
 * samples. */
static double least_variance(const struct rpt_estimate *side, double design)
{
	double part = fmin(1.0, side->sum.nr / RPT_FEW_SAMPLES);

	return (1.0 + (design - 1.0) * part) * side->chance;
}

struct rpt_scatter_sum rpt_scatter_correct(struct rpt_scatter_sum scatter,
					   const struct rpt_estimate *old,
					   const struct rpt_estimate *new,
					   double design)
{
	double least =
		least_variance(old, design) + least_variance(new, design);
	bool is_few = fmin(old->sum.nr, new->sum.nr) < RPT_FEW_SAMPLES;

	if (isnan(scatter.variance))
		scatter = (struct rpt_scatter_sum){
			least, fmax(1.0, old->sum.nr + new->sum.nr)
		};
	else if (is_few && scatter.variance < least)
		scatter = (struct rpt_scatter_sum){ least, FEW_DF };
	scatter.variance += old->total_variance + new->total_variance;
	return scatter;
}

struct rpt_change rpt_change_of(const struct rpt_estimate *old,
				const struct rpt_estimate *new,
				struct rpt_scatter_sum scatter)
{
	struct rpt_change change = { .delta = new->value - old->value,
				     .low = NAN,
				     .high = NAN,
				     .p = NAN };
	double error = sqrt(scatter.variance);
	double up = new->unseen_up + old->unseen_down;
	double down = new->unseen_down + old->unseen_up;
	double sure = fabs(change.delta) - (change.delta > 0.0 ? down : up);
	double reach;

	if (isnan(error))
		return change;
	reach = error > 0.0 ? error * rpt_t_test_critical(1.0 - RPT_CONFIDENCE,
							  scatter.df)
			    : 0.0; /* there is only one row */
	change.low = fmax(change.delta - reach - down, -old->most);
	change.high = fmin(change.delta + reach + up, new->most);
	if (error > 0.0 && old->sum.nr + new->sum.nr >= TESTED_SAMPLES)
		change.p = rpt_t_test_two_sided(fmax(0.0, sure) / error,
						scatter.df);
	return change;
}
