#include "report/report/out_data.h"

#include "report/base/json_text.h"
#include "report/profile/stack_roots.h"

#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION 1

static void json_open(const struct rpt_columns *columns, struct rpt_text *out)
{
	struct rpt_json json = RPT_JSON_INIT(out, "  ");

	(void)columns;
	rpt_json_open(&json, '{');
	rpt_json_line(&json, 1);
	rpt_json_member_str(&json, "schema", "perfpair-report");
	rpt_json_line(&json, 1);
	rpt_json_member_u64(&json, "version", SCHEMA_VERSION);
	rpt_json_line_key(&json, 1, "events");
	rpt_json_open(&json, '[');
}

static void json_close(struct rpt_text *out)
{
	rpt_text_str(out, "\n  ]\n}\n");
}

/* Return whether rows have latencies, too. */
static bool has_latency(const struct rpt_columns *columns)
{
	bool has = columns->variants & RPT_VARIANT_LATENCY;

	for (size_t i = 0; i < columns->nr && !has; i++)
		has = !rpt_columns_by_at(columns, i) &&
		      columns->items[i].dim->weight >= RPT_WEIGHT_SECOND;
	return has;
}

/* The numbers of a row behind its own period. */
static const struct more_number {
	enum rpt_weight weight;
	bool is_acc;
	bool is_latency;
	const char *title;    /* of markdown */
	const char *names[2]; /* of the share and the value */
} more_numbers[] = {
	{ RPT_WEIGHT_ACC,
	  true,
	  false,
	  "children",
	  { "children_pct", "children_period" } },
	{ RPT_WEIGHT_SECOND,
	  false,
	  true,
	  "latency",
	  { "latency_pct", "latency" } },
	{ RPT_WEIGHT_SECOND_ACC,
	  true,
	  true,
	  "latency children",
	  { "latency_children_pct", "latency_children" } },
};

/* Return the first of them, or the one behind a former one, that rows have;
 * NULL if there is none. */
static const struct more_number *next_number(const struct rpt_columns *columns,
					     const struct more_number *last)
{
	const struct more_number *end =
		more_numbers + sizeof(more_numbers) / sizeof(*more_numbers);
	bool has = has_latency(columns);
	const struct more_number *it = last ? last + 1 : more_numbers;

	while (it < end &&
	       ((it->is_acc && !columns->children) || (it->is_latency && !has)))
		it++;
	return it < end ? it : NULL;
}

static void csv_open(const struct rpt_columns *columns, struct rpt_text *out)
{
	const struct more_number *n;
	char buf[RPT_COLUMN_NAME_LEN];

	rpt_text_str(out, "event,overhead_pct,period,samples");
	for (n = next_number(columns, NULL); n; n = next_number(columns, n))
		rpt_text_format(out, ",%s,%s", n->names[0], n->names[1]);
	for (size_t i = 0; i < columns->nr; i++) {
		const char *name = rpt_columns_name(columns, i, buf);

		if (!rpt_columns_by_at(columns, i))
			continue;
		rpt_text_char(out, ',');
		if (name == buf) /* out of the file */
			rpt_csv_text(out, name);
		else
			rpt_text_str(out, name);
	}
	rpt_text_char(out, '\n');
}

/* Return the text of a row's column; it is valid until the next call. */
static const char *row_text(const struct rpt_data_event *event, size_t idx,
			    uint32_t row, struct rpt_text_string *string)
{
	bool has_level = event->columns->items[idx].dim->has_level;
	const char *text;

	rpt_columns_print_text(event->columns, idx, event->rows, row,
			       &string->text);
	text = rpt_text_string_take(string, NULL);
	return has_level && *text == '[' ? text + RPT_LEVEL_LEN : text;
}

/* A number of a row, and its share in per cent. */
struct number {
	uint64_t value;
	double pct;
};

/* Return where rows have a number: with --latency it is latencies that are
 * added up first. */
