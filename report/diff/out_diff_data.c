/* Prints a diff for programs; docs/formats.md has the schema. */
#include "report/diff/out_diff.h"

#include "report/columns/columns.h"
#include "report/base/json_text.h"

#include <math.h>
#include <string.h>

#define SCHEMA_VERSION 1

/* The same as rpt_label_text(), but a symbol is without its level. */
static const char *text_by(const struct rpt_diff_table *table, uint32_t label,
			   unsigned by)
{
	const char *text = rpt_label_text(table->labels, label, by);

	return text && by == RPT_BY_SYMBOL && !table->labels->is_paths
		       ? text + strnlen(text, RPT_LEVEL_LEN)
		       : text;
}

/* Return false for the first columns of comm, dso and symbol, which all rows
 * have as fields of their own. */
static bool is_extra(const struct rpt_labels *labels, size_t idx)
{
	unsigned by = labels->by[idx];

	bool is_repeated = false;

	for (size_t i = 0; i < idx; i++)
		is_repeated |= labels->by[i] == by;
	return is_repeated ||
	       (by != RPT_BY_COMM && by != RPT_BY_DSO && by != RPT_BY_SYMBOL);
}

/* Return where the caller's row stands, NaN for an outermost function. */
static double caller_of(const struct rpt_diff_table *table, size_t row)
{
	uint32_t parent = table->parents[row];

	return parent == RPT_NO_CALLER ? (double)NAN
				       : (double)table->places[parent];
}

static void put_names(const struct rpt_diff_table *table, size_t row,
		      struct rpt_json *json)
{
	const struct rpt_labels *labels = table->labels;
	uint32_t label = rpt_diff_table_label(table, row);

	rpt_json_member_str(json, "comm", text_by(table, label, RPT_BY_COMM));
	rpt_json_member_str(json, "dso", text_by(table, label, RPT_BY_DSO));
	rpt_json_member_str(json, "symbol",
			    text_by(table, label, RPT_BY_SYMBOL));
	for (size_t i = 0; i < labels->column_nr; i++)
		if (is_extra(labels, i))
			rpt_json_member_str(json, labels->names[i],
					    labels->items[label].texts[i]);
	if (!table->depths)
		return;
	rpt_json_member_number(json, "depth", table->depths[row]);
	rpt_json_member_number(json, "caller", caller_of(table, row));
}

static const char *match_of(const struct rpt_diff_table *table, size_t row,
			    size_t side)
{
	static const char *const matches[RPT_NAME_MATCHES] = {
		[RPT_NAME_EXACT] = "exact",
		[RPT_NAME_STEM] = "stem",
		[RPT_NAME_TEMPLATE] = "template",
	};

	if (!rpt_diff_table_cell(table, row, 0)->is_there)
		return "new";
	if (!rpt_diff_table_cell(table, row, side)->is_there)
		return "gone";
	return matches[rpt_diff_table_cell(table, row, side)->match];
}

/* Return a row's symbol in the baseline, NULL if it has the same on that side,
 * or none. */
static const char *other_symbol(const struct rpt_diff_table *table, size_t row,
				size_t side)
{
	const struct rpt_diff_cell *new = rpt_diff_table_cell(table, row, side);

	if (!new->is_there || new->match == RPT_NAME_EXACT)
		return NULL;
	return text_by(table, rpt_diff_table_cell(table, row, 0)->label,
		       RPT_BY_SYMBOL);
}

/* The numbers of a row, in the order of JSON. */
enum { HIGH = 4, RELATIVE, BASELINE_SHARE, NEW_SHARE, P_VALUE };
enum { BASELINE_SAMPLES = P_VALUE + 1, NEW_PERIOD = 12, NUMBER_NR };

/* Up to HIGH their names end in "_pct" if they are shares. */
static const char *const names[NUMBER_NR] = {
	"baseline",
	"new",
	"delta",
	"low",
	"high",
	"relative_pct",
	"baseline_share_pct",
	"new_share_pct",
	"p_value",
	"baseline_samples",
	"new_samples",
	"baseline_period",
	"new_period",
};

