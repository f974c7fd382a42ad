/* diff_estimate.h: what a row comes to on one side of a diff, and whether two
 * sides differ.
 *
 * A side is one run or several (replicates).  One run on a side: intervals are
 * of the scatter from block to block within the runs (block_ratio.h), which
 * knows nothing of what differs from run to run, and nothing is tested: of
 * memory-bound functions runs beside other programs differ by 20 % and more,
 * beside counting noise in the next function (tests/bench/diff_quality), so
 * that what would be wide enough for them finds not even what doubled.  Several
 * on both: the scatter from run to run, by a t interval of the difference of
 * the runs' means.  A row's own is moderated by how many times what samples
 * scatter by chance the other rows scatter (moderated_variance.h); its degrees
 * of freedom are Welch's (Satterthwaite, Biometrics Bulletin 2, 1946) for two
 * sides that scatter as much as they have samples.
 *
 * Counts, and events for each unit of work, come from runs that do what they
 * have to do, however long it takes: the row's share is estimated as above, and
 * what the run cost in all is certain but for the counting of its samples.
 *
 * Rows with few samples have too few blocks to show their scatter.  Below
 * RPT_FEW_SAMPLES the variance is at least the binomial one with two successes
 * and two failures added (Agresti and Coull, Am. Stat. 52, 1998), times a
 * design effect (Kish, Survey Sampling, 8.2) that grows with the number of
 * samples from 1 to that of the two sides: by how much, at the median, the
 * scatter of rows with more samples exceeds their binomial one.
 *
 * Lost samples could have been anywhere: the interval is widened at both ends
 * by as much as they could have moved the value.
 */
#ifndef RPT_DIFF_ESTIMATE_H
#define RPT_DIFF_ESTIMATE_H

#include "report/diff/diff_run.h"

#define RPT_FEW_SAMPLES 50
#define RPT_CONFIDENCE	0.95

/* What a row's periods are divided by. */
enum rpt_measure {
	RPT_MEASURE_SHARE, /* those of all rows */
	RPT_MEASURE_WALL,  /* seconds of wall time */
	RPT_MEASURE_CPU,   /* seconds of CPU time, by a clock event */
	RPT_MEASURE_COUNT, /* nothing */
	RPT_MEASURE_UNIT,  /* units of work, as the user counted them */
	RPT_MEASURES,
};

/* What says how uncertain a value is. */
enum rpt_scatter {
	RPT_SCATTER_NONE,    /* nothing: only values are wanted */
	RPT_SCATTER_WITHIN,  /* from block to block within each run */
	RPT_SCATTER_BETWEEN, /* from run to run */
};

struct rpt_side {
	const struct rpt_run **runs;
	size_t run_nr;
	double units; /* of work, in all its runs; RPT_MEASURE_UNIT */
};

/* One row on one side. */
struct rpt_estimate {
	double value;  /* mean of the runs */
	double most;   /* that there can be: 1 of shares, else infinite */
	double chance; /* variance, if samples were independent ones */
	double total_variance; /* what counts in all add to any variance */
	double variance;       /* from run to run; NaN: not asked for */
	double df;
	double lost_down; /* how much lost samples could have moved it */
	double lost_up;
	struct rpt_sum sum; /* over the runs */
};

/* Of one event on one side: what its rows have in common. */
struct rpt_side_event {
	const struct rpt_side *side;
	enum rpt_measure measure;
	enum rpt_scatter scatter;
	const struct rpt_run_event **events; /* by run; NULL: it has none */
	const struct rpt_run_event **clocks; /* RPT_MEASURE_CPU */
	double *values;			     /* scratch, by run */
	struct rpt_sum total;
};

/* Looks up the event by name number in all runs.  -EINVAL where the measure
 * cannot be had of them.  To be released whatever comes back. */
int rpt_side_event_init(struct rpt_side_event *ret, const struct rpt_side *side,
			uint32_t event_name, enum rpt_measure measure,
			enum rpt_scatter scatter, struct pd_err *err);
void rpt_side_event_release(struct rpt_side_event *side);
/* Return the event of the first run that has it, NULL if none has. */
const struct rpt_run_event *
rpt_side_first_event(const struct rpt_side_event *side);

struct rpt_estimate rpt_side_estimate(const struct rpt_side_event *side,
				      uint32_t label);

struct rpt_change {
	double delta; /* new - old */
	/* The interval, no wider than values can be; NaN where nothing is
	 * known. */
	double low;
	double high;
	double p; /* that a change as large comes by chance; NaN: untested */
	bool is_significant; /* after correction for the number of rows */
};

/* RPT_SCATTER_BETWEEN: of the difference of two rows. */
struct rpt_scatter_sum rpt_scatter_between(const struct rpt_estimate *old,
					   const struct rpt_estimate *new);
/* RPT_SCATTER_WITHIN, by blocks; NaN: times are not known.  To be settled
 * before use. */
struct rpt_scatter_sum rpt_scatter_within(const struct rpt_side_event *old,
					  uint32_t old_label,
					  const struct rpt_side_event *new,
					  uint32_t new_label);
/* Corrects what blocks say of rows with few samples, and of counts. */
struct rpt_scatter_sum rpt_scatter_settle(struct rpt_scatter_sum scatter,
					  const struct rpt_estimate *old,
					  const struct rpt_estimate *new,
					  double design);

struct rpt_change rpt_change_of(const struct rpt_estimate *old,
				const struct rpt_estimate *new,
				struct rpt_scatter_sum scatter);

/* Of what a run had in all, at the mean; its interval is Welch's, of sides of
 * several runs, and else not known. */
struct rpt_change rpt_total_change(const struct rpt_side_event *old,
				   const struct rpt_side_event *new);

#endif
