/* stat_metric_only.c: --metric-only: a row for each group, a column for each
 * metric.
 *
 * Columns are the metrics of -M, or those that stand behind the events' counts.
 * Which ones there are, their names and widths depend on the events alone, so
 * that all rows and the names above them agree.  A metric without a value
 * leaves its column empty.
 */
#include "record/stat/stat_print.h"

#include "format/support/json_string.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_WIDTH = 20, NAME_CAP = 160, VALUE_CAP = 64 };

struct column {
	size_t idx; /* of the metric of -M, or of the event */
	char name[NAME_CAP];
	int width;
};

/* Return what the metric behind an event's count is called, NULL if there is
 * none. */
static const char *label_of(const struct rec_stat_sheet *sheet,
			    const struct rec_event *event)
{
	const struct rec_metric *metric = rec_stat_metric_beside(sheet, event);

	if (metric)
		return metric->label;
	return rec_stat_is_cycles(event) && sheet->clock_nr ? "GHz" : NULL;
}

/* Fill in the next column from *at on, moving *at behind it. */
static bool next_column(const struct rec_stat_sheet *sheet, size_t *at,
			struct column *ret)
{
	const struct rec_stat_sheet_conf *conf = &sheet->conf;
	size_t nr = conf->metric_nr ? conf->metric_nr : conf->events->nr;
	const char *before = "", *label = NULL;