static enum rpt_weight weight_of(const struct rpt_data_event *event,
				 enum rpt_weight weight)
{
	static const enum rpt_weight swapped[] = {
		[RPT_WEIGHT_ACC] = RPT_WEIGHT_SECOND_ACC,
		[RPT_WEIGHT_SELF] = RPT_WEIGHT_SECOND,
		[RPT_WEIGHT_SECOND] = RPT_WEIGHT_SELF,
		[RPT_WEIGHT_SECOND_ACC] = RPT_WEIGHT_ACC,
	};

	return event->columns->variants & RPT_VARIANT_LATENCY ? swapped[weight]
							      : weight;
}

/* Return a number of a row.  Tables of data are of one event each: groups are
 * taken apart. */
static struct number number_of(const struct rpt_data_event *event, uint32_t row,
			       enum rpt_weight weight)
{
	enum rpt_weight of = weight_of(event, weight);
	uint64_t value = rpt_rows_weight(event->rows, row, of, 0);
	uint64_t total = rpt_rows_total(event->rows, of, 0);

	return (struct number){ value,
				total ? 100.0 * (double)value / (double)total
				      : 0.0 };
}

static void json_number(const struct rpt_data_event *event, uint32_t row,
			enum rpt_weight weight, const char *const *names,
			struct rpt_json *json)
{
	struct number number = number_of(event, row, weight);

	rpt_json_member_number(json, names[0], number.pct);
	rpt_json_member_u64(json, names[1], number.value);
}

static void csv_number(const struct rpt_data_event *event, uint32_t row,
		       enum rpt_weight weight, struct rpt_text *out)
{
	struct number number = number_of(event, row, weight);

	rpt_text_format(out, ",%.10g,%llu", number.pct,
			(unsigned long long)number.value);
}

/* Return whether the row has the column: fields of other events are left out,
 * and rows of a hierarchy have the columns of their level. */
static bool has_column(const struct rpt_data_event *event, uint32_t row,
		       size_t idx)
{
	return rpt_columns_by_at(event->columns, idx) &&
	       !event->columns->items[idx].is_hidden &&
	       (!event->rows->conf.keys.level_nr ||
		rpt_columns_level_at(event->columns, idx) ==
			event->rows->items[row].at_level);
}

/* close_sums() ends a row that contains others. */
static void json_row(const struct rpt_data_event *event, uint32_t row,
		     struct rpt_text_string *string, struct rpt_json *json)
{
	const struct rpt_row_stat *stat = rpt_rows_stat(event->rows, row, 0);
	const struct more_number *n;
	char buf[RPT_COLUMN_NAME_LEN];

	rpt_json_line(json, 3);
	rpt_json_open(json, '{');
	json_number(event, row, RPT_WEIGHT_SELF,
		    (const char *[]){ "overhead_pct", "period" }, json);
	rpt_json_member_u64(json, "samples", stat->self_nr);
	for (n = next_number(event->columns, NULL); n;
	     n = next_number(event->columns, n))
		json_number(event, row, n->weight, n->names, json);
	for (size_t i = 0; i < event->columns->nr; i++) {
		const char *name = rpt_columns_name(event->columns, i, buf);

		if (has_column(event, row, i))
			rpt_json_member_str(json, name,
					    row_text(event, i, row, string));
	}
	if (rpt_rows_is_sum(event->rows, row)) {
		rpt_json_key(json, "rows");
		rpt_json_open(json, '[');
	} else {
		rpt_json_close(json, '}');
	}
}

static void csv_row(const struct rpt_data_event *event, uint32_t row,
		    struct rpt_text_string *string, struct rpt_text *out)
{
	const struct rpt_row_stat *stat = rpt_rows_stat(event->rows, row, 0);
	const struct more_number *n;

	rpt_csv_text(out, event->name);
	csv_number(event, row, RPT_WEIGHT_SELF, out);
	rpt_text_format(out, ",%llu", (unsigned long long)stat->self_nr);
	for (n = next_number(event->columns, NULL); n;
	     n = next_number(event->columns, n))
		csv_number(event, row, n->weight, out);
	for (size_t i = 0; i < event->columns->nr; i++) {
		if (!rpt_columns_by_at(event->columns, i))
			continue;
		rpt_text_char(out, ',');
		rpt_csv_text(out, row_text(event, i, row, string));
	}
	rpt_text_char(out, '\n');
}

