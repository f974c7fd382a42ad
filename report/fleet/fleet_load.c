#include "report/fleet/fleet_load.h"

#include "format/support/message.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/fleet/fleet_client.h"
#include "report/rows/rows_conf.h"
#include "report/stats/t_test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The hosts of a load's two sides: what each has in all, which are on both, and
 * which count in an event; a part of fleet_load.h. */

/* Return the number of an event that has totals, else UINT32_MAX. */
static uint32_t fleet_find_event(const struct rpt_event_match *events,
				 const char *name)
{
	int64_t text = rpt_intern_find(&events->texts, name, strlen(name));

	for (uint32_t i = 0; i < events->nr; i++)
		if (events->items[i].name == text)
			return i;
	return UINT32_MAX;
}

/* Return the number of an event, a new one at its first time. */
static uint32_t event_number(struct rpt_event_match *events, const char *name)
{
	uint32_t found = fleet_find_event(events, name);
	uint32_t text;

	if (found != UINT32_MAX)
		return found;
	text = (uint32_t)rpt_intern(&events->texts, name, strlen(name));
	events->items = rpt_grow(events->items, &events->cap, events->nr,
				 sizeof(*events->items));
	events->items[events->nr] = (struct rpt_event_ident){ .name = text };
	return events->nr++;
}

/* The first column of a side: its rows. */
static const size_t first_total[] = {
	[RPT_FLEET_OLD] = RPT_FLEET_TOTAL_OLD,
	[RPT_FLEET_NEW] = RPT_FLEET_TOTAL_NEW,
};

static void take_host(struct rpt_fleet_load *load, int s, const char *name)
{
	int64_t at = rpt_intern(&load->hosts[s], name, strlen(name));
	struct rpt_run *run = &load->runs[s][at];

	run->path = rpt_intern_key(&load->hosts[s], (uint32_t)at);
	run->block_nr = 1;
	load->lists[s][at] = run;
}

/* Get the hosts and events of an answer with totals. */
static void take_hosts(struct rpt_fleet_load *load,
		       const struct rpt_fleet_answer *answer)
{
	for (int s = 0; s < RPT_FLEET_SIDES; s++) {
		load->runs[s] = rpt_alloc_zeroed(answer->row_nr + 1,
						 sizeof(*load->runs[s]));
		load->lists[s] =
			rpt_alloc_zeroed(answer->row_nr + 1, sizeof(void *));
	}
	for (size_t r = 0; r < answer->row_nr; r++) {
		event_number(&load->labels.events,
			     rpt_fleet_field(answer, r, RPT_FLEET_TOTAL_EVENT));
		if (rpt_fleet_amount(answer, r, RPT_FLEET_TOTAL_SERVERS) > 1.0)
			load->is_spread = true;
		for (int s = 0; s < RPT_FLEET_SIDES; s++)
			if (rpt_fleet_amount(answer, r, first_total[s]) > 0.0)
				take_host(
					load, s,
					rpt_fleet_field(answer, r,
							RPT_FLEET_TOTAL_HOST));
	}
}

/* Give each run all events, without samples. */
static void add_events(struct rpt_fleet_load *load)
{
	const struct rpt_event_match *events = &load->labels.events;

	for (int s = 0; s < RPT_FLEET_SIDES; s++) {
		for (uint32_t h = 0; h < load->hosts[s].nr; h++) {
			struct rpt_run *run = &load->runs[s][h];

			run->event_nr = events->nr;
			run->events = rpt_alloc_zeroed((size_t)events->nr + 1,
						       sizeof(*run->events));
			for (uint32_t e = 0; e < events->nr; e++) {
				run->events[e].number = e;
				run->events[e].name =
					rpt_event_match_name(events, e);
				run->events[e].modes = RPT_MODE_BOTH;
				run->events[e].is_weighed = true;
				run->events[e].blocks = rpt_alloc_zeroed(
					1, sizeof(struct rpt_sum));
			}
		}
	}
}

/* Take a row's totals of a side, on which its host is. */
static void take_total(struct rpt_fleet_load *load, int s,
		       const struct rpt_fleet_answer *answer, size_t r)
{
	enum { WEIGHT = 1, NUMBER };
	const char *host = rpt_fleet_field(answer, r, RPT_FLEET_TOTAL_HOST);
	const char *name = rpt_fleet_field(answer, r, RPT_FLEET_TOTAL_EVENT);
	int64_t h = rpt_intern_find(&load->hosts[s], host, strlen(host));
	struct rpt_run *run = &load->runs[s][h];
	struct rpt_run_event *event =
		&run->events[event_number(&load->labels.events, name)];
	size_t first = first_total[s];

	event->is_clock =
		rpt_fleet_amount(answer, r, RPT_FLEET_TOTAL_CLOCK) > 0.0;
	event->total = (struct rpt_sum){
		rpt_fleet_amount(answer, r, first + WEIGHT),
		rpt_fleet_amount(answer, r, first + NUMBER),
	};
	event->blocks[0] = event->total;
}

