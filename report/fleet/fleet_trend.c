/* perfpair fleet trend: how the shares of the heaviest functions went over
 * time: in each step the mean over the hosts that have samples in it. */
#include "report/base/json_text.h"
#include "report/base/memory.h"
#include "report/fleet/fleet_client.h"
#include "report/fleet/fleet_impl.h"
#include "report/fleet/fleet_load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SCHEMA_VERSION 1

struct trend {
	struct rpt_fleet_load load;
	struct rpt_fleet_answer counts; /* by event and step */
	struct rpt_intern keys;		/* of an event: steps with functions */
	double *shares;			/* by key; owned */
	struct rpt_text *out;
	struct rpt_json json;
	bool is_json;
};

static bool is_event(const struct rpt_fleet_answer *answer, size_t row,
		     const char *event)
{
	return !strcmp(rpt_fleet_field(answer, row, 0), event);
}

/* A step and a function, which both are numbers, in shares. */
static int64_t key_of(struct trend *trend, const char *step,
		      const char *function, bool is_new)
{
	char key[64];
	size_t len =
		(size_t)snprintf(key, sizeof(key), "%s %s", step, function);

	if (len >= sizeof(key))
		return -1;
	return is_new ? rpt_intern(&trend->keys, key, len)
		      : rpt_intern_find(&trend->keys, key, len);
}

/* Return a function's mean share in a step, which row of counts is. */
static double share_at(struct trend *trend, size_t row, const char *function)
{
	int64_t key = key_of(
		trend,
		rpt_fleet_field(&trend->counts, row, RPT_FLEET_COUNT_TIME),
		function, false);

	/* it has no samples in that step */
	return key < 0 ? 0.0
		       : trend->shares[key] /
				 rpt_fleet_number(&trend->counts, row,
						  RPT_FLEET_COUNT_HOSTS);
}

/* Take the shares of an event out of an answer. */
static void take_steps(struct trend *trend, const char *event,
		       const struct rpt_fleet_answer *steps)
{
	trend->shares =
		rpt_alloc_zeroed(steps->row_nr + 1, sizeof(*trend->shares));
	for (size_t r = 0; r < steps->row_nr; r++) {
		int64_t key = -1;

		if (is_event(steps, r, event))
			key = key_of(
				trend,
				rpt_fleet_field(steps, r, RPT_FLEET_STEP_TIME),
				rpt_fleet_field(steps, r,
						RPT_FLEET_STEP_FUNCTION),
				true);
		if (key >= 0)
			trend->shares[key] = rpt_fleet_number(
				steps, r, RPT_FLEET_STEP_SHARE);
	}
}

static void forget_steps(struct trend *trend)
{
	rpt_intern_release(&trend->keys);
	free(trend->shares);
	trend->shares = NULL;
}

static void print_time(struct rpt_text *out, const char *step)
{
	time_t t = (time_t)strtoll(step, NULL, 10);
	struct tm tm;
	char buf[32];

	if (gmtime_r(&t, &tm) &&
	    strftime(buf, sizeof(buf), "%Y-%m-%d %H:%M:%S", &tm))
		rpt_text_str(out, buf);
}

/* Print a line for a step, which row of counts is. */
static void print_step(struct trend *trend, size_t row, const char *function)
{
	double host_nr =
		rpt_fleet_amount(&trend->counts, row, RPT_FLEET_COUNT_HOSTS);

	print_time(trend->out,
		   rpt_fleet_field(&trend->counts, row, RPT_FLEET_COUNT_TIME));
	rpt_text_format(trend->out, "  %7.2f%%  %8.0f host%s\n",
			100.0 * share_at(trend, row, function), host_nr,
			host_nr == 1.0 ? "" : "s");
}

/* Print a block of lines for each function: a step is a line. */
static void print_text(struct trend *trend, const char *event,
		       const struct rpt_fleet_row *rows, size_t nr)
{
	struct rpt_text *out = trend->out;

	rpt_text_format(out,
			"# Event '%.200s': mean share of the hosts in "
			"each step.\n",
			event);
	for (size_t i = 0; i < nr; i++) {
		const struct rpt_label *label =
			&trend->load.labels.items[rows[i].label];
		const char *function = trend->load.functions[rows[i].label];

		rpt_text_str(out, "\n# ");
		rpt_text_str(out, label->texts[0]);
		rpt_text_str(out, "  ");
		rpt_text_str(out, label->texts[1]);
		rpt_text_char(out, '\n');
		for (size_t r = 0; r < trend->counts.row_nr; r++) {
			if (!is_event(&trend->counts, r, event))
				continue;
			print_step(trend, r, function);
		}
	}
}

