#include "report/diff_estimate.h"

#include "report/student.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define NS_PER_S 1e9

/* Rows with less on both sides together can hardly be told from noise and
 * would only make the correction for the others stricter (independent
 * filtering: Bourgon and others, PNAS 107, 2010). */
#define TESTED_SAMPLES 10

/* Agresti and Coull's */
#define PSEUDO 2.0

static const struct rpt_run_event *find_event(const struct rpt_run *run,
					      uint32_t name)
{
	for (size_t e = 0; e < run->event_nr; e++) {
		if (run->events[e].name == name)
			return &run->events[e];
	}
	return NULL;
}

/* The event itself, or another that counts ns of CPU time. */
static const struct rpt_run_event *find_clock(const struct rpt_run *run,
					      const struct rpt_run_event *event)
{
	if (event && event->is_clock)
		return event;
	for (size_t e = 0; e < run->event_nr; e++) {
		if (run->events[e].is_clock)
			return &run->events[e];
	}
	return NULL;
}

/* What x of block b is measured by. */
static double measured_by(const struct rpt_side_event *side, size_t run_idx,
			  uint32_t b)
{
	const struct rpt_run *run = side->side->runs[run_idx];
	double nr = run->block_nr;

	switch (side->measure) {
	case RPT_MEASURE_SHARE:
		return side->events[run_idx]->blocks[b].period;
	case RPT_MEASURE_WALL:
		return run->wall_s / nr;
	case RPT_MEASURE_CPU:
		return side->clocks[run_idx]->blocks[b].period / NS_PER_S;
	case RPT_MEASURE_UNIT:
		return side->side->units / (double)side->side->run_nr / nr;
	default:
		return 1.0 / nr;
	}
}

struct run_row {
	struct rpt_ratio ratio;
	struct rpt_sum sum;
};

/* What a run's row is divided by, in all. */
static double measured_by_all(const struct rpt_side_event *side, size_t run_idx)
{
	double sum = 0.0;

	for (uint32_t b = 0; b < side->side->runs[run_idx]->block_nr; b++)
		sum += measured_by(side, run_idx, b);
	return sum;
}

/* A run that does a given work, however long it takes: blocks of time tell how
 * its cost is shared out; what it costs in all is one number, certain but for
 * the counting of samples (Poisson). */
static bool is_of_fixed_work(enum rpt_measure measure)
{
	return measure == RPT_MEASURE_COUNT || measure == RPT_MEASURE_UNIT;
}

static void share_to_cost(const struct rpt_side_event *side, size_t run_idx,
			  struct rpt_ratio *ratio)
{
	const struct rpt_sum *all = &side->events[run_idx]->total;
	double scale = all->period / measured_by_all(side, run_idx);
	double share = ratio->value;

	ratio->value = share * scale;
	ratio->variance =
		scale * scale * (ratio->variance + share * share / all->nr);
}

static struct run_row run_row(const struct rpt_side_event *side, size_t run_idx,
			      uint32_t label)
{
	const struct rpt_run *run = side->side->runs[run_idx];
	const struct rpt_run_event *event = side->events[run_idx];
	bool is_fixed = is_of_fixed_work(side->measure);
	double x[RPT_BLOCKS_MAX] = { 0 };
	double d[RPT_BLOCKS_MAX];
	struct run_row row = { .sum = { 0 } };
	const struct rpt_run_cell *cells;
	size_t nr;

	cells = rpt_run_cells(event, label, &nr);
	for (size_t i = 0; i < nr; i++) {
		x[cells[i].block] = cells[i].sum.period;
		rpt_sum_add(&row.sum, &cells[i].sum);
	}
	for (uint32_t b = 0; b < run->block_nr; b++)
		d[b] = is_fixed ? event->blocks[b].period
				: measured_by(side, run_idx, b);
	row.ratio = rpt_block_ratio(x, d, run->block_nr);
	if (is_fixed)
		share_to_cost(side, run_idx, &row.ratio);
	return row;
}

/* What independent samples would scatter, at nr of the event's samples: of
 * value, with pseudo more samples for and as many against. */