/* Take what the slices of a side's hosts lost: samples of all kinds may be
 * among it. */
static void take_losses(struct rpt_fleet_load *load, int s)
{
	enum { LOST, ALL, DAMAGED };
	static const size_t first_column[] = {
		[RPT_FLEET_OLD] = RPT_FLEET_SLICES_OLD,
		[RPT_FLEET_NEW] = RPT_FLEET_SLICES_NEW,
	};
	const struct rpt_fleet_answer *slices = load->scope->slices;
	size_t first = first_column[s];

	for (size_t r = 0; r < slices->row_nr; r++) {
		const char *host =
			rpt_fleet_field(slices, r, RPT_FLEET_SLICES_HOST);
		int64_t h =
			rpt_intern_find(&load->hosts[s], host, strlen(host));
		double lost = rpt_fleet_amount(slices, r, first + LOST);
		double all = lost + rpt_fleet_amount(slices, r, first + ALL);

		/* below 0: it is not on this side */
		if (h < 0 || all <= 0.0)
			continue;
		load->runs[s][h].lost_share = lost / all;
		load->runs[s][h].is_damaged =
			rpt_fleet_amount(slices, r, first + DAMAGED) > 0.0;
	}
}

static int load_totals(struct rpt_fleet_load *load, struct pd_err *err)
{
	struct rpt_fleet_answer answer;
	int rc = rpt_fleet_ask(&answer, load->scope->args,
			       rpt_fleet_sql_totals(load->scope),
			       RPT_FLEET_TOTAL_COLUMNS, err);

	if (!rc) {
		take_hosts(load, &answer);
		add_events(load);
	}
	for (int s = 0; s < RPT_FLEET_SIDES && !rc; s++) {
		for (size_t r = 0; r < answer.row_nr; r++)
			if (rpt_fleet_amount(&answer, r, first_total[s]) > 0.0)
				take_total(load, s, &answer, r);
		take_losses(load, s);
	}
	rpt_fleet_answer_release(&answer);
	return rc;
}

/* Add a pair to the events that it has samples of on both sides. */
static void add_pair(struct rpt_fleet_load *load, const struct rpt_run *old,
		     const struct rpt_run *new)
{
	load->pair_nr++;
	for (uint32_t e = 0; e < load->labels.events.nr; e++)
		if (rpt_fleet_has_event(old, e) && rpt_fleet_has_event(new, e))
			rpt_pairs_add(&load->events[e].pairs,
				      old->events[e].total.period,
				      new->events[e].total.period);
}

/* Find the hosts that are on both sides. */
static void find_pairs(struct rpt_fleet_load *load)
{
	const struct rpt_intern *old = &load->hosts[RPT_FLEET_OLD];

	for (int s = 0; s < RPT_FLEET_SIDES; s++) {
		size_t nr = load->hosts[s].nr;

		load->partners[s] =
			rpt_alloc_zeroed(nr + 1, sizeof(*load->partners[s]));
		for (size_t h = 0; h < nr; h++)
			load->partners[s][h] = UINT32_MAX;
	}
	for (uint32_t h = 0; h < load->hosts[RPT_FLEET_NEW].nr; h++) {
		const char *name = load->runs[RPT_FLEET_NEW][h].path;
		int64_t at = rpt_intern_find(old, name, strlen(name));

		if (at < 0)
			continue;
		load->partners[RPT_FLEET_OLD][at] = h;
		load->partners[RPT_FLEET_NEW][h] = (uint32_t)at;
		add_pair(load, &load->runs[RPT_FLEET_OLD][at],
			 &load->runs[RPT_FLEET_NEW][h]);
	}
}

/* Choose the hosts that count in each event. */
static void choose_hosts(struct rpt_fleet_load *load)
{
	for (uint32_t e = 0; e < load->labels.events.nr; e++) {
		struct rpt_fleet_event *event = &load->events[e];

		for (int s = 0; s < RPT_FLEET_SIDES; s++) {
			uint32_t host_nr = load->hosts[s].nr;
			size_t *nr = &event->sides[s].run_nr;

			event->runs[s] = rpt_alloc_zeroed((size_t)host_nr + 1,
							  sizeof(void *));
			for (uint32_t h = 0; h < host_nr; h++)
				if (rpt_fleet_has_event(&load->runs[s][h], e))
					event->runs[s][(*nr)++] =
						&load->runs[s][h];
		}
	}
}

