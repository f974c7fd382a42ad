/* perfpair fleet top: the functions with the largest shares, and how sure these
 * are. */
#include "report/base/json_text.h"
#include "report/base/memory.h"
#include "report/fleet/fleet_impl.h"
#include "report/fleet/fleet_load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION 1

static double samples_of(const struct rpt_fleet_load *load, uint32_t event)
{
	double sum = 0.0;

	for (uint32_t h = 0; h < load->hosts[RPT_FLEET_NEW].nr; h++)
		sum += load->runs[RPT_FLEET_NEW][h].events[event].total.nr;
	return sum;
}

static size_t dso_width(const struct rpt_fleet_load *load,
			const struct rpt_fleet_row *rows, size_t nr)
{
	size_t width = strlen("Shared Object");

	for (size_t i = 0; i < nr; i++) {
		size_t len = strlen(load->labels.items[rows[i].label].texts[0]);

		width = len > width ? len : width;
	}
	return width;
}

static void print_rows(const struct rpt_fleet_load *load, uint32_t event,
		       const struct rpt_fleet_row *rows, size_t nr,
		       size_t all_nr, struct rpt_text *out)
{
	size_t width = dso_width(load, rows, nr);
	size_t host_nr = load->events[event].sides[RPT_FLEET_NEW].run_nr;

	rpt_text_format(out,
			"# Event '%.200s': %.0f samples of %zu host%s; the "
			"first %zu of %zu function%s.\n"
			"# A share is the mean of the hosts' shares; 95%% "
			"intervals from how much hosts differ.\n#\n"
			"# Overhead    95%% interval       ",
			rpt_event_match_name(&load->labels.events, event),
			samples_of(load, event), host_nr,
			host_nr == 1 ? "" : "s", nr, all_nr,
			all_nr == 1 ? "" : "s");
	rpt_text_left(out, "Shared Object", width);
	rpt_text_str(out, "  Symbol\n#\n");
	for (size_t i = 0; i < nr; i++) {
		const struct rpt_label *label =
			&load->labels.items[rows[i].label];

		rpt_text_format(out, "  %7.2f%%",
				100.0 * rows[i].estimate.value);
		if (isnan(rows[i].low))
			rpt_text_pad(out, 22);
		else
			rpt_text_format(out, "  [%6.2f%%, %6.2f%%]",
					100.0 * rows[i].low,
					100.0 * rows[i].high);
		rpt_text_pad(out, 4);
		rpt_text_left(out, label->texts[0], width);
		rpt_text_pad(out, 2);
		rpt_text_str(out, label->texts[1]);
		rpt_text_char(out, '\n');
	}
}

static void put_rows(const struct rpt_fleet_load *load, uint32_t event,
		     const struct rpt_fleet_row *rows, size_t nr,
		     struct rpt_json *json)
{
	rpt_json_line(json, 2);
	rpt_json_open(json, '{');
	rpt_json_member_str(json, "event",
			    rpt_event_match_name(&load->labels.events, event));
	rpt_json_member_u64(json, "hosts",
			    load->events[event].sides[RPT_FLEET_NEW].run_nr);
	rpt_json_member_number(json, "samples", samples_of(load, event));
	rpt_json_key(json, "rows");
	rpt_json_open(json, '[');
	for (size_t i = 0; i < nr; i++) {
		const struct rpt_fleet_row *row = &rows[i];
		const struct rpt_label *label = &load->labels.items[row->label];

		rpt_json_line(json, 3);
		rpt_json_open(json, '{');
		rpt_json_member_str(json, "dso", label->texts[0]);
		rpt_json_member_str(json, "symbol", label->texts[1]);
		rpt_json_member_str(json, "function",
				    load->functions[row->label]);
		rpt_json_member_number(json, "share_pct",
				       100.0 * row->estimate.value);
		rpt_json_member_number(json, "low_pct", 100.0 * row->low);
		rpt_json_member_number(json, "high_pct", 100.0 * row->high);
		rpt_json_member_number(json, "samples", row->estimate.sum.nr);
		rpt_json_member_number(json, "period",
				       row->estimate.sum.period);
		rpt_json_close(json, '}');
	}
	rpt_json_line_close(json, 2, ']');
	rpt_json_close(json, '}');
}

/* Print all events.  json NULL: as text. */
static int print_events(const struct rpt_fleet_load *load, struct rpt_text *out,
			struct rpt_json *json, struct pd_err *err)
{
	bool is_any = false;

	for (uint32_t e = 0; e < load->labels.events.nr; e++) {
		size_t nr, all_nr;
		struct rpt_fleet_row *rows;

		if (!load->events[e].sides[RPT_FLEET_NEW].run_nr)
			continue;
		rows = rpt_fleet_rows(load, e, load->scope->args->limit, &nr,
				      &all_nr, err);
		if (!rows)
			return -EINVAL;
		if (json) {
			put_rows(load, e, rows, nr, json);
		} else {
			rpt_text_str(out, is_any ? "\n" : "");
			print_rows(load, e, rows, nr, all_nr, out);
		}
		is_any = true;
		free(rows);
	}
	return 0;
}

static int print_json(const struct rpt_fleet_load *load, struct rpt_text *out,
		      struct pd_err *err)
{
	struct rpt_json json = RPT_JSON_INIT(out, "  ");
	int rc;

	rpt_json_open(&json, '{');
	rpt_json_line(&json, 1);
	rpt_json_member_str(&json, "schema", "perfpair-fleet-top");
	rpt_json_line_key(&json, 1, "version");
	rpt_json_u64(&json, SCHEMA_VERSION);
	rpt_json_line(&json, 1);
	rpt_json_member_u64(&json, "hosts", load->hosts[RPT_FLEET_NEW].nr);
	rpt_json_line_key(&json, 1, "events");
	rpt_json_open(&json, '[');
	rc = print_events(load, out, &json, err);
	rpt_json_line_close(&json, 1, ']');
	rpt_json_line_close(&json, 0, '}');
	rpt_text_char(out, '\n');
	return rc;
}

int rpt_fleet_top(const struct rpt_fleet_scope *scope, FILE *out,
		  struct pd_err *err)
{
	struct rpt_text *text = rpt_alloc(sizeof(*text));
	struct rpt_fleet_load load;
	int rc = rpt_fleet_load(&load, scope, err);

	rpt_text_init(text, out);
	if (!rc && scope->args->format == RPT_FLEET_JSON) {
		rc = print_json(&load, text, err);
	} else if (!rc) {
		text->is_safe = true;
		rc = print_events(&load, text, NULL, err);
	}
	if (!rc) {
		rc = rpt_text_flush(text);
		if (rc)
			pd_err_set(err, rc, "%s", strerror(-rc));
	}
	rpt_fleet_load_release(&load);
	free(text);
	return rc;
}