/* Put how many stacks are whole, if there are any. */
static void json_stacks(const struct rpt_data_event *event,
			struct rpt_json *json)
{
	const struct rpt_report_whole *whole = &event->report->whole;
	struct rpt_stack_roots roots = { 0 };

	for (uint32_t p = 0; p < whole->part_nr; p++)
		for (uint32_t e = 0; e < whole->events.sets[p]->nr; e++)
			if (whole->events.numbers[p][e] ==
			    event->rows->event_idx)
				rpt_stack_roots_add(
					&roots, &whole->parts[p].profile, e);
	if (roots.nr) {
		rpt_json_key(json, "stacks");
		rpt_stack_roots_json(&roots, json);
	}
	rpt_stack_roots_release(&roots);
}

static uint64_t total_of(const struct rpt_data_event *event,
			 enum rpt_weight weight)
{
	return rpt_rows_total(event->rows, weight_of(event, weight), 0);
}

static void json_event_open(const struct rpt_data_event *event,
			    struct rpt_json *json)
{
	rpt_json_line(json, 2);
	rpt_json_open(json, '{');
	rpt_json_member_str(json, "event", event->name);
	rpt_json_member_u64(json, "period", total_of(event, RPT_WEIGHT_SELF));
	if (has_latency(event->columns))
		rpt_json_member_u64(json, "latency",
				    total_of(event, RPT_WEIGHT_SECOND));
	json_stacks(event, json);
	rpt_json_key(json, "rows");
	rpt_json_open(json, '[');
}

/* Close the rows that row does not stand below; RPT_NO_ROW: all. */
static void close_sums(const struct rpt_rows *rows, uint32_t last, uint32_t row,
		       struct rpt_json *json)
{
	uint32_t level = row == RPT_NO_ROW ? 0 : rows->items[row].at_level;

	if (last == RPT_NO_ROW)
		return;
	for (uint32_t i = level; i < rows->items[last].at_level; i++) {
		rpt_json_close(json, ']');
		rpt_json_close(json, '}');
	}
}

static void json_event(const struct rpt_data_event *event, struct rpt_text *out)
{
	struct rpt_text_string *string = rpt_text_string_new();
	struct rpt_json json = RPT_JSON_INIT(out, "  ");
	const struct rpt_rows *rows = event->rows;
	uint32_t last = RPT_NO_ROW;

	json.is_first = event->is_first;
	json_event_open(event, &json);
	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++) {
		uint32_t row = rows->order[i];

		if (rows->items[row].is_hidden)
			continue;
		close_sums(rows, last, row, &json);
		json_row(event, row, string, &json);
		last = row;
	}
	close_sums(rows, last, RPT_NO_ROW, &json);
	rpt_json_line_close(&json, 2, ']');
	rpt_json_close(&json, '}');
	rpt_text_string_free(string);
}

static void csv_event(const struct rpt_data_event *event, struct rpt_text *out)
{
	struct rpt_text_string *string = rpt_text_string_new();
	const struct rpt_rows *rows = event->rows;

	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++)
		if (!rows->items[rows->order[i]].is_hidden)
			csv_row(event, rows->order[i], string, out);
	rpt_text_string_free(string);
}

static int print_json(struct rpt_report *report, FILE *out, struct pd_err *err)
{
	static const struct rpt_data_form form = {
		.open = json_open,
		.close = json_close,
		.event = json_event,
	};

	return rpt_report_print_data(report, &form, out, err);
}

static int print_csv(struct rpt_report *report, FILE *out, struct pd_err *err)
{
	static const struct rpt_data_form form = {
		.open = csv_open,
		.event = csv_event,
		.is_safe = true,
	};

	return rpt_report_print_data(report, &form, out, err);
}

const struct rpt_output rpt_output_json = {
	.name = "json",
	.help = "rows and their numbers as JSON",
	.options = { rpt_column_opts, rpt_level_opts, rpt_row_opts,
		     rpt_report_opts },
	.print = print_json,
};