/* Say which hosts do not count. */
static void note_events(const struct rpt_fleet_load *load)
{
	for (uint32_t e = 0; e < load->labels.events.nr; e++) {
		const struct rpt_side *sides = load->events[e].sides;
		size_t all_nr = 0, nr = 0;

		for (int s = 0; s < RPT_FLEET_SIDES; s++) {
			all_nr += load->hosts[s].nr;
			nr += sides[s].run_nr;
		}
		if (nr < all_nr)
			sup_message(
				"%zu of %zu hosts %s no samples of '%.200s' "
				"and %s not count in it",
				all_nr - nr, all_nr,
				all_nr - nr == 1 ? "has" : "have",
				rpt_event_match_name(&load->labels.events, e),
				all_nr - nr == 1 ? "does" : "do");
	}
}

/* Ask for the hosts and events of an empty load.  Return as rpt_fleet_load().
 */
static int fleet_sides_load(struct rpt_fleet_load *load, struct pd_err *err)
{
	bool is_diff = load->scope->args->question == RPT_FLEET_DIFF;
	int rc = load_totals(load, err);

	if (rc)
		return rc;
	if (!load->hosts[RPT_FLEET_NEW].nr)
		return pd_err_set(err, -ENODATA, "no samples of %s",
				  is_diff ? "the new side" : "that");
	if (is_diff && !load->hosts[RPT_FLEET_OLD].nr)
		return pd_err_set(err, -ENODATA, "no samples of the old side");
	load->events = rpt_alloc_zeroed((size_t)load->labels.events.nr + 1,
					sizeof(*load->events));
	choose_hosts(load);
	find_pairs(load);
	note_events(load);
	return 0;
}

static void init_labels(struct rpt_labels *labels)
{
	labels->column_nr = 2;
	labels->headers[0] = "Shared Object";
	labels->names[0] = "dso";
	labels->by[0] = RPT_BY_DSO;
	labels->headers[1] = "Symbol";
	labels->names[1] = "symbol";
	labels->by[1] = RPT_BY_SYMBOL;
}

/* Return the label of a row: its DSO and "[.] function", as report has them. */
static uint32_t label_of(struct rpt_fleet_load *load,
			 const struct rpt_fleet_answer *answer, size_t r,
			 uint32_t event)
{
	const char *dso = rpt_fleet_field(answer, r, RPT_FLEET_ROW_DSO);
	const char *level = rpt_fleet_field(answer, r, RPT_FLEET_ROW_LEVEL);
	const char *name = rpt_fleet_field(answer, r, RPT_FLEET_ROW_NAME);
	const char *id = rpt_fleet_field(answer, r, RPT_FLEET_ROW_FUNCTION);
	struct rpt_label *label;
	char *texts = NULL, *full = NULL;
	int len, key_len;
	uint32_t idx;

	if (!*level) /* its stacks were not loaded */
		name = id;
	len = asprintf(&texts, "%s%c[%s] %s", dso, 0, *level ? level : "?",
		       name);
	key_len = asprintf(&full, "%u;%s", event, id);
	if (len < 0 || key_len < 0)
		abort();
	idx = rpt_label_new(&load->labels, full, (size_t)key_len);
	label = &load->labels.items[idx];
	if (!label->texts[0]) {
		rpt_label_fill(&load->labels, label, texts, (size_t)len + 1);
		label->widths[0] = (uint32_t)strlen(label->texts[0]);
		label->widths[1] = (uint32_t)strlen(label->texts[1]);
		load->functions = rpt_grow(load->functions, &load->function_cap,
					   idx, sizeof(*load->functions));
		load->functions[idx] = rpt_alloc_text(id, strlen(id));
	}
	free(texts);
	free(full);
	return idx;
}

static struct rpt_row_sums sums_of(const struct rpt_fleet_answer *answer,
				   size_t r, size_t first)
{
	return (struct rpt_row_sums){
		.sum = { rpt_fleet_amount(answer, r, first),
			 rpt_fleet_amount(answer, r, first + 1) },
		.value = rpt_fleet_amount(answer, r, first + 2),
		.squares = rpt_fleet_amount(answer, r, first + 3),
		.chance = rpt_fleet_amount(answer, r, first + 4),
	};
}