static void set_numbers(const struct rpt_diff_table *table, size_t row,
			size_t side, double ret[NUMBER_NR])
{
	const struct rpt_diff_cell *old = rpt_diff_table_cell(table, row, 0);
	const struct rpt_diff_cell *new = rpt_diff_table_cell(table, row, side);
	double scale = table->conf.measure == RPT_MEASURE_SHARE ? 100.0 : 1.0;
	const double numbers[NUMBER_NR] = {
		scale * old->estimate.value,
		scale * new->estimate.value,
		scale *new->change.delta,
		scale *new->change.low,
		scale *new->change.high,
		100.0 * new->change.delta / old->estimate.value,
		100.0 * rpt_diff_table_share(table, row, 0),
		100.0 * rpt_diff_table_share(table, row, side),
		new->change.p,
		old->estimate.sum.nr,
		new->estimate.sum.nr,
		old->estimate.sum.period,
		new->estimate.sum.period,
	};

	memcpy(ret, numbers, sizeof(numbers));
}

static void put_inlined_one(const struct rpt_diff_table *table,
			    const struct rpt_inlined *inlined, bool is_holder,
			    struct rpt_json *json)
{
	static const char *const relations[2][2] = {
		{ "was inlined into", "inlined into" },
		{ "held", "holds" },
	};
	size_t other = is_holder ? inlined->row : inlined->holder_row;
	const char *name = text_by(table, rpt_diff_table_label(table, other),
				   RPT_BY_SYMBOL);

	rpt_json_open(json, '{');
	rpt_json_member_str(json, "relation",
			    relations[is_holder][inlined->is_into]);
	rpt_json_member_str(json, "symbol", name ? name : "");
	rpt_json_member_number(json, "pct", 100.0 * inlined->share);
	rpt_json_close(json, '}');
}

static void put_inlined(const struct rpt_diff_table *table, size_t row,
			size_t side, struct rpt_json *json)
{
	const struct rpt_inlined *inlined =
		rpt_diff_table_inlined(table, row, side, NULL);

	if (!inlined)
		return;
	rpt_json_key(json, "inlined");
	rpt_json_open(json, '[');
	for (; inlined;
	     inlined = rpt_diff_table_inlined(table, row, side, inlined))
		put_inlined_one(table, inlined, inlined->holder_row == row,
				json);
	rpt_json_close(json, ']');
}

/* Put the value of each run of a side. */
static void put_runs(const struct rpt_diff_table *table, size_t row,
		     size_t side, const char *name, struct rpt_json *json)
{
	const struct rpt_side_event *it = &table->sides[side];
	bool is_share = table->conf.measure == RPT_MEASURE_SHARE;
	uint32_t label = rpt_diff_table_cell_label(
		rpt_diff_table_cell(table, row, side));
	char key[32];

	if (it->side->sums) /* the runs have no cells */
		return;
	snprintf(key, sizeof(key), "%s%s", name, is_share ? "_pct" : "");
	rpt_json_key(json, key);
	rpt_json_open(json, '[');
	for (size_t r = 0; r < it->side->run_nr; r++)
		rpt_json_number(json, (is_share ? 100.0 : 1.0) *
					      rpt_side_run_value(it, r, label));
	rpt_json_close(json, ']');
}

static void put_row(const struct rpt_diff_table *table, size_t row, size_t side,
		    struct rpt_json *json)
{
	const struct rpt_change *change =
		&rpt_diff_table_cell(table, row, side)->change;
	const char *pct =
		table->conf.measure == RPT_MEASURE_SHARE ? "_pct" : "";
	const char *was = other_symbol(table, row, side);
	double numbers[NUMBER_NR];
	char name[32];

	set_numbers(table, row, side, numbers);
	rpt_json_line(json, 4);
	rpt_json_open(json, '{');
	put_names(table, row, json);
	for (size_t i = 0; i < NUMBER_NR; i++) {
		snprintf(name, sizeof(name), "%s%s", names[i],
			 i <= HIGH ? pct : "");
		rpt_json_member_number(json, name, numbers[i]);
		if (i == P_VALUE)
			rpt_json_member_bool(json, "significant",
					     change->is_significant);
	}
	put_runs(table, row, 0, "baseline_runs", json);
	put_runs(table, row, side, "new_runs", json);
	rpt_json_member_str(json, "match", match_of(table, row, side));
	if (was)
		rpt_json_member_str(json, "baseline_symbol", was);
	put_inlined(table, row, side, json);
	rpt_json_close(json, '}');
}