	while (!label) {
		if (*at == nr)
			return false;
		ret->idx = (*at)++;
		label = conf->metric_nr
				? conf->metrics[ret->idx]->name
				: label_of(sheet,
					   &conf->events->events[ret->idx]);
	}
	/* alone it says too little */
	if (!strncmp(label, "of all", strlen("of all")))
		before = conf->events->events[ret->idx].name;
	snprintf(ret->name, NAME_CAP, "%s%s%s", before, *before ? " " : "",
		 label);
	/* names of events are the user's or a file's */
	for (char *c = ret->name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	ret->width = (int)strlen(ret->name);
	if (ret->width < COLUMN_WIDTH)
		ret->width = COLUMN_WIDTH;
	return true;
}

/* Write the value of a group, "" if there is none. */
static void write_value(const struct rec_stat_sheet *sheet,
			const struct column *column, size_t group,
			char ret[VALUE_CAP])
{
	const struct rec_stat_row row = { column->idx, group, 0 };
	struct rec_stat_value value;
	struct rec_stat_rate *rate = &value.rate;

	*ret = '\0';
	if (sheet->conf.metric_nr)
		rec_stat_metric_of(sheet, sheet->conf.metrics[column->idx],
				   group, rate);
	else
		rec_stat_sheet_value(sheet, &row, &value);
	if (rate->refused && strcmp(rate->refused, "not counted") != 0)
		snprintf(ret, VALUE_CAP, "<%s>", rate->refused);
	else if (!rate->refused && rate->is_metric)
		snprintf(ret, VALUE_CAP, "%.*f%s", rate->is_short ? 2 : 3,
			 rate->value, rate->is_percent ? "%" : "");
}

static void print_head_csv(const struct rec_stat_print *print,
			   const struct rec_stat_sheet *sheet)
{
	static const char *const names[] = {
		[REC_STAT_CPU] = "cpu",	      [REC_STAT_CORE] = "core",
		[REC_STAT_DIE] = "die",	      [REC_STAT_SOCKET] = "socket",
		[REC_STAT_NODE] = "node",     [REC_STAT_GLOBAL] = NULL,
		[REC_STAT_THREAD] = "thread",
	};
	enum rec_stat_mode mode = sheet->conf.groups->mode;
	struct column column;

	if (print->is_interval)
		fprintf(print->out, "time%s", print->sep);
	if (names[mode])
		fprintf(print->out, "%s%s", names[mode], print->sep);
	if (mode >= REC_STAT_CORE && mode <= REC_STAT_NODE)
		fprintf(print->out, "cpus%s", print->sep);
	for (size_t at = 0; next_column(sheet, &at, &column);)
		fprintf(print->out, "%s%s", column.name, print->sep);
	putc('\n', print->out);
}

static void print_head_text(const struct rec_stat_print *print,
			    const struct rec_stat_sheet *sheet)
{
	/* as wide as rec_stat_label_text() prints one-digit numbers */
	static const char *const labels[] = {
		[REC_STAT_GLOBAL] = "",
		[REC_STAT_CPU] = "CPU        ",
		[REC_STAT_CORE] = "core            cpus ",
		[REC_STAT_DIE] = "die          cpus ",
		[REC_STAT_SOCKET] = "socket cpus ",
		[REC_STAT_NODE] = "node   cpus ",
		[REC_STAT_THREAD] = "",
	};
	struct column column;

	if (print->is_interval)
		fputs("#           time ", print->out);
	fputs(labels[sheet->conf.groups->mode], print->out);
	for (size_t at = 0; next_column(sheet, &at, &column);)
		fprintf(print->out, "%*s ", column.width, column.name);
	putc('\n', print->out);
}

/* On how many CPUs the group's events are open; perf 6.1 prints that of the
 * first event, 1 if the machine lacks it. */
static size_t counters_of(const struct rec_stat_sheet *sheet, size_t group)
{
	size_t most = 0;

	for (size_t i = 0; i < sheet->conf.events->nr; i++) {
		size_t nr = rec_stat_sheet_cell(sheet, i, group)->counter_nr;

		most = nr > most ? nr : most;
	}
	return most;
}

static void print_row_csv(const struct rec_stat_print *print,
			  const struct rec_stat_sheet *sheet, size_t group)
{
	struct column column;
	char value[VALUE_CAP];

	rec_stat_print_csv_start(print, sheet, group,
				 counters_of(sheet, group));
	for (size_t at = 0; next_column(sheet, &at, &column);) {
		write_value(sheet, &column, group, value);
		fprintf(print->out, "%.*s%s", (int)strcspn(value, "%"), value,
			print->sep);
	}
	putc('\n', print->out);
}

static void print_row_text(const struct rec_stat_print *print,
			   const struct rec_stat_sheet *sheet, size_t group)
{
	struct column column;
	char value[VALUE_CAP];

	if (print->is_interval)
		fprintf(print->out, "%16.9f ", print->time_ns / 1e9);
	rec_stat_label_text(print->out, sheet->conf.groups, group,
			    counters_of(sheet, group));
	for (size_t at = 0; next_column(sheet, &at, &column);) {
		write_value(sheet, &column, group, value);
		fprintf(print->out, "%*s ", column.width, value);
	}
	putc('\n', print->out);
}

/* The text of perf 6.1 is no JSON here. */
static void print_row_json(const struct rec_stat_print *print,
			   const struct rec_stat_sheet *sheet, size_t group)
{
	struct column column;
	char value[VALUE_CAP];
	size_t nr = 0;

	rec_stat_print_json_start(print, sheet, group,
				  counters_of(sheet, group));
	for (size_t at = 0; next_column(sheet, &at, &column);) {
		write_value(sheet, &column, group, value);
		if (!*value)
			continue;
		fputs(nr++ ? ", " : "", print->out);
		sup_json_print(print->out, column.name);
		fprintf(print->out, " : \"%.*s\"", (int)strcspn(value, "%"),
			value);
	}
	fputs(nr ? "}\n" : "\"metric-value\" : \"\"}\n", print->out);
}

int rec_stat_print_metric_only(const struct rec_stat_print *print,
			       const struct rec_stat_sheet *sheet,
			       enum rec_stat_form form, bool has_head)
{
	bool is_whole = form == REC_STAT_TEXT && !print->is_interval;

	if (is_whole)
		rec_stat_print_title(print, sheet);
	if (has_head && form == REC_STAT_TEXT)
		print_head_text(print, sheet);
	if (has_head && form == REC_STAT_CSV)
		print_head_csv(print, sheet);
	for (size_t i = 0; i < sheet->conf.groups->nr; i++) {
		if (form == REC_STAT_TEXT)
			print_row_text(print, sheet, i);
		else if (form == REC_STAT_CSV)
			print_row_csv(print, sheet, i);
		else
			print_row_json(print, sheet, i);
	}
	if (is_whole)
		rec_stat_print_foot(print, sheet);
	return 0;
}
