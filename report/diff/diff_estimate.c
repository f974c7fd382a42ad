#include "report/diff/diff_estimate.h"

#include "report/base/memory.h"
#include "report/stats/t_test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9

/* Agresti and Coull's successes, and failures. */
#define PSEUDO 2.0

/* The difference of two runs that are one scatters less than this part of them:
 * by rounding. */
#define SAME_RUN 1e-12

/* Values that differ by less than this part of them differ by rounding. */
#define SAME_VALUE 1e-12

/* A sum of squares around a mean is known to this part of the squares. */
#define ROUNDING 1e-13

static const struct rpt_run_event *find_event(const struct rpt_run *run,
					      uint32_t number)
{
	for (size_t e = 0; e < run->event_nr; e++)
		if (run->events[e].number == number)
			return &run->events[e];
	return NULL;
}

/* Return an event that counts ns of CPU time, if possible this one. */
static const struct rpt_run_event *find_clock(const struct rpt_run *run,
					      const struct rpt_run_event *event)
{
	if (event && event->is_clock)
		return event;
	for (size_t e = 0; e < run->event_nr; e++)
		if (run->events[e].is_clock)
			return &run->events[e];
	return NULL;
}

/* Return the divisor of the periods of block b. */
static double block_divisor(const struct rpt_side_event *side, size_t run_idx,
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

/* Return the divisor of the periods of a run. */
static double run_divisor(const struct rpt_side_event *side, size_t run_idx)
{
	double sum = 0.0;

	for (uint32_t b = 0; b < side->side->runs[run_idx]->block_nr; b++)
		sum += block_divisor(side, run_idx, b);
	return sum;
}

/* Return whether runs do a given work, however long it takes: blocks of time
 * show the shares of its cost; its total is one number, certain but for the
 * counting of samples (Poisson). */
static bool is_of_fixed_work(enum rpt_measure measure)
{
	return measure == RPT_MEASURE_COUNT || measure == RPT_MEASURE_UNIT;
}

static struct rpt_sum run_sum(const struct rpt_run_event *event, uint32_t label)
{
	struct rpt_sum sum = { 0.0, 0.0 };
	size_t nr;
	const struct rpt_run_cell *cells = rpt_run_cells(event, label, &nr);

	for (size_t i = 0; i < nr; i++)
		rpt_sum_add(&sum, &cells[i].sum);
	return sum;
}

/* Add weight times the residuals of a run's row to e. */
static void run_residuals(const struct rpt_side_event *side, size_t run_idx,
			  uint32_t label, double weight, double *e)
{
	const struct rpt_run_event *event = side->events[run_idx];
	bool is_fixed = is_of_fixed_work(side->measure);
	double x[RPT_BLOCKS_MAX] = { 0 };
	double d[RPT_BLOCKS_MAX], own[RPT_BLOCKS_MAX] = { 0 };
	double samples[RPT_BLOCKS_MAX];
	size_t nr;
	const struct rpt_run_cell *cells = rpt_run_cells(event, label, &nr);

	for (size_t i = 0; i < nr; i++)
		x[cells[i].block] = cells[i].sum.period;
	for (uint32_t b = 0; b < RPT_BLOCKS_MAX; b++) {
		samples[b] = event->blocks[b].nr;
		d[b] = is_fixed ? event->blocks[b].period
				: block_divisor(side, run_idx, b);
	}
	if (is_fixed) /* of shares, to cost */
		weight *= event->total.period / run_divisor(side, run_idx);
	rpt_block_residuals(x, d, RPT_BLOCKS_MAX, own);
	rpt_block_stages(own, samples, weight, e);
}

static bool has_periods(const struct rpt_side_event *side, size_t run_idx)
{
	return side->events[run_idx] &&
	       side->events[run_idx]->total.period > 0.0;
}

/* Add weight times the residuals of the side's row to e.  Return false if the
 * times of a run's samples are not known. */
static bool side_residuals(const struct rpt_side_event *side, uint32_t label,
			   double weight, double *e)
{
	size_t nr = side->side->run_nr;

	for (size_t r = 0; r < nr; r++) {
		if (!has_periods(side, r))
			continue;
		if (side->side->runs[r]->block_nr != RPT_BLOCKS_MAX)
			return false;
		run_residuals(side, r, label, weight / (double)nr, e);
	}
	return true;
}

/* Return the variance of the value of a row of row_nr samples if these were
 * independent, with PSEUDO samples more in the row and as many in others. */
static double binomial(const struct rpt_side_event *side, size_t run_idx,
		       double row_nr)
{
	const struct rpt_run_event *event = side->events[run_idx];
	double nr = event->total.nr + 2.0 * PSEUDO;
	double share = (row_nr + PSEUDO) / nr;
	double variance = share * (1.0 - share) / nr;
	double scale = 1.0;

	if (side->measure != RPT_MEASURE_SHARE) {
		double d = run_divisor(side, run_idx);

		/* counts: Poisson */
		variance = share / nr;
		scale = d > 0.0 ? event->total.period / d : 0.0;
	}
	return variance * scale * scale;
}

static int find_events(struct rpt_side_event *side, uint32_t name,
		       struct pd_err *err)
{
	for (size_t r = 0; r < side->side->run_nr; r++) {
		const struct rpt_run *run = side->side->runs[r];
		const struct rpt_run_event *event = find_event(run, name);

		side->events[r] = event;
		side->clocks[r] = find_clock(run, event);
		if (!event && side->side->run_nr > 1)
			return pd_err_set(err, -ENODATA,
					  "%s: it lacks an event that other "
					  "runs of its side have",
					  run->path);
		if (!event)
			continue;
		rpt_sum_add(&side->total, &event->total);
		if (side->measure == RPT_MEASURE_CPU && !side->clocks[r])
			return pd_err_set(err, -ENODATA,
					  "%s: no clock event says how much "
					  "CPU time there was",
					  run->path);
		if (side->measure == RPT_MEASURE_WALL && run->wall_s <= 0.0)
			return pd_err_set(err, -ENODATA,
					  "%s: its samples have no time",
					  run->path);
	}
	return 0;
}

/* Whether a side's runs can be told by the clock of one boot. */
static bool is_of_boot(const struct rpt_side *side, const uint8_t *boot_id)
{
	static const uint8_t unknown[16];

	if (!memcmp(boot_id, unknown, sizeof(unknown)))
		return false;
	for (size_t r = 0; r < side->run_nr; r++)
		if (memcmp(side->runs[r]->time.start.boot_id, boot_id,
			   sizeof(unknown)) != 0)
			return false;
	return true;
}

struct span {
	uint64_t begin_ns; /* 0: not known of each run */
	uint64_t end_ns;
};

static struct span span_of(const struct rpt_side *side, bool by_boot)
{
	struct span ret = { UINT64_MAX, 0 };

	for (size_t r = 0; r < side->run_nr; r++) {
		const struct rpt_run_time *time = &side->runs[r]->time;
		uint64_t begin_ns =
			by_boot ? time->start.mono_ns : time->start.wall_ns;

		if (!time->start.wall_ns || !time->len_ns)
			return (struct span){ 0, UINT64_MAX };
		if (begin_ns < ret.begin_ns)
			ret.begin_ns = begin_ns;
		if (begin_ns + time->len_ns > ret.end_ns)
			ret.end_ns = begin_ns + time->len_ns;
	}
	return ret;
}

bool rpt_sides_are_blocks(const struct rpt_side *old,
			  const struct rpt_side *new)
{
	const uint8_t *boot_id = old->runs[0]->time.start.boot_id;
	bool by_boot = is_of_boot(old, boot_id) && is_of_boot(new, boot_id);
	struct span a = span_of(old, by_boot), b = span_of(new, by_boot);

	return a.end_ns <= b.begin_ns || b.end_ns <= a.begin_ns;
}

int rpt_side_event_init(struct rpt_side_event *ret, const struct rpt_side *side,
			uint32_t event, enum rpt_measure measure,
			enum rpt_scatter scatter, struct pd_err *err)
{
	size_t nr = side->run_nr;

	*ret = (struct rpt_side_event){
		.side = side,
		.measure = measure,
		.scatter = scatter,
		.pairs = side->pairs ? &side->pairs[event] : NULL,
	};
	ret->events = rpt_alloc_zeroed(nr, sizeof(void *));
	ret->clocks = rpt_alloc_zeroed(nr, sizeof(void *));
	ret->values = rpt_alloc_zeroed(nr, sizeof(*ret->values));
	return find_events(ret, event, err);
}

void rpt_side_event_release(struct rpt_side_event *side)
{
	free(side->events);
	free(side->clocks);
	free(side->values);
	*side = (struct rpt_side_event){ 0 };
}

const struct rpt_run_event *
rpt_side_first_event(const struct rpt_side_event *side)
{
	for (size_t r = 0; r < side->side->run_nr; r++)
		if (side->events[r])
			return side->events[r];
	return NULL;
}

/* Add how much what was not seen of a run may have moved its value. */
static void add_unseen(struct rpt_estimate *all,
		       const struct rpt_side_event *side, size_t run_idx,
		       double value)
{
	const struct rpt_run *run = side->side->runs[run_idx];
	const struct rpt_run_event *event = side->events[run_idx];
	double total = event->total.period / run_divisor(side, run_idx);
	double off = event->is_clock ? run->lock_reach * total : 0.0;
	double lost = run->lost_share, nr = (double)side->side->run_nr;

	all->unseen_down += fmin(off, value) / nr;
	all->unseen_up += fmin(off, fmax(0.0, total - value)) / nr;
	if (side->measure == RPT_MEASURE_SHARE) {
		all->unseen_down += lost * value / nr;
		all->unseen_up += lost * (1.0 - value) / nr;
	} else if (lost < 1.0) {
		all->unseen_up += value * lost / (1.0 - lost) / nr;
	}
}

/* Return whether all runs are alike, and not because there is only one row:
 * then their scatter is not known. */
static bool is_constant(const struct rpt_estimate *all, double variance)
{
	return sqrt(variance) <= SAME_VALUE * fabs(all->value) &&
	       all->value < all->most * (1.0 - SAME_VALUE);
}

/* Set the variance to that of the runs' values around their mean, whose squares
 * are given; for few samples, and runs that are all alike, at least to that by
 * chance. */
static void set_variance(struct rpt_estimate *all, double squares, size_t nr)
{
	squares /= ((double)nr - 1.0) * (double)nr;
	all->seen_variance = squares;
	if (all->sum.nr < RPT_FEW_SAMPLES || is_constant(all, squares))
		squares = fmax(squares, all->chance);
	all->variance = squares;
	all->df = (double)nr - 1.0;
}

static void set_between(struct rpt_estimate *all, const double *values,
			size_t nr)
{
	double squares = 0.0;

	for (size_t r = 0; r < nr; r++)
		squares += (values[r] - all->value) * (values[r] - all->value);
	set_variance(all, squares, nr);
}

static void add_run(struct rpt_estimate *all, const struct rpt_side_event *side,
		    size_t run_idx, uint32_t label)
{
	double nr = (double)side->side->run_nr;
	struct rpt_sum sum = run_sum(side->events[run_idx], label);
	double value = sum.period / run_divisor(side, run_idx);

	side->values[run_idx] = value;
	all->value += value / nr;
	rpt_sum_add(&all->sum, &sum);
	all->chance += binomial(side, run_idx, sum.nr) / (nr * nr);
	if (is_of_fixed_work(side->measure))
		all->total_variance += value * value /
				       side->events[run_idx]->total.nr /
				       (nr * nr);
	add_unseen(all, side, run_idx, value);
}

double rpt_side_run_value(const struct rpt_side_event *side, size_t run_idx,
			  uint32_t label)
{
	return has_periods(side, run_idx)
		       ? run_sum(side->events[run_idx], label).period /
				 run_divisor(side, run_idx)
		       : 0.0;
}

/* Add what the runs of a row add up to, to the estimate of one without samples.
 * How much samples were lost is taken to be the same in all runs. */
static void add_sums(struct rpt_estimate *all,
		     const struct rpt_side_event *side,
		     const struct rpt_row_sums *sums)
{
	double nr = (double)side->side->run_nr;
	double lost = all->unseen_up;
	double squares;

	all->value = sums->value / nr;
	all->sum = sums->sum;
	all->chance += sums->chance / (nr * nr);
	all->unseen_down = lost * all->value;
	all->unseen_up = lost * (1.0 - all->value);
	all->pairs = side->pairs ? &sums->pairs : NULL;
	squares = sums->squares - nr * all->value * all->value;
	/* by rounding */
	if (squares < ROUNDING * sums->squares)
		squares = 0.0;
	if (side->scatter == RPT_SCATTER_BETWEEN)
		set_variance(all, squares, side->side->run_nr);
}

struct rpt_estimate rpt_side_estimate(const struct rpt_side_event *side,
				      uint32_t label)
{
	const struct rpt_row_sums *sums = side->side->sums;
	struct rpt_estimate all = { .df = 1,
				    .most = INFINITY,
				    .variance = NAN };

	if (side->measure == RPT_MEASURE_SHARE)
		all.most = 1.0;
	for (size_t r = 0; r < side->side->run_nr; r++) {
		side->values[r] = 0.0;
		if (has_periods(side, r))
			add_run(&all, side, r, sums ? UINT32_MAX : label);
	}
	if (sums && label != UINT32_MAX)
		add_sums(&all, side, &sums[label]);
	else if (side->scatter == RPT_SCATTER_BETWEEN)
		set_between(&all, side->values, side->side->run_nr);
	return all;
}

static double squares_of(const double *e)
{
	double sum = 0.0;

	for (size_t i = 0; i < RPT_BLOCKS_MAX; i++)
		sum += e[i] * e[i];
	return sum;
}

struct rpt_scatter_sum rpt_scatter_within(const struct rpt_side_event *old,
					  uint32_t old_label,
					  const struct rpt_side_event *new,
					  uint32_t new_label)
{
	double a_e[RPT_BLOCKS_MAX] = { 0 }, b_e[RPT_BLOCKS_MAX] = { 0 };
	double e[RPT_BLOCKS_MAX];
	struct rpt_scatter_sum a, b;

	if (!side_residuals(old, old_label, -1.0, a_e) ||
	    !side_residuals(new, new_label, 1.0, b_e))
		return (struct rpt_scatter_sum){ NAN, 1.0 };
	for (size_t i = 0; i < RPT_BLOCKS_MAX; i++)
		e[i] = a_e[i] + b_e[i];
	if (squares_of(e) > SAME_RUN * (squares_of(a_e) + squares_of(b_e)))
		return rpt_block_scatter(e);
	/* both sides are one recording: take its samples for different ones */
	a = rpt_block_scatter(a_e);
	b = rpt_block_scatter(b_e);
	return (struct rpt_scatter_sum){
		a.variance + b.variance,
		rpt_welch_df(a.variance, a.df, b.variance, b.df),
	};
}

/* Estimate the mean total of a run, in_measure: in that of the rows.  The
 * sides' own variances are the weights of the degrees of freedom. */
static struct rpt_estimate total_estimate(const struct rpt_side_event *side,
					  bool in_measure)
{
	struct rpt_estimate all = { .most = INFINITY,
				    .variance = NAN,
				    .pairs = side->pairs,
				    .sum = side->total };
	double nr = (double)side->side->run_nr;

	for (size_t r = 0; r < side->side->run_nr; r++) {
		double lost = side->side->runs[r]->lost_share;
		struct rpt_sum sum = { 0.0, 0.0 };

		if (has_periods(side, r))
			sum = side->events[r]->total;
		if (in_measure && has_periods(side, r))
			sum.period /= run_divisor(side, r);
		side->values[r] = sum.period;
		all.value += sum.period / nr;
		if (sum.nr > 0.0)
			all.chance +=
				sum.period * sum.period / sum.nr / (nr * nr);
		if (lost < 1.0)
			all.unseen_up += sum.period * lost / (1.0 - lost) / nr;
	}
	if (side->scatter == RPT_SCATTER_BETWEEN)
		set_between(&all, side->values, side->side->run_nr);
	all.chance = all.variance;
	return all;
}

struct rpt_change rpt_total_change(const struct rpt_side_event *old,
				   const struct rpt_side_event *new)
{
	struct rpt_estimate a = total_estimate(old, false);
	struct rpt_estimate b = total_estimate(new, false);

	return rpt_change_of(&a, &b, rpt_scatter_between(&a, &b));
}

struct rpt_change rpt_measure_change(const struct rpt_side_event *old,
				     const struct rpt_side_event *new)
{
	struct rpt_estimate a = total_estimate(old, true);
	struct rpt_estimate b = total_estimate(new, true);
	struct rpt_change change =
		rpt_change_of(&a, &b, rpt_scatter_between(&a, &b));
	double scale = old->measure != RPT_MEASURE_SHARE && a.value > 0.0
			       ? 1.0 / a.value
			       : NAN;

	change.delta *= scale;
	change.low *= scale;
	change.high *= scale;
	change.error *= scale;
	change.down *= scale;
	return change;
}

double rpt_side_total(const struct rpt_side_event *side)
{
	return total_estimate(side, true).value;
}

/* Rows with fewer on both sides together are not tested: they would only make
 * the correction for the others stricter (independent filtering: Bourgon and
 * others, PNAS 107, 2010). */
#define TESTED_SAMPLES 10

/* Degrees of freedom of rows with few samples, whose variance is the others'.
 */
#define FEW_DF 15

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

double rpt_change_p_above(const struct rpt_change *change, double limit)
{
	double above = change->delta - limit - change->down;

	if (isnan(change->p) || !(change->error > 0.0))
		return NAN;
	return above > 0.0
		       ? rpt_t_test_two_sided(above / change->error, change->df)
		       : 1.0;
}

struct rpt_change rpt_change_of(const struct rpt_estimate *old,
				const struct rpt_estimate *new,
				struct rpt_scatter_sum scatter)
{
	struct rpt_change change = { .delta = new->value - old->value,
				     .low = NAN,
				     .high = NAN,
				     .p = NAN,
				     .error = sqrt(scatter.variance),
				     .df = scatter.df };
	double error = change.error;
	double up = new->unseen_up + old->unseen_down;
	double down = new->unseen_down + old->unseen_up;
	double sure = fabs(change.delta) - (change.delta > 0.0 ? down : up);
	double reach;

	change.down = down;
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