static double binomial(const struct rpt_side_event *side, size_t run_idx,
		       const struct run_row *row, double pseudo)
{
	const struct rpt_run_event *event = side->events[run_idx];
	double nr = event->total.nr + 2.0 * pseudo;
	double share = (row->sum.nr + pseudo) / nr;
	double variance = share * (1.0 - share) / nr;
	double scale = 1.0;

	if (side->measure != RPT_MEASURE_SHARE) {
		double d = measured_by_all(side, run_idx);

		/* counts: Poisson */
		variance = share / nr;
		scale = d > 0.0 ? event->total.period / d : 0.0;
	}
	return variance * scale * scale;
}

/* Corrects what the blocks of a row with few samples say. */
static void settle(const struct rpt_side_event *side, size_t run_idx,
		   struct run_row *row)
{
	double few = fmin(1.0, row->sum.nr / RPT_FEW_SAMPLES);
	double effect = 1.0 + (side->design[run_idx] - 1.0) * few;
	double least = effect * binomial(side, run_idx, row, PSEUDO);

	if (isnan(row->ratio.variance)) {
		row->ratio.variance = least;
		row->ratio.df = side->events[run_idx]->total.nr;
	} else if (row->sum.nr < RPT_FEW_SAMPLES &&
		   row->ratio.variance < least) {
		/* the design effect is that of many rows */
		row->ratio.variance = least;
		row->ratio.df = RPT_BLOCKS_MIN - 1;
	}
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Over the rows of the run that have samples enough. */
static int set_design(struct rpt_side_event *side, size_t run_idx)
{
	const struct rpt_run_event *event = side->events[run_idx];
	double *effects = malloc((event->cell_nr + 1) * sizeof(*effects));
	size_t nr = 0;

	if (!effects)
		return -ENOMEM;
	for (size_t i = 0; i < event->cell_nr; i++) {
		struct run_row row;
		double alone;

		if (i && event->cells[i].label == event->cells[i - 1].label)
			continue;
		row = run_row(side, run_idx, event->cells[i].label);
		alone = binomial(side, run_idx, &row, 0.0);
		if (row.sum.nr >= RPT_FEW_SAMPLES && alone > 0.0 &&
		    !isnan(row.ratio.variance))
			effects[nr++] = row.ratio.variance / alone;
	}
	qsort(effects, nr, sizeof(*effects), compare_doubles);
	side->design[run_idx] = nr ? fmax(1.0, effects[nr / 2]) : 1.0;
	free(effects);
	return 0;
}

static int find_events(struct rpt_side_event *side, uint32_t name,
		       struct pd_err *err)
{
	for (size_t r = 0; r < side->side->run_nr; r++) {
		const struct rpt_run *run = side->side->runs[r];
		const struct rpt_run_event *event = find_event(run, name);

		side->events[r] = event;
		side->clocks[r] = find_clock(run, event);
		side->design[r] = 1.0;
		if (!event)
			continue;
		rpt_sum_add(&side->total, &event->total);
		if (side->measure == RPT_MEASURE_CPU && !side->clocks[r])
			return pd_err_set(err, -EINVAL,
					  "%s: no clock event says how much "
					  "CPU time there was",
					  run->path);
		if (side->measure == RPT_MEASURE_WALL && run->wall_s <= 0.0)
			return pd_err_set(err, -EINVAL,
					  "%s: its samples have no time",
					  run->path);
	}
	return 0;
}

int rpt_side_event_init(struct rpt_side_event *ret, const struct rpt_side *side,
			uint32_t event_name, enum rpt_measure measure,
			enum rpt_scatter scatter, struct pd_err *err)
{
	size_t nr = side->run_nr;
	int rc;