/* Put how the total of a run changed against the old side. */
static void put_total_change(const struct rpt_diff_table *table, size_t side,
			     struct rpt_json *json)
{
	const struct rpt_side_event *old = &table->sides[0];
	struct rpt_change change = rpt_total_change(old, &table->sides[side]);
	double scale = 100.0 * (double)old->side->run_nr / old->total.period;

	rpt_json_member_number(json, "total_relative_pct",
			       scale * change.delta);
	rpt_json_member_number(json, "total_low_pct", scale * change.low);
	rpt_json_member_number(json, "total_high_pct", scale * change.high);
}

static void put_table(const struct rpt_diff_table *table, size_t side,
		      struct rpt_json *json)
{
	rpt_json_line(json, 2);
	rpt_json_open(json, '{');
	rpt_json_member_str(json, "event", table->event_name);
	rpt_json_member_str(json, "new_event",
			    rpt_diff_event_name(table, side));
	rpt_json_member_str(json, "modes", rpt_diff_event_modes(table));
	rpt_json_member_u64(json, "side", side);
	rpt_json_member_number(json, "baseline_samples",
			       table->sides[0].total.nr);
	rpt_json_member_number(json, "new_samples",
			       table->sides[side].total.nr);
	rpt_json_member_number(json, "baseline_period",
			       table->sides[0].total.period);
	rpt_json_member_number(json, "new_period",
			       table->sides[side].total.period);
	put_total_change(table, side, json);
	rpt_json_key(json, "rows");
	rpt_json_open(json, '[');
	for (size_t r = 0; r < table->shown_nr; r++)
		put_row(table, table->order[r], side, json);
	rpt_json_line_close(json, 2, ']');
	rpt_json_close(json, '}');
}

static void put_sides(const struct rpt_diff_args *args,
		      const struct rpt_side *sides, struct rpt_json *json)
{
	rpt_json_line_key(json, 1, "sides");
	rpt_json_open(json, '[');
	for (size_t s = 0; s < args->side_nr; s++) {
		rpt_json_line(json, 2);
		rpt_json_open(json, '[');
		for (size_t r = 0; r < sides[s].run_nr; r++) {
			const struct rpt_run *run = sides[s].runs[r];

			rpt_json_open(json, '{');
			rpt_json_member_str(json, "file", run->path);
			rpt_json_member_number(json, "wall_s", run->wall_s);
			rpt_json_member_number(json, "cpus", run->cpu_nr);
			rpt_json_member_number(json, "lost_pct",
					       100.0 * run->lost_share);
			rpt_json_member_number(json, "lock_pct",
					       100.0 * run->lock_reach);
			rpt_json_close(json, '}');
		}
		rpt_json_close(json, ']');
	}
	rpt_json_line_close(json, 1, ']');
}

/* Put a text on a line of its own. */
static void put_line(struct rpt_json *json, const char *key, const char *text)
{
	rpt_json_line(json, 1);
	rpt_json_member_str(json, key, text);
}

void rpt_diff_print_json(const struct rpt_diff_args *args,
			 const struct rpt_side *sides,
			 const struct rpt_diff_table *tables, size_t table_nr,
			 struct rpt_text *out)
{
	static const char *const works[] = {
		[RPT_WORKLOAD_UNKNOWN] = "not told",
		[RPT_WORKLOAD_PART] = "part",
		[RPT_WORKLOAD_DIFFERENT] = "other",
		[RPT_WORKLOAD_SAME] = "same",
	};
	struct rpt_json json = RPT_JSON_INIT(out, "  ");
	char name[96];

	rpt_json_open(&json, '{');
	put_line(&json, "schema", "perfpair-diff");
	rpt_json_line_key(&json, 1, "version");
	rpt_json_u64(&json, SCHEMA_VERSION);
	put_line(&json, "measure", rpt_measure_name(args, name, sizeof(name)));
	rpt_json_line_key(&json, 1, "children");
	rpt_json_bool(&json, args->children);
	put_line(&json, "variance",
		 args->table.is_between ? "between runs" : "within runs");
	rpt_json_line_key(&json, 1, "tested");
	rpt_json_bool(&json, args->table.is_tested);
	rpt_json_line_key(&json, 1, "one_block_a_side");
	rpt_json_bool(&json, args->unmarked);
	put_line(&json, "work", works[args->workload]);
	rpt_json_line_key(&json, 1, "confidence");
	rpt_json_number(&json, 0.95);
	put_sides(args, sides, &json);
	rpt_json_line_key(&json, 1, "events");
	rpt_json_open(&json, '[');
	for (size_t t = 0; t < table_nr; t++)
		for (size_t s = 1; s < args->side_nr; s++)
			put_table(&tables[t], s, &json);
	rpt_json_line_close(&json, 1, ']');
	rpt_json_line_close(&json, 0, '}');
	rpt_text_char(out, '\n');
}

