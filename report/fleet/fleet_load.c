#include "report/fleet/fleet_load.h"

#include "report/base/memory.h"
#include "report/fleet/fleet_client.h"
#include "report/rows/rows_conf.h"

#include "format/support/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static double number(const struct rpt_fleet_answer *answer, size_t row,
		     size_t column)
{
	double v = rpt_fleet_number(answer, row, column);

	return v > 0.0 ? v : 0.0; /* NaN too */
}

/* Ask, and free the question. */
static int ask(struct rpt_fleet_answer *answer,
	       const struct rpt_fleet_load *load, char *sql, size_t column_nr,
	       struct pd_err *err)
{
	int rc = rpt_fleet_ask(answer, load->scope->args, sql, column_nr, err);

	free(sql);
	return rc;
}

/* Return the number of an event that has totals, else UINT32_MAX. */
static uint32_t find_event(const struct rpt_event_match *events,
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
	uint32_t found = find_event(events, name);
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
		if (number(answer, r, RPT_FLEET_TOTAL_SERVERS) > 1.0)
			load->is_spread = true;
		for (int s = 0; s < RPT_FLEET_SIDES; s++)
			if (number(answer, r, first_total[s]) > 0.0)
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
	enum { WEIGHT = 1, NUMBER, LOST, DAMAGED };
	const char *host = rpt_fleet_field(answer, r, RPT_FLEET_TOTAL_HOST);
	const char *name = rpt_fleet_field(answer, r, RPT_FLEET_TOTAL_EVENT);
	int64_t h = rpt_intern_find(&load->hosts[s], host, strlen(host));
	struct rpt_run *run = &load->runs[s][h];
	struct rpt_run_event *event =
		&run->events[event_number(&load->labels.events, name)];
	size_t first = first_total[s];

	run->lost_share += number(answer, r, first + LOST);
	run->is_damaged |= number(answer, r, first + DAMAGED) > 0.0;
	event->is_clock = number(answer, r, RPT_FLEET_TOTAL_CLOCK) > 0.0;
	event->total = (struct rpt_sum){
		number(answer, r, first + WEIGHT),
		number(answer, r, first + NUMBER),
	};
	event->blocks[0] = event->total;
}

/* Make a share of a run's number of lost samples. */
static void set_lost_share(struct rpt_run *run)
{
	double all = run->lost_share;

	for (size_t e = 0; e < run->event_nr; e++)
		all += run->events[e].total.nr;
	run->lost_share = all > 0.0 ? run->lost_share / all : 0.0;
}

static int load_totals(struct rpt_fleet_load *load, struct pd_err *err)
{
	struct rpt_fleet_answer answer;
	int rc = ask(&answer, load, rpt_fleet_sql_totals(load->scope),
		     RPT_FLEET_TOTAL_COLUMNS, err);

	if (!rc) {
		take_hosts(load, &answer);
		add_events(load);
	}
	for (int s = 0; s < RPT_FLEET_SIDES && !rc; s++) {
		for (size_t r = 0; r < answer.row_nr; r++)
			if (number(&answer, r, first_total[s]) > 0.0)
				take_total(load, s, &answer, r);
		for (uint32_t h = 0; h < load->hosts[s].nr; h++)
			set_lost_share(&load->runs[s][h]);
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
		.sum = { number(answer, r, first),
			 number(answer, r, first + 1) },
		.value = number(answer, r, first + 2),
		.squares = number(answer, r, first + 3),
		.chance = number(answer, r, first + 4),
	};
}

static struct rpt_pairs pairs_of(const struct rpt_fleet_load *load,
				 const struct rpt_fleet_answer *answer,
				 size_t r, uint32_t event)
{
	return (struct rpt_pairs){
		.nr = load->events[event].pairs.nr,
		.a = number(answer, r, RPT_FLEET_ROW_PAIRS),
		.a_squares = number(answer, r, RPT_FLEET_ROW_PAIRS + 1),
		.b = number(answer, r, RPT_FLEET_ROW_PAIRS + 2),
		.b_squares = number(answer, r, RPT_FLEET_ROW_PAIRS + 3),
		.products = number(answer, r, RPT_FLEET_ROW_PAIRS + 4),
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
	int rc = ask(&answer, load,
		     rpt_fleet_sql_rows(load->scope, load->is_spread),
		     RPT_FLEET_ROW_COLUMNS, err);

	for (int s = 0; s < RPT_FLEET_SIDES && !rc; s++)
		load->sums[s] = rpt_alloc_zeroed(answer.row_nr + 1,
						 sizeof(*load->sums[s]));
	for (size_t r = 0; r < answer.row_nr && !rc; r++) {
		uint32_t event = find_event(
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
				"%zu of %zu hosts have no samples of "
				"'%.200s' and do not count in it",
				all_nr - nr, all_nr,
				rpt_event_match_name(&load->labels.events, e));
	}
}

int rpt_fleet_load(struct rpt_fleet_load *load,
		   const struct rpt_fleet_scope *scope, struct pd_err *err)
{
	bool is_diff = scope->args->question == RPT_FLEET_DIFF;
	int rc;

	*load = (struct rpt_fleet_load){ .scope = scope };
	init_labels(&load->labels);
	rc = load_totals(load, err);
	if (!rc && !load->hosts[RPT_FLEET_NEW].nr)
		rc = pd_err_set(err, -ENODATA, "no samples of %s",
				is_diff ? "the new side" : "that");
	if (!rc && is_diff && !load->hosts[RPT_FLEET_OLD].nr)
		rc = pd_err_set(err, -ENODATA, "no samples of the old side");
	if (!rc) {
		load->events =
			rpt_alloc_zeroed((size_t)load->labels.events.nr + 1,
					 sizeof(*load->events));
		choose_hosts(load);
		find_pairs(load);
		rc = load_rows(load, err);
	}
	for (int s = 0; s < RPT_FLEET_SIDES && !rc; s++)
		set_side(load, s);
	if (!rc)
		note_events(load);
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
