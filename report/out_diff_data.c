/* A diff for programs; the schema is in report/README.md. */
#include "report/out_diff.h"

#include "report/rows.h"

#include <math.h>
#include <string.h>

#define SCHEMA_VERSION 1

static void put_string(const char *text, FILE *out)
{
	fputc('"', out);
	for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
		if (*at == '"' || *at == '\\')
			fprintf(out, "\\%c", *at);
		else if (*at < 0x20 || *at >= 0x7f)
			fprintf(out, "\\u%04x", *at);
		else
			fputc(*at, out);
	}
	fputc('"', out);
}

/* JSON has no NaN. */
static void put_number(double value, FILE *out)
{
	if (isfinite(value))
		fprintf(out, "%.10g", value);
	else
		fputs("null", out);
}

static void field_number(const char *name, double value, FILE *out)
{
	fprintf(out, ", \"%s\": ", name);
	put_number(value, out);
}

/* The text of a row's column, without the "[k] " of symbols; NULL where rows
 * are not told apart by it. */
static const char *text_by(const struct rpt_table *table, uint32_t label,
			   unsigned by)
{
	const struct rpt_labels *labels = table->labels;

	for (size_t i = 0; i < labels->column_nr; i++) {
		const char *text = labels->items[label].texts[i];

		if (labels->by[i] != by)
			continue;
		return by == RPT_BY_SYMBOL && strlen(text) > 4 ? text + 4
							       : text;
	}
	return NULL;
}

static void put_names(const struct rpt_table *table, size_t row, FILE *out)
{
	static const struct {
		const char *name;
		unsigned by;
	} names[] = {
		{ "comm", RPT_BY_COMM },
		{ "dso", RPT_BY_DSO },
		{ "symbol", RPT_BY_SYMBOL },
	};
	uint32_t label = rpt_table_label(table, row);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *text = text_by(table, label, names[i].by);

		fprintf(out, "%s\"%s\": ", i ? ", " : "", names[i].name);
		if (text)
			put_string(text, out);
		else
			fputs("null", out);
	}
}

static const char *state_of(const struct rpt_table *table, size_t row,
			    size_t side)
{
	static const char *const matches[RPT_NAME_MATCHES] = {
		[RPT_NAME_EXACT] = "exact",
		[RPT_NAME_STEM] = "stem",
		[RPT_NAME_TEMPLATE] = "template",
	};

	if (!rpt_table_cell(table, row, 0)->is_there)
		return "new";
	if (!rpt_table_cell(table, row, side)->is_there)
		return "gone";
	return matches[rpt_table_cell(table, row, side)->match];
}

static double scale_of(const struct rpt_table *table)
{
	return table->conf.measure == RPT_MEASURE_SHARE ? 100.0 : 1.0;
}

static void put_row(const struct rpt_table *table, size_t row, size_t side,
		    FILE *out)
{
	const struct rpt_diff_cell *old = rpt_table_cell(table, row, 0);
	const struct rpt_diff_cell *new = rpt_table_cell(table, row, side);
	const struct rpt_change *change = &new->change;
	double scale = scale_of(table);
	const char *pct = scale > 1.0 ? "_pct" : "";
	char name[32];
	const struct {
		const char *name;
		double value;
	} numbers[] = {
		{ "baseline", old->estimate.value },
		{ "new", new->estimate.value },
		{ "delta", change->delta },
		{ "low", change->low },
		{ "high", change->high },
	};

	fputs("        {", out);
	put_names(table, row, out);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", numbers[i].name, pct);
		field_number(name, scale * numbers[i].value, out);
	}
	field_number("relative_pct",
		     100.0 * change->delta / old->estimate.value, out);
	field_number("p_value", change->p, out);
	fprintf(out, ", \"significant\": %s",
		change->is_significant ? "true" : "false");
	field_number("baseline_samples", old->estimate.sum.nr, out);
	field_number("new_samples", new->estimate.sum.nr, out);
	fprintf(out, ", \"match\": \"%s\"", state_of(table, row, side));
	if (new->is_there &&new->match != RPT_NAME_EXACT) {
		fputs(", \"baseline_symbol\": ", out);
		put_string(text_by(table, old->label, RPT_BY_SYMBOL)
				   ? text_by(table, old->label, RPT_BY_SYMBOL)
				   : "",
			   out);
	}
	fputs("}", out);
}