static struct rpt_pairs pairs_of(const struct rpt_fleet_load *load,
				 const struct rpt_fleet_answer *answer,
				 size_t r, uint32_t event)
{
	return (struct rpt_pairs){
		.nr = load->events[event].pairs.nr,
		.a = rpt_fleet_amount(answer, r, RPT_FLEET_ROW_PAIRS),
		.a_squares =
			rpt_fleet_amount(answer, r, RPT_FLEET_ROW_PAIRS + 1),
		.b = rpt_fleet_amount(answer, r, RPT_FLEET_ROW_PAIRS + 2),
		.b_squares =
			rpt_fleet_amount(answer, r, RPT_FLEET_ROW_PAIRS + 3),
		.products =
			rpt_fleet_amount(answer, r, RPT_FLEET_ROW_PAIRS + 4),
	};
}

/* Put a cell into the event's first run, which says that the side has the row.
 */
static void mark_row(struct rpt_fleet_load *load, int s, uint32_t event,
		     uint32_t label)
{
	const struct rpt_fleet_event *at = &load->events[event];
	const struct rpt_sum sum = load->sums[s][label].sum;

	if (at->sides[s].run_nr && sum.nr > 0.0)
		rpt_run_event_add(&at->runs[s][0]->events[event], label, 0,
				  &sum);
}

static void take_row(struct rpt_fleet_load *load,
		     const struct rpt_fleet_answer *answer, size_t r,
		     uint32_t event)
{
	uint32_t label = label_of(load, answer, r, event);
	struct rpt_row_sums *old = &load->sums[RPT_FLEET_OLD][label];
	struct rpt_row_sums *new = &load->sums[RPT_FLEET_NEW][label];

	*old = sums_of(answer, r, RPT_FLEET_ROW_OLD);
	*new = sums_of(answer, r, RPT_FLEET_ROW_NEW);
	old->pairs = new->pairs = pairs_of(load, answer, r, event);
	for (int s = 0; s < RPT_FLEET_SIDES; s++)
		mark_row(load, s, event, label);
}

static int load_rows(struct rpt_fleet_load *load, struct pd_err *err)
{
	struct rpt_fleet_answer answer;
	int rc = rpt_fleet_ask(&answer, load->scope->args,
			       rpt_fleet_sql_rows(load->scope, load->is_spread),
			       RPT_FLEET_ROW_COLUMNS, err);

	for (int s = 0; s < RPT_FLEET_SIDES && !rc; s++)
		load->sums[s] = rpt_alloc_zeroed(answer.row_nr + 1,
						 sizeof(*load->sums[s]));
	for (size_t r = 0; r < answer.row_nr && !rc; r++) {
		uint32_t event = fleet_find_event(
			&load->labels.events,
			rpt_fleet_field(&answer, r, RPT_FLEET_ROW_EVENT));

		/* one that came while we asked has no totals */
		if (event != UINT32_MAX)
			take_row(load, &answer, r, event);
	}
	rpt_fleet_answer_release(&answer);
	return rc;
}

static void set_side(struct rpt_fleet_load *load, int s)
{
	bool are_paired = load->scope->args->pairs && load->pair_nr > 1;

	load->sides[s] = (struct rpt_side){
		.runs = load->lists[s],
		.run_nr = load->hosts[s].nr,
		.pair_nr = are_paired ? load->pair_nr : 0,
	};
	for (uint32_t e = 0; e < load->labels.events.nr; e++) {
		struct rpt_fleet_event *event = &load->events[e];
		struct rpt_side *side = &event->sides[s];

		side->runs = event->runs[s];
		side->sums = load->sums[s];
		side->pair_nr = are_paired ? (size_t)event->pairs.nr : 0;
		side->pairs = are_paired ? &event->pairs : NULL;
		if (side->run_nr)
			rpt_run_event_merge(&event->runs[s][0]->events[e]);
	}
}

int rpt_fleet_load(struct rpt_fleet_load *load,
		   const struct rpt_fleet_scope *scope, struct pd_err *err)
{
	int rc;

	*load = (struct rpt_fleet_load){ .scope = scope };
	init_labels(&load->labels);
	rc = fleet_sides_load(load, err);
	if (!rc)
		rc = load_rows(load, err);
	for (int s = 0; s < RPT_FLEET_SIDES && !rc; s++)
		set_side(load, s);
	return rc;
}