static void put_function(struct trend *trend, const char *event,
			 const struct rpt_fleet_row *row)
{
	const struct rpt_label *label = &trend->load.labels.items[row->label];
	const char *function = trend->load.functions[row->label];
	struct rpt_json *json = &trend->json;

	rpt_json_line(json, 3);
	rpt_json_open(json, '{');
	rpt_json_member_str(json, "dso", label->texts[0]);
	rpt_json_member_str(json, "symbol", label->texts[1]);
	rpt_json_key(json, "steps");
	rpt_json_open(json, '[');
	for (size_t r = 0; r < trend->counts.row_nr; r++) {
		if (!is_event(&trend->counts, r, event))
			continue;
		rpt_json_line(json, 4);
		rpt_json_open(json, '{');
		rpt_json_member_number(json, "time_s",
				       rpt_fleet_number(&trend->counts, r,
							RPT_FLEET_COUNT_TIME));
		rpt_json_member_number(json, "hosts",
				       rpt_fleet_number(&trend->counts, r,
							RPT_FLEET_COUNT_HOSTS));
		rpt_json_member_number(json, "share_pct",
				       100.0 * share_at(trend, r, function));
		rpt_json_close(json, '}');
	}
	rpt_json_line_close(json, 3, ']');
	rpt_json_close(json, '}');
}

static void put_event(struct trend *trend, const char *event,
		      const struct rpt_fleet_row *rows, size_t nr)
{
	struct rpt_json *json = &trend->json;

	rpt_json_line(json, 2);
	rpt_json_open(json, '{');
	rpt_json_member_str(json, "event", event);
	rpt_json_key(json, "rows");
	rpt_json_open(json, '[');
	for (size_t i = 0; i < nr; i++)
		put_function(trend, event, &rows[i]);
	rpt_json_line_close(json, 2, ']');
	rpt_json_close(json, '}');
}

static int ask_steps(struct trend *trend, const char *event,
		     const struct rpt_fleet_row *rows, size_t nr,
		     struct pd_err *err)
{
	struct rpt_fleet_answer steps;
	const struct rpt_fleet_scope *scope = trend->load.scope;
	const char **functions = rpt_alloc_zeroed(nr + 1, sizeof(*functions));
	int rc;

	for (size_t i = 0; i < nr; i++)
		functions[i] = trend->load.functions[rows[i].label];
	rc = rpt_fleet_ask(&steps, scope->args,
			   rpt_fleet_sql_steps(scope, functions, nr),
			   RPT_FLEET_STEP_COLUMNS, err);
	if (!rc)
		take_steps(trend, event, &steps);
	rpt_fleet_answer_release(&steps);
	free(functions);
	return rc;
}

static int print_event(struct trend *trend, uint32_t e, struct pd_err *err)
{
	const char *event = rpt_event_match_name(&trend->load.labels.events, e);
	size_t nr, all_nr;
	struct rpt_fleet_row *rows;
	int rc;

	if (!trend->load.events[e].sides[RPT_FLEET_NEW].run_nr)
		return 0;
	rows = rpt_fleet_rows(&trend->load, e, trend->load.scope->args->limit,
			      &nr, &all_nr, err);
	rc = rows ? 0 : -EINVAL;
	if (!rc && nr) {
		rc = ask_steps(trend, event, rows, nr, err);
		if (!rc && trend->is_json)
			put_event(trend, event, rows, nr);
		else if (!rc)
			print_text(trend, event, rows, nr);
		forget_steps(trend);
	}
	free(rows);
	return rc;
}

static int print_events(struct trend *trend, struct pd_err *err)
{
	struct rpt_json *json = &trend->json;
	int rc = 0;

	if (trend->is_json) {
		rpt_json_open(json, '{');
		rpt_json_line(json, 1);
		rpt_json_member_str(json, "schema", "perfpair-fleet-trend");
		rpt_json_line_key(json, 1, "version");
		rpt_json_u64(json, SCHEMA_VERSION);
		rpt_json_line_key(json, 1, "events");
		rpt_json_open(json, '[');
	}
	for (uint32_t e = 0; e < trend->load.labels.events.nr && !rc; e++) {
		if (e && !trend->is_json)
			rpt_text_char(trend->out, '\n');
		rc = print_event(trend, e, err);
	}
	if (trend->is_json) {
		rpt_json_line_close(json, 1, ']');
		rpt_json_line_close(json, 0, '}');
		rpt_text_char(trend->out, '\n');
	}
	return rc;
}

int rpt_fleet_trend(const struct rpt_fleet_scope *scope, FILE *out,
		    struct pd_err *err)
{
	struct trend trend = {
		.out = rpt_alloc(sizeof(*trend.out)),
		.is_json = scope->args->format == RPT_FLEET_JSON,
	};
	int rc = rpt_fleet_load(&trend.load, scope, err);

	rpt_text_init(trend.out, out);
	trend.out->is_safe = !trend.is_json;
	trend.json = RPT_JSON_INIT(trend.out, "  ");
	if (!rc)
		rc = rpt_fleet_ask(&trend.counts, scope->args,
				   rpt_fleet_sql_counts(scope),
				   RPT_FLEET_COUNT_COLUMNS, err);
	if (!rc)
		rc = print_events(&trend, err);
	if (!rc) {
		rc = rpt_text_flush(trend.out);
		if (rc)
			pd_err_set(err, rc, "%s", strerror(-rc));
	}
	rpt_fleet_answer_release(&trend.counts);
	rpt_fleet_load_release(&trend.load);
	free(trend.out);
	return rc;
}
