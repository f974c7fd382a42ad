/* diff_estimate.h: estimates a row's value on one side of a diff, and its
 * change between two sides.
 *
 * A side is one run or several.  With one run on a side, intervals come from
 * the scatter between blocks of time within the runs (block_ratio.h), and
 * nothing is tested: how much runs differ is not known, and rows can differ by
 * 20 % and more (tests/bench/diff_quality).  With several runs on both sides
 * they come from the scatter between runs, by a t interval of the difference of
 * means.  A row's scatter, as a multiple of what chance alone gives its
 * samples, is moderated by that of the other rows (moderated_variance.h).
 * Degrees of freedom are Welch's (Satterthwaite, Biometrics Bulletin 2, 1946)
 * for sides that scatter as much as they have samples, or of pairs (t_test.h).
 *
 * Counts, and events per unit of work, are of runs that do a given work,
 * however long it takes: the row's share is estimated as above, and the run's
 * total is certain but for the counting of its samples.
 *
 * Rows with few samples have too few blocks to show their scatter.  Below
 * RPT_FEW_SAMPLES the variance is at least the binomial one with two successes
 * and two failures added (Agresti and Coull, Am. Stat. 52, 1998), times a
 * design effect (Kish, Survey Sampling, 8.2): the median factor by which the
 * scatter of larger rows exceeds their binomial one, reduced to 1 for no
 * samples.
 *
 * Lost samples could be anywhere, and so could those of a clock that kept step:
 * the interval is widened at both ends by as much as they could have moved it.
 */
#ifndef RPT_DIFF_ESTIMATE_H
#define RPT_DIFF_ESTIMATE_H

#include "report/diff/diff_run.h"
#include "report/stats/t_test.h"

#define RPT_FEW_SAMPLES 50
#define RPT_CONFIDENCE	0.95

/* The measure: what the periods of a row are divided by. */
enum rpt_measure {
	RPT_MEASURE_SHARE, /* those of all rows */
	RPT_MEASURE_WALL,  /* seconds of wall time */
	RPT_MEASURE_CPU,   /* seconds of CPU time, by a clock event */
	RPT_MEASURE_COUNT, /* nothing */
	RPT_MEASURE_UNIT,  /* units of work, counted by the user */
	RPT_MEASURES,
};

/* The source of a value's uncertainty. */
enum rpt_scatter {
	RPT_SCATTER_NONE,    /* it is not estimated */
	RPT_SCATTER_WITHIN,  /* from block to block within each run */
	RPT_SCATTER_BETWEEN, /* from run to run */
};

/* The sums of a row's values in the runs of a side, if others have counted
 * them: runs then have totals, but no cells. */
struct rpt_row_sums {
	double value;
	double squares;
	double chance; /* variances by chance, less those of no samples */
	struct rpt_pairs pairs; /* of runs on both sides; the same on both */
	struct rpt_sum sum;
};

struct rpt_side {
	const struct rpt_run **runs;
	size_t run_nr;
	double units; /* of work, in all its runs; RPT_MEASURE_UNIT */
	const struct rpt_row_sums *sums; /* by label; NULL: count the cells */
	size_t pair_nr; /* runs on both sides, compared with themselves */
	const struct rpt_pairs *pairs; /* by event, of totals; NULL: none */
};

/* Return true if all runs of one side ended before any of the other began. What
 * the machine did meanwhile then differs between the sides as well, and their
 * scatter does not have it; false if that is not known of each run. */
bool rpt_sides_are_blocks(const struct rpt_side *old,
			  const struct rpt_side *new);

/* One row on one side. */
struct rpt_estimate {
	double value;  /* mean of the runs */
	double most;   /* the greatest possible: 1 for shares, else infinite */
	double chance; /* variance if samples were independent */
	double total_variance; /* of the run's total, for counts and units */
	double variance;       /* from run to run; NaN: not estimated */
	double seen_variance;  /* the same, not raised for few samples */
	double df;	       /* degrees of freedom of variance */
	double unseen_down;    /* how much too high: of what was not seen */
	double unseen_up;      /* how much too low */
	const struct rpt_pairs *pairs; /* borrowed; NULL: there are none */
	struct rpt_sum sum;	       /* over the runs */
};

/* One event on one side, for the estimates of all its rows. */
struct rpt_side_event {
	const struct rpt_side *side;
	enum rpt_measure measure;
	enum rpt_scatter scatter;
	const struct rpt_run_event **events; /* by run; may be NULL */
	const struct rpt_run_event **clocks; /* the same; RPT_MEASURE_CPU */
	double *values;			     /* scratch, by run */
	const struct rpt_pairs *pairs;	     /* of totals; may be NULL */
	struct rpt_sum total;
};

/* Look up the event of that number in all runs of the side.  Return -ENODATA if
 * a run does not allow the measure.  The caller releases *ret in any case. */
int rpt_side_event_init(struct rpt_side_event *ret, const struct rpt_side *side,
			uint32_t event, enum rpt_measure measure,
			enum rpt_scatter scatter, struct pd_err *err);
void rpt_side_event_release(struct rpt_side_event *side);
/* Return the event of the first run that has it, NULL if none has. */
const struct rpt_run_event *
rpt_side_first_event(const struct rpt_side_event *side);

/* Estimate the row of a label, UINT32_MAX for a row without samples. */
struct rpt_estimate rpt_side_estimate(const struct rpt_side_event *side,
				      uint32_t label);

/* Return the value of a label's row in one run of the side. */
double rpt_side_run_value(const struct rpt_side_event *side, size_t run_idx,
			  uint32_t label);

struct rpt_change {
	double delta; /* new - old */
	double low; /* of the interval, within what is possible; NaN: unknown */
	double high;
	double p; /* probability that chance changes so much; NaN: untested */
	double error; /* standard error of delta; NaN: unknown */
	double df;    /* its degrees of freedom */
	double down;  /* how much too high delta may be by what was not seen */
	bool is_significant; /* after correction for the number of rows */
};

/* Return the variance of the difference of two rows from run to run; from block
 * to block, NaN without times, to be corrected by rpt_scatter_correct(). */
struct rpt_scatter_sum rpt_scatter_between(const struct rpt_estimate *old,
					   const struct rpt_estimate *new);
struct rpt_scatter_sum rpt_scatter_within(const struct rpt_side_event *old,
					  uint32_t old_label,
					  const struct rpt_side_event *new,
					  uint32_t new_label);
/* Correct the variance of few samples, and of counts, by a design effect. */
struct rpt_scatter_sum rpt_scatter_correct(struct rpt_scatter_sum scatter,
					   const struct rpt_estimate *old,
					   const struct rpt_estimate *new,
					   double design);

/* Return the change of a row, its interval and its p value. */
struct rpt_change rpt_change_of(const struct rpt_estimate *old,
				const struct rpt_estimate *new,
				struct rpt_scatter_sum scatter);

/* Return the probability that a change is so far above a limit by chance; NaN:
 * untested. */
double rpt_change_p_above(const struct rpt_change *change, double limit);

/* Return the change of a run's mean total.  The interval is Welch's, NaN unless
 * both sides have several runs. */
struct rpt_change rpt_total_change(const struct rpt_side_event *old,
				   const struct rpt_side_event *new);

/* Return the change of all rows together in the measure, as a part of what they
 * were, in the same way; NaN of shares, which are parts of it, and if there was
 * nothing. */
struct rpt_change rpt_measure_change(const struct rpt_side_event *old,
				     const struct rpt_side_event *new);
/* Return the value of all rows together: 1 of shares. */
double rpt_side_total(const struct rpt_side_event *side);

#endif