static void put_table(const struct rpt_table *table, size_t side, FILE *out)
{
	fputs("    {\"event\": ", out);
	put_string(table->event_name, out);
	fprintf(out, ", \"side\": %zu", side);
	field_number("baseline_samples", table->sides[0].total.nr, out);
	field_number("new_samples", table->sides[side].total.nr, out);
	field_number("baseline_period", table->sides[0].total.period, out);
	field_number("new_period", table->sides[side].total.period, out);
	fputs(", \"rows\": [\n", out);
	for (size_t r = 0; r < table->row_nr; r++) {
		put_row(table, table->order[r], side, out);
		fputs(r + 1 < table->row_nr ? ",\n" : "\n", out);
	}
	fputs("    ]}", out);
}

static void put_sides(const struct rpt_diff_args *args,
		      const struct rpt_side *sides, FILE *out)
{
	fputs("  \"sides\": [\n", out);
	for (size_t s = 0; s < args->side_nr; s++) {
		fputs("    [", out);
		for (size_t r = 0; r < sides[s].run_nr; r++) {
			const struct rpt_run *run = sides[s].runs[r];

			fprintf(out, "%s{\"file\": ", r ? ", " : "");
			put_string(run->path, out);
			field_number("wall_s", run->wall_s, out);
			field_number("cpus", run->cpu_nr, out);
			field_number("lost_pct", 100.0 * run->lost_share, out);
			fputc('}', out);
		}
		fprintf(out, "]%s\n", s + 1 < args->side_nr ? "," : "");
	}
	fputs("  ],\n", out);
}

void rpt_diff_print_json(const struct rpt_diff_args *args,
			 const struct rpt_side *sides,
			 const struct rpt_table *tables, size_t table_nr,
			 FILE *out)
{
	char name[96];

	fprintf(out,
		"{\n  \"schema\": \"perfpair-diff\",\n  \"version\": %d,\n",
		SCHEMA_VERSION);
	fputs("  \"measure\": ", out);
	put_string(rpt_measure_name(args, name, sizeof(name)), out);
	fprintf(out, ",\n  \"children\": %s,\n  \"variance\": \"%s\",\n",
		args->children ? "true" : "false",
		args->table.is_between ? "between runs" : "within runs");
	fputs("  \"confidence\": 0.95,\n", out);
	put_sides(args, sides, out);
	fputs("  \"events\": [\n", out);
	for (size_t t = 0; t < table_nr; t++) {
		for (size_t s = 1; s < args->side_nr; s++) {
			put_table(&tables[t], s, out);
			fputs(t + 1 < table_nr || s + 1 < args->side_nr ? ",\n"
									: "\n",
			      out);
		}
	}
	fputs("  ]\n}\n", out);
}

static void csv_string(const char *text, FILE *out)
{
	fputc('"', out);
	for (; text && *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void csv_number(double value, FILE *out)
{
	fputc(',', out);
	if (isfinite(value))
		fprintf(out, "%.10g", value);
}

static void csv_row(const struct rpt_table *table, size_t row, size_t side,
		    FILE *out)
{
	const struct rpt_diff_cell *old = rpt_table_cell(table, row, 0);
	const struct rpt_diff_cell *new = rpt_table_cell(table, row, side);
	uint32_t label = rpt_table_label(table, row);
	double scale = scale_of(table);

	csv_string(table->event_name, out);
	fprintf(out, ",%zu,", side);
	csv_string(text_by(table, label, RPT_BY_COMM), out);
	fputc(',', out);
	csv_string(text_by(table, label, RPT_BY_DSO), out);
	fputc(',', out);
	csv_string(text_by(table, label, RPT_BY_SYMBOL), out);
	csv_number(scale * old->estimate.value, out);
	csv_number(scale * new->estimate.value, out);
	csv_number(scale * new->change.delta, out);
	csv_number(scale * new->change.low, out);
	csv_number(scale * new->change.high, out);
	csv_number(new->change.p, out);
	fprintf(out, ",%s,%s\n", new->change.is_significant ? "true" : "false",
		state_of(table, row, side));
}

void rpt_diff_print_csv(const struct rpt_diff_args *args,
			const struct rpt_table *tables, size_t table_nr,
			FILE *out)
{
	const char *pct =
		args->table.measure == RPT_MEASURE_SHARE ? "_pct" : "";

	fprintf(out,
		"event,side,comm,dso,symbol,baseline%s,new%s,delta%s,low%s,"
		"high%s,p_value,significant,match\n",
		pct, pct, pct, pct, pct);
	for (size_t t = 0; t < table_nr; t++) {
		for (size_t s = 1; s < args->side_nr; s++) {
			for (size_t r = 0; r < tables[t].row_nr; r++)
				csv_row(&tables[t], tables[t].order[r], s, out);
		}
	}
}
