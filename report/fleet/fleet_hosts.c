/* perfpair fleet hosts: which hosts there are, and what of them. */
#include "report/base/json_text.h"
#include "report/base/memory.h"
#include "report/fleet/fleet_impl.h"
#include "report/fleet/fleet_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SCHEMA_VERSION 1
#define TIME_LEN       32

static double at(const struct rpt_fleet_answer *answer, size_t row,
		 size_t column)
{
	return rpt_fleet_number(answer, row, column);
}

/* Write a second as a time of UTC. */
static const char *time_text(double s, char buf[TIME_LEN])
{
	time_t t = s > 0.0 && s <= UINT32_MAX ? (time_t)s : 0;
	struct tm tm;

	if (!gmtime_r(&t, &tm) ||
	    !strftime(buf, TIME_LEN, "%Y-%m-%d %H:%M:%S", &tm))
		buf[0] = '\0';
	return buf;
}

static void print_text(const struct rpt_fleet_answer *answer,
		       struct rpt_text *out)
{
	char first[TIME_LEN], last[TIME_LEN];

	out->is_safe = true;
	rpt_text_str(out, "#    Samples      Lost    Slices  Damaged  "
			  "From (UTC)           To                   Release   "
			  "    Host\n#\n");
	for (size_t r = 0; r < answer->row_nr; r++) {
		if (!rpt_fleet_slices_are_asked(answer, r))
			continue;
		rpt_text_format(
			out, "%12.0f %9.0f %9.0f %8.0f  %s  %s  ",
			at(answer, r, RPT_FLEET_SLICES_NUMBER),
			at(answer, r, RPT_FLEET_SLICES_ASKED_LOST),
			at(answer, r, RPT_FLEET_SLICES_ASKED),
			at(answer, r, RPT_FLEET_SLICES_ASKED_DAMAGED),
			time_text(at(answer, r, RPT_FLEET_SLICES_START), first),
			time_text(at(answer, r, RPT_FLEET_SLICES_END), last));
		rpt_text_left(
			out,
			rpt_fleet_field(answer, r, RPT_FLEET_SLICES_RELEASE),
			12);
		rpt_text_pad(out, 2);
		rpt_text_str(out,
			     rpt_fleet_field(answer, r, RPT_FLEET_SLICES_HOST));
		rpt_text_char(out, '\n');
	}
}

static void print_json(const struct rpt_fleet_answer *answer,
		       struct rpt_text *out)
{
	static const struct {
		const char *name;
		size_t column;
	} numbers[] = {
		{ "samples", RPT_FLEET_SLICES_NUMBER },
		{ "lost", RPT_FLEET_SLICES_ASKED_LOST },
		{ "slices", RPT_FLEET_SLICES_ASKED },
		{ "damaged", RPT_FLEET_SLICES_ASKED_DAMAGED },
		{ "from_s", RPT_FLEET_SLICES_START },
		{ "to_s", RPT_FLEET_SLICES_END },
	};
	struct rpt_json json = RPT_JSON_INIT(out, "  ");

	rpt_json_open(&json, '{');
	rpt_json_line(&json, 1);
	rpt_json_member_str(&json, "schema", "perfpair-fleet-hosts");
	rpt_json_line_key(&json, 1, "version");
	rpt_json_u64(&json, SCHEMA_VERSION);
	rpt_json_line_key(&json, 1, "hosts");
	rpt_json_open(&json, '[');
	for (size_t r = 0; r < answer->row_nr; r++) {
		if (!rpt_fleet_slices_are_asked(answer, r))
			continue;
		rpt_json_line(&json, 2);
		rpt_json_open(&json, '{');
		rpt_json_member_str(
			&json, "host",
			rpt_fleet_field(answer, r, RPT_FLEET_SLICES_HOST));
		rpt_json_member_str(
			&json, "release",
			rpt_fleet_field(answer, r, RPT_FLEET_SLICES_RELEASE));
		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]);
		     i++)
			rpt_json_member_number(
				&json, numbers[i].name,
				at(answer, r, numbers[i].column));
		rpt_json_close(&json, '}');
	}
	rpt_json_line_close(&json, 1, ']');
	rpt_json_line_close(&json, 0, '}');
	rpt_text_char(out, '\n');
}

int rpt_fleet_hosts(const struct rpt_fleet_scope *scope, FILE *out,
		    struct pd_err *err)
{
	struct rpt_text *text = rpt_alloc(sizeof(*text));
	int rc;

	rpt_text_init(text, out);
	if (scope->args->format == RPT_FLEET_JSON)
		print_json(scope->slices, text);
	else
		print_text(scope->slices, text);
	rc = rpt_text_flush(text);
	if (rc)
		pd_err_set(err, rc, "%s", strerror(-rc));
	free(text);
	return rc;
}