const struct rpt_output rpt_output_csv = {
	.name = "csv",
	.help = "rows as lines of values with commas",
	.options = { rpt_column_opts, rpt_row_opts, rpt_report_opts },
	.print = print_csv,
};

/* Put text as a span of code, which is between runs of more backticks than text
 * has (CommonMark 6.1), and in which a "|" does not end the cell. */
static void markdown_cell(struct rpt_text *out, const char *text)
{
	size_t fence = 1;

	for (const char *at = text; (at = strchr(at, '`'));) {
		size_t len = strspn(at, "`");

		fence = len >= fence ? len + 1 : fence;
		at += len;
	}
	rpt_text_char(out, ' ');
	for (size_t i = 0; *text && i < fence; i++)
		rpt_text_char(out, '`');
	rpt_text_str(out, fence > 1 ? " " : "");
	for (const char *at = text; *at;) {
		size_t len = strcspn(at, "|");

		rpt_text_name(out, at, len);
		at += len;
		if (*at)
			rpt_text_str(out, "\\|");
		at += !!*at;
	}
	rpt_text_str(out, fence > 1 ? " " : "");
	for (size_t i = 0; *text && i < fence; i++)
		rpt_text_char(out, '`');
	rpt_text_str(out, " |");
}

static void markdown_head(const struct rpt_data_event *event,
			  struct rpt_text *out)
{
	const struct rpt_columns *columns = event->columns;
	const struct more_number *n;
	char buf[RPT_COLUMN_NAME_LEN];

	rpt_text_str(out, event->is_first ? "" : "\n");
	rpt_text_format(out, "**%s**\n\n| overhead |", event->name);
	for (n = next_number(columns, NULL); n; n = next_number(columns, n))
		rpt_text_format(out, " %s |", n->title);
	rpt_text_str(out, " samples |");
	for (size_t i = 0; i < columns->nr; i++)
		if (rpt_columns_by_at(columns, i))
			rpt_text_format(out, " %s |",
					rpt_columns_name(columns, i, buf));
	rpt_text_str(out, "\n|---:|---:|");
	for (n = next_number(columns, NULL); n; n = next_number(columns, n))
		rpt_text_str(out, "---:|");
	for (size_t i = 0; i < columns->nr; i++)
		if (rpt_columns_by_at(columns, i))
			rpt_text_str(out, "---|");
	rpt_text_char(out, '\n');
}

static void markdown_row(const struct rpt_data_event *event, uint32_t row,
			 struct rpt_text_string *string, struct rpt_text *out)
{
	const struct rpt_row_stat *stat = rpt_rows_stat(event->rows, row, 0);
	const struct more_number *n;

	rpt_text_format(out, "| %.2f%% |",
			number_of(event, row, RPT_WEIGHT_SELF).pct);
	for (n = next_number(event->columns, NULL); n;
	     n = next_number(event->columns, n))
		rpt_text_format(out, " %.2f%% |",
				number_of(event, row, n->weight).pct);
	rpt_text_format(out, " %llu |", (unsigned long long)stat->self_nr);
	for (size_t i = 0; i < event->columns->nr; i++)
		if (rpt_columns_by_at(event->columns, i))
			markdown_cell(out, row_text(event, i, row, string));
	rpt_text_char(out, '\n');
}

static void markdown_event(const struct rpt_data_event *event,
			   struct rpt_text *out)
{
	struct rpt_text_string *string = rpt_text_string_new();
	const struct rpt_rows *rows = event->rows;

	markdown_head(event, out);
	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++)
		if (!rows->items[rows->order[i]].is_hidden)
			markdown_row(event, rows->order[i], string, out);
	rpt_text_string_free(string);
}

static int print_markdown(struct rpt_report *report, FILE *out,
			  struct pd_err *err)
{
	static const struct rpt_data_form form = {
		.event = markdown_event,
		.is_safe = true,
	};

	return rpt_report_print_data(report, &form, out, err);
}

const struct rpt_output rpt_output_markdown = {
	.name = "markdown",
	.help = "a table for issues and pull requests",
	.options = { rpt_column_opts, rpt_row_opts, rpt_report_opts },
	.print = print_markdown,
};