void rpt_fleet_load_release(struct rpt_fleet_load *load)
{
	for (uint32_t i = 0; i < load->labels.keys.nr; i++)
		free(load->functions[i]);
	free(load->functions);
	for (uint32_t e = 0; load->events && e < load->labels.events.nr; e++)
		for (int s = 0; s < RPT_FLEET_SIDES; s++)
			free(load->events[e].runs[s]);
	free(load->events);
	for (int s = 0; s < RPT_FLEET_SIDES; s++) {
		for (uint32_t h = 0; h < load->hosts[s].nr; h++)
			rpt_run_release(&load->runs[s][h]);
		free(load->runs[s]);
		free(load->lists[s]);
		free(load->sums[s]);
		free(load->partners[s]);
		rpt_intern_release(&load->hosts[s]);
	}
	rpt_labels_release(&load->labels);
	*load = (struct rpt_fleet_load){ 0 };
}

static int compare_rows(const void *a, const void *b)
{
	const struct rpt_fleet_row *x = a, *y = b;
	int rc = rpt_compare_doubles(&y->estimate.value, &x->estimate.value);

	return rc ? rc : rpt_compare_u64(x->label, y->label);
}

static struct rpt_fleet_row row_of(const struct rpt_side_event *side,
				   uint32_t label)
{
	struct rpt_fleet_row row = {
		.label = label,
		.estimate = rpt_side_estimate(side, label),
		.low = NAN,
		.high = NAN,
	};
	const struct rpt_estimate *at = &row.estimate;
	double reach;

	if (isnan(at->variance))
		return row;
	reach = sqrt(at->variance) *
		rpt_t_test_critical(1.0 - RPT_CONFIDENCE, at->df);
	row.low = fmax(0.0, at->value - reach - at->unseen_down);
	row.high = fmin(1.0, at->value + reach + at->unseen_up);
	return row;
}

struct rpt_fleet_row *rpt_fleet_rows(const struct rpt_fleet_load *load,
				     uint32_t event, size_t nr, size_t *ret_nr,
				     size_t *ret_all_nr, struct pd_err *err)
{
	const struct rpt_side *side = &load->events[event].sides[RPT_FLEET_NEW];
	const struct rpt_run_event *first = &side->runs[0]->events[event];
	struct rpt_side_event at;
	struct rpt_fleet_row *rows = NULL;

	if (!rpt_side_event_init(&at, side, event, RPT_MEASURE_SHARE,
				 side->run_nr > 1 ? RPT_SCATTER_BETWEEN
						  : RPT_SCATTER_NONE,
				 err)) {
		/* the first run has a cell for each label of the event */
		rows = rpt_alloc_zeroed((size_t)first->cell_nr + 1,
					sizeof(*rows));
		for (uint32_t i = 0; i < first->cell_nr; i++)
			rows[i] = row_of(&at, first->cells[i].label);
		qsort(rows, first->cell_nr, sizeof(*rows), compare_rows);
		*ret_all_nr = first->cell_nr;
		*ret_nr = first->cell_nr < nr ? first->cell_nr : nr;
	}
	rpt_side_event_release(&at);
	return rows;
}

static int ask(struct rpt_fleet_answer *slices,
	       const struct rpt_fleet_scope *scope, struct pd_err *err)
{
	return rpt_fleet_ask(slices, scope->args, rpt_fleet_sql_slices(scope),
			     RPT_FLEET_SLICES_COLUMNS, err);
}

/* Say of how many slices something is true. */
static bool warn(const struct rpt_fleet_answer *slices, size_t column,
		 const char *what)
{
	double nr = rpt_fleet_sum(slices, column);

	if (nr > 0.0)
		sup_message("%.0f of %.0f slices %s", nr,
			    rpt_fleet_sum(slices, RPT_FLEET_SLICES_ALL), what);
	return nr > 0.0;
}

int rpt_fleet_slices_look(struct rpt_fleet_answer *slices,
			  struct rpt_fleet_scope *scope, bool *ret_is_partial,
			  struct pd_err *err)
{
	int rc = ask(slices, scope, err);

	if (!rc && rpt_fleet_sum(slices, RPT_FLEET_SLICES_TWINS) > 0.0) {
		scope->has_twins = scope->args->engine == RPT_FLEET_CLICKHOUSE;
		rpt_fleet_answer_release(slices);
		rc = ask(slices, scope, err);
	}
	if (rc)
		return rc;
	scope->slices = slices;
	if (warn(slices, RPT_FLEET_SLICES_SHORT, "lack rows: load them again"))
		*ret_is_partial = true;
	(void)warn(slices, RPT_FLEET_SLICES_DAMAGED,
		   "are of damaged recordings, of which the whole part counts");
	return 0;
}