	*ret = (struct rpt_side_event){ .side = side,
					.measure = measure,
					.scatter = scatter };
	ret->events = calloc(nr, sizeof(void *));
	ret->clocks = calloc(nr, sizeof(void *));
	ret->design = calloc(nr, sizeof(*ret->design));
	ret->values = calloc(nr, sizeof(*ret->values));
	if (!ret->events || !ret->clocks || !ret->design || !ret->values)
		return pd_err_set(err, -ENOMEM, "out of memory");
	rc = find_events(ret, event_name, err);
	for (size_t r = 0; r < nr && !rc; r++) {
		if (ret->events[r] && scatter == RPT_SCATTER_WITHIN)
			rc = set_design(ret, r);
	}
	return rc;
}

void rpt_side_event_release(struct rpt_side_event *side)
{
	free(side->events);
	free(side->clocks);
	free(side->design);
	free(side->values);
	*side = (struct rpt_side_event){ 0 };
}

static void widen(struct rpt_estimate *all, const struct rpt_side_event *side,
		  size_t run_idx, double value)
{
	double lost = side->side->runs[run_idx]->lost_share;
	double nr = (double)side->side->run_nr;

	if (side->measure == RPT_MEASURE_SHARE) {
		all->lost_down += lost * value / nr;
		all->lost_up += lost * (1.0 - value) / nr;
	} else if (lost < 1.0) {
		all->lost_up += value * lost / (1.0 - lost) / nr;
	}
}

/* Scatter of the runs' values around their mean; few samples cannot be less
 * uncertain than chance has it. */
static void set_between(struct rpt_estimate *all, const double *values,
			size_t nr)
{
	double squares = 0.0;

	for (size_t r = 0; r < nr; r++)
		squares += (values[r] - all->value) * (values[r] - all->value);
	squares /= ((double)nr - 1.0) * (double)nr;
	if (all->sum.nr < RPT_FEW_SAMPLES)
		squares = fmax(squares, all->variance);
	all->variance = squares;
	all->df = (double)nr - 1.0;
}

struct rpt_estimate rpt_side_estimate(const struct rpt_side_event *side,
				      uint32_t label)
{
	struct rpt_estimate all = { .df = 1.0, .most = INFINITY };
	bool is_bare = side->scatter == RPT_SCATTER_NONE;
	size_t nr = side->side->run_nr;
	double down = 0.0;

	if (side->measure == RPT_MEASURE_SHARE)
		all.most = 1.0;
	for (size_t r = 0; r < nr; r++) {
		struct run_row row;
		double variance;

		side->values[r] = 0.0;
		if (!side->events[r] || side->events[r]->total.nr <= 0.0)
			continue;
		row = run_row(side, r, label);
		if (!is_bare)
			settle(side, r, &row);
		variance = row.ratio.variance / (double)(nr * nr);
		side->values[r] = row.ratio.value;
		all.value += row.ratio.value / (double)nr;
		rpt_sum_add(&all.sum, &row.sum);
		all.variance += variance;
		down += variance * variance / row.ratio.df;
		widen(&all, side, r, row.ratio.value);
	}
	if (is_bare)
		all.variance = NAN;
	else if (down > 0.0)
		all.df = all.variance * all.variance / down;
	if (side->scatter == RPT_SCATTER_BETWEEN)
		set_between(&all, side->values, nr);
	return all;
}

struct rpt_change rpt_change_of(const struct rpt_estimate *old,
				const struct rpt_estimate *new)
{
	struct rpt_change change = { .delta = new->value - old->value,
				     .low = NAN,
				     .high = NAN,
				     .p = NAN };
	double error = sqrt(old->variance + new->variance);
	double df =
		rpt_welch_df(old->variance, old->df, new->variance, new->df);
	double up = new->lost_up + old->lost_down;
	double down = new->lost_down + old->lost_up;
	double sure = fabs(change.delta) - (change.delta > 0.0 ? down : up);
	double reach;

	if (isnan(error))
		return change;
	reach = error > 0.0
			? error * rpt_student_critical(1.0 - RPT_CONFIDENCE, df)
			: 0.0; /* the one row that there is */
	change.low = fmax(change.delta - reach - down, -old->most);
	change.high = fmin(change.delta + reach + up, new->most);
	if (error > 0.0 && old->sum.nr + new->sum.nr >= TESTED_SAMPLES)
		change.p = rpt_student_two_sided(fmax(0.0, sure) / error, df);
	return change;
}