/* Put a field, empty if text is NULL. */
static void csv_string(const char *text, struct rpt_text *out)
{
	rpt_text_char(out, ',');
	rpt_csv_text(out, text ? text : "");
}

static void csv_number(double value, struct rpt_text *out)
{
	rpt_text_char(out, ',');
	rpt_csv_number(out, value);
}

static void csv_numbers(const double *numbers, size_t first, size_t last,
			struct rpt_text *out)
{
	for (size_t i = first; i <= last; i++)
		csv_number(numbers[i], out);
}

static void csv_extras(const struct rpt_diff_table *table, size_t row,
		       struct rpt_text *out)
{
	const struct rpt_labels *labels = table->labels;
	uint32_t label = rpt_diff_table_label(table, row);

	for (size_t i = 0; i < labels->column_nr; i++)
		if (is_extra(labels, i))
			csv_string(labels->items[label].texts[i], out);
	if (!table->depths)
		return;
	csv_number(table->depths[row], out);
	csv_number(caller_of(table, row), out);
}

static void csv_row(const struct rpt_diff_table *table, size_t row, size_t side,
		    struct rpt_text *out)
{
	uint32_t label = rpt_diff_table_label(table, row);
	double numbers[NUMBER_NR];

	set_numbers(table, row, side, numbers);
	rpt_csv_text(out, table->event_name);
	rpt_text_format(out, ",%zu", side);
	csv_string(text_by(table, label, RPT_BY_COMM), out);
	csv_string(text_by(table, label, RPT_BY_DSO), out);
	csv_string(text_by(table, label, RPT_BY_SYMBOL), out);
	csv_numbers(numbers, 0, HIGH, out);
	csv_number(numbers[P_VALUE], out);
	rpt_text_format(
		out, ",%s,%s",
		rpt_diff_table_cell(table, row, side)->change.is_significant
			? "true"
			: "false",
		match_of(table, row, side));
	csv_number(numbers[RELATIVE], out);
	csv_numbers(numbers, BASELINE_SAMPLES, NEW_PERIOD, out);
	csv_string(other_symbol(table, row, side), out);
	csv_numbers(numbers, BASELINE_SHARE, NEW_SHARE, out);
	csv_extras(table, row, out);
	rpt_text_char(out, '\n');
}

static void csv_head(const struct rpt_diff_args *args,
		     const struct rpt_labels *labels, bool are_paths,
		     struct rpt_text *out)
{
	const char *pct =
		args->table.measure == RPT_MEASURE_SHARE ? "_pct" : "";

	rpt_text_format(
		out,
		"event,side,comm,dso,symbol,baseline%s,new%s,delta%s,low%s,"
		"high%s,p_value,significant,match,relative_pct,"
		"baseline_samples,new_samples,baseline_period,new_period,"
		"baseline_symbol,baseline_share_pct,new_share_pct",
		pct, pct, pct, pct, pct);
	for (size_t i = 0; i < labels->column_nr; i++) {
		if (!is_extra(labels, i))
			continue;
		if (labels->by[i] == RPT_BY_FIELD) /* named by the file */
			csv_string(labels->names[i], out);
		else
			rpt_text_format(out, ",%s", labels->names[i]);
	}
	rpt_text_str(out, are_paths ? ",depth,caller\n" : "\n");
}

void rpt_diff_print_csv(const struct rpt_diff_args *args,
			const struct rpt_diff_table *tables, size_t table_nr,
			struct rpt_text *out)
{
	if (table_nr)
		csv_head(args, tables->labels, tables->depths, out);
	for (size_t t = 0; t < table_nr; t++) {
		for (size_t s = 1; s < args->side_nr; s++) {
			for (size_t r = 0; r < tables[t].shown_nr; r++)
				csv_row(&tables[t], tables[t].order[r], s, out);
		}
	}
}
