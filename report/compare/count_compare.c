#include "report/compare/count_compare.h"

#include "report/base/json_text.h"
#include "report/base/memory.h"
#include "report/base/safe_text.h"
#include "report/compare/count_change.h"

#include "format/support/message.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { VALUE_WIDTH = 15, INTERVAL_WIDTH = 20 };

static const char *const side_names[] = { "old", "new" };

/* Print a mean: whole numbers up to 2^53, or six digits. */
static void print_mean(FILE *out, double mean)
{
	if (isnan(mean))
		fprintf(out, "%*s", VALUE_WIDTH, "<not counted>");
	else if (fabs(mean) >= 1e4)
		fprintf(out, "%*.0f", VALUE_WIDTH, mean);
	else
		fprintf(out, "%*.6g", VALUE_WIDTH, mean);
}

static void print_row(FILE *out, const struct rpt_count_row *row,
		      const struct rpt_count_change *change)
{
	char interval[64] = "-", pct[32] = "-";

	if (isfinite(change->pct))
		snprintf(pct, sizeof(pct), "%+.2f%%", change->pct);
	if (isfinite(change->low_pct))
		snprintf(interval, sizeof(interval), "[%+.2f%%, %+.2f%%]",
			 change->low_pct, change->high_pct);
	print_mean(out, change->old_mean);
	fputc(' ', out);
	print_mean(out, change->new_mean);
	fprintf(out, "  %10s  %*s  %c  ", pct, INTERVAL_WIDTH, interval,
		change->is_significant ? '*' : ' ');
	rpt_put_safe_text(out, row->name);
	if (*row->unit) {
		fputs(" (", out);
		rpt_put_safe_text(out, row->unit);
		fputc(')', out);
	}
	fputc('\n', out);
}

static void print_drift(FILE *out, const struct rpt_count_row *row, int side)
{
	const struct rpt_count_runs *runs = &row->sides[side];

	if (!runs->has_drift)
		return;
	fprintf(out, "# %s: ", side_names[side]);
	rpt_put_safe_text(out, row->name);
	fprintf(out,
		" drifts by %+.2f%% from the first half of the runs to the "
		"last: the interval does not hold that\n",
		runs->drift_pct);
}

static uint32_t most_runs(const struct rpt_count_table *table, int side)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < rpt_count_table_nr(table); i++)
		if (table->rows[i].sides[side].nr > most)
			most = table->rows[i].sides[side].nr;
	return most;
}

static void print_text(FILE *out, const struct rpt_count_table *table,
		       const struct rpt_count_change *changes,
		       size_t significant_nr)
{
	uint32_t nr = rpt_count_table_nr(table);
	uint32_t old_nr = most_runs(table, RPT_COUNT_OLD);
	uint32_t new_nr = most_runs(table, RPT_COUNT_NEW);

	fprintf(out, "# Runs: %u old, %u new. ", old_nr, new_nr);
	if (old_nr < 2 || new_nr < 2)
		fputs("One run does not tell a change from chance: count with "
		      "-r 5.\n#\n",
		      out);
	else
		fprintf(out,
			"%zu of %u counts changed by more than chance.\n#\n",
			significant_nr, nr);
	fprintf(out, "#%*s %*s  %10s  %*s  *  %s\n", VALUE_WIDTH - 1,
		"Old mean", VALUE_WIDTH, "New mean", "Change", INTERVAL_WIDTH,
		"95% interval", "Event");
	for (uint32_t i = 0; i < nr; i++)
		print_row(out, &table->rows[i], &changes[i]);
	for (uint32_t i = 0; i < nr; i++)
		for (int side = 0; side < RPT_COUNT_SIDES; side++)
			print_drift(out, &table->rows[i], side);
}

static void put_side(struct rpt_json *json, const struct rpt_count_runs *runs,
		     const char *side, double mean)
{
	rpt_json_key(json, side);
	rpt_json_open(json, '{');
	rpt_json_member_number(json, "mean", mean);
	rpt_json_key(json, "runs");
	rpt_json_open(json, '[');
	for (uint32_t i = 0; i < runs->nr; i++)
		rpt_json_number(json, runs->values[i]);
	rpt_json_close(json, ']');
	if (runs->has_drift)
		rpt_json_member_number(json, "drift_pct", runs->drift_pct);
	rpt_json_close(json, '}');
}

/* Print an object a line, as stat -j does. */
static void print_json(FILE *out, const struct rpt_count_table *table,
		       const struct rpt_count_change *changes)
{
	struct rpt_text *text = rpt_alloc(sizeof(*text));

	rpt_text_init(text, out);
	for (uint32_t i = 0; i < rpt_count_table_nr(table); i++) {
		const struct rpt_count_row *row = &table->rows[i];
		const struct rpt_count_change *change = &changes[i];
		struct rpt_json json = RPT_JSON_INIT(text, "");

		rpt_json_open(&json, '{');
		rpt_json_member_str(&json, "event", row->name);
		rpt_json_member_str(&json, "unit", row->unit);
		put_side(&json, &row->sides[RPT_COUNT_OLD], "old",
			 change->old_mean);
		put_side(&json, &row->sides[RPT_COUNT_NEW], "new",
			 change->new_mean);
		rpt_json_member_number(&json, "change_pct", change->pct);
		rpt_json_member_number(&json, "low_pct", change->low_pct);
		rpt_json_member_number(&json, "high_pct", change->high_pct);
		rpt_json_member_number(&json, "p", change->p);
		rpt_json_member_bool(&json, "significant",
				     change->is_significant);
		rpt_json_close(&json, '}');
		rpt_text_char(text, '\n');
	}
	rpt_text_flush(text);
	free(text);
}

/* Name the rows that grew by more than limit_pct.  Return how many. */
static size_t warn_grown(const struct rpt_count_table *table,
			 const struct rpt_count_change *changes,
			 double limit_pct)
{
	size_t nr = 0;

	for (uint32_t i = 0; i < rpt_count_table_nr(table); i++) {
		if (!changes[i].is_significant || !(changes[i].pct > limit_pct))
			continue;
		sup_message("%s grew by %.2f%% [%+.2f%%, %+.2f%%], more than "
			    "%g%%",
			    table->rows[i].name, changes[i].pct,
			    changes[i].low_pct, changes[i].high_pct, limit_pct);
		nr++;
	}
	return nr;
}

int rpt_compare_run(const struct rpt_compare_args *args, FILE *out,
		    size_t *ret_grown_nr, const char **ret_path,
		    struct pd_err *err)
{
	struct rpt_count_table table = { .cap = 0 };
	struct rpt_count_change *changes;
	size_t significant_nr;
	int rc = 0;

	*ret_grown_nr = 0;
	for (int side = 0; side < RPT_COUNT_SIDES && !rc; side++) {
		*ret_path = args->paths[side];
		rc = rpt_count_table_read(&table, args->paths[side],
					  (enum rpt_count_side)side, err);
	}
	if (rc) {
		rpt_count_table_release(&table);
		return rc;
	}
	changes = rpt_alloc_zeroed(rpt_count_table_nr(&table) + (size_t)1,
				   sizeof(*changes));
	significant_nr = rpt_count_changes(&table, changes);
	if (args->is_json)
		print_json(out, &table, changes);
	else
		print_text(out, &table, changes, significant_nr);
	if (args->fail_above_pct >= 0)
		*ret_grown_nr =
			warn_grown(&table, changes, args->fail_above_pct);
	free(changes);
	rpt_count_table_release(&table);
	return 0;
}
