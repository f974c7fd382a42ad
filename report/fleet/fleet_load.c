#include "report/fleet/fleet_load.h"

#include "report/base/memory.h"
#include "report/fleet/fleet_client.h"
#include "report/fleet/fleet_sides.h"
#include "report/rows/rows_conf.h"

#include <stdlib.h>
#include <string.h>

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
		uint32_t event = rpt_fleet_find_event(
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
	rc = rpt_fleet_sides_load(load, err);
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
