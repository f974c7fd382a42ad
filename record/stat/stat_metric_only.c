/* stat_metric_only.c: --metric-only: a row for each group, a column for each
 * metric.
 *
 * Columns are the metrics of -M, or what stands behind the events' counts, if
 * that is a metric: rates per second are none.  An event that was not counted
 * leaves its column empty.  perf 6.1 prints names above them with -A alone, and
 * there those of empty ones, too; ours has those of columns with values in all
 * modes.
 */
#include "record/stat/stat_print.h"

#include "format/support/json_string.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	COLUMN_WIDTH = 20,
	/* perf 6.1 leaves room for a colour's end behind these. */
	SHARE_MORE = 3,
	NAME_CAP = 160,
	VALUE_CAP = 64,
};

struct column {
	char name[NAME_CAP];   /* "": none is printed */
	char value[VALUE_CAP]; /* "": not counted */
	int width;	       /* of the value */
};

/* Events of the kernel's own have no metrics. */
static bool has_column(const struct rec_event *event)
{
	uint32_t type = event->attr.sys.type;

	return type != PERF_TYPE_SOFTWARE && type != PERF_TYPE_TRACEPOINT &&
	       type != PERF_TYPE_BREAKPOINT;
}

static bool is_metric(const struct rec_stat_rate *rate)
{
	size_t len = strlen(rate->unit);

	return len && strcmp(rate->unit, "CPUs utilized") != 0 &&
	       (len < 4 || strcmp(rate->unit + len - 4, "/sec") != 0);
}

static void set_value(struct column *column, const struct rec_stat_rate *rate)
{
	if (rate->refused)
		snprintf(column->value, VALUE_CAP, "<%s>", rate->refused);
	else if (rate->is_percent)
		snprintf(column->value, VALUE_CAP, "%7.2f%%", rate->value);
	else if (rate->is_short)
		snprintf(column->value, VALUE_CAP, "%7.2f ", rate->value);
	else
		snprintf(column->value, VALUE_CAP, "%8.3f", rate->value);
}

/* "of all branches" says too little alone; names are the user's or a file's. */
static void set_name(struct column *column, const char *name, const char *unit)
{
	bool is_share = !strncmp(unit, "of all", strlen("of all"));

	snprintf(column->name, NAME_CAP, "%s%s%s", is_share ? name : "",
		 is_share ? " " : "", unit);
	for (char *at = column->name; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	if (*column->value && strlen(column->name) > COLUMN_WIDTH)
		column->width += (int)strlen(column->name) + 1;
	else
		column->width += COLUMN_WIDTH;
}

/* The name that the column of an event without a count would have. */
static const char *usual_unit(const struct rec_stat_sheet *sheet,
			      const struct rec_event *event)
{
	const struct rec_metric *metric = rec_stat_metric_beside(sheet, event);

	if (metric)
		return metric->label;
	if (!rec_stat_is_cycles(event))
		return "";
	return sheet->clock_nr ? "GHz" : "Ghz"; /* as in perf 6.1 */
}

/* Return false if the event has no column. */
static bool event_column(const struct rec_stat_sheet *sheet, size_t event_idx,
			 size_t group, struct column *ret)
{
	const struct rec_event *event = &sheet->conf.events->events[event_idx];
	const struct rec_stat_row row = { event_idx, group, 0 };
	struct rec_stat_value value;
	const char *unit = "";

	*ret = (struct column){ .name = "" };
	if (!has_column(event))
		return false;
	rec_stat_sheet_value(sheet, &row, &value);
	if (value.state == REC_STAT_COUNTED) {
		if (!is_metric(&value.rate) && !value.rate.refused)
			return false;
		set_value(ret, &value.rate);
		if (value.rate.is_percent && value.rate.is_short)
			ret->width = SHARE_MORE;
		unit = value.rate.refused ? usual_unit(sheet, event)
					  : value.rate.unit;
	} else if (sheet->conf.groups->mode == REC_STAT_CPU) {
		unit = usual_unit(sheet, event);
	}
	set_name(ret, event->name, unit);
	return true;
}

static size_t column_cap(const struct rec_stat_sheet *sheet)
{
	return sheet->conf.metric_nr ? sheet->conf.metric_nr
				     : sheet->conf.events->nr;
}

/* Return the next column of a group from *at on, moving *at behind it. */
static bool next_column(const struct rec_stat_sheet *sheet, size_t group,
			size_t *at, struct column *ret)
{
	while (*at < column_cap(sheet)) {
		size_t idx = (*at)++;
		struct rec_stat_rate rate;

		if (!sheet->conf.metric_nr) {
			if (event_column(sheet, idx, group, ret))
				return true;
			continue;
		}
		rec_stat_metric_of(sheet, sheet->conf.metrics[idx], group,
				   &rate);
		*ret = (struct column){ .name = "" };
		if (!rate.refused || strcmp(rate.refused, "not counted") != 0)
			set_value(ret, &rate);
		set_name(ret, "", rate.unit);
		return true;
	}
	return false;
}

static bool has_names(const struct rec_stat_sheet *sheet)
{
	struct column column;

	for (size_t at = 0; next_column(sheet, 0, &at, &column);)
		if (*column.name)
			return true;
	return false;
}

/* The row of names is made of the first group's columns.  perf leaves out those
 * without a name, so that the others stand too far to the left. */
static void print_names(const struct rec_stat_print *print,
			const struct rec_stat_sheet *sheet)
{
	/* perf's names do not stand above their columns. */
	bool is_perfs = sheet->conf.groups->mode == REC_STAT_CPU;
	bool skips = is_perfs || !has_names(sheet);
	struct column column;

	for (size_t at = 0; next_column(sheet, 0, &at, &column);) {
		if (!*column.name && skips)
			continue;
		if (print->sep)
			fprintf(print->out, "%s%s", column.name, print->sep);
		else
			fprintf(print->out, "%*s ",
				is_perfs ? COLUMN_WIDTH : column.width,
				column.name);
	}
	putc('\n', print->out);
}

static void print_head_csv(const struct rec_stat_print *print,
			   const struct rec_stat_sheet *sheet)
{
	enum rec_stat_mode mode = sheet->conf.groups->mode;
	static const char *const first[] = {
		[REC_STAT_CPU] = "cpu",	      [REC_STAT_CORE] = "core",
		[REC_STAT_DIE] = "die",	      [REC_STAT_SOCKET] = "socket",
		[REC_STAT_NODE] = "node",     [REC_STAT_GLOBAL] = "",
		[REC_STAT_THREAD] = "thread",
	};
	/* perf 6.1 ends the names so; it has no "cpus" of nodes. */
	bool has_sep = mode != REC_STAT_DIE && mode != REC_STAT_SOCKET;

	if (print->is_interval)
		fprintf(print->out, " time%s", print->sep);
	fputs(first[mode], print->out);
	if (mode >= REC_STAT_CORE && mode <= REC_STAT_SOCKET)
		fprintf(print->out, "%scpus", print->sep);
	if (mode != REC_STAT_GLOBAL && (has_sep || has_names(sheet)))
		fputs(print->sep, print->out);
	print_names(print, sheet);
}

static void print_head_text(const struct rec_stat_print *print,
			    const struct rec_stat_sheet *sheet)
{
	static const struct {
		const char *in_interval;
		int width; /* perf's, without names */
		int width_of_names;
	} first[] = {
		[REC_STAT_GLOBAL] = { "", 0, 0 },
		[REC_STAT_CPU] = { "CPU     ", 6, 6 },
		[REC_STAT_CORE] = { "core            cpus ", 24, 21 },
		[REC_STAT_DIE] = { "die          cpus ", 18, 18 },
		[REC_STAT_SOCKET] = { "socket cpus ", 12, 12 },
		[REC_STAT_NODE] = { "node   cpus ", 6, 12 },
		[REC_STAT_THREAD] = { "", 16, 16 },
	};
	enum rec_stat_mode mode = sheet->conf.groups->mode;
	int width = has_names(sheet) ? first[mode].width_of_names
				     : first[mode].width;

	if (print->is_interval)
		fprintf(print->out, "#           time %s",
			first[mode].in_interval);
	else
		fprintf(print->out, "%*s", width, "");
	print_names(print, sheet);
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

	rec_stat_print_csv_start(print, sheet, group,
				 counters_of(sheet, group));
	for (size_t at = 0; next_column(sheet, group, &at, &column);) {
		const char *value = column.value + strspn(column.value, " ");

		fprintf(print->out, "%.*s%s", (int)strcspn(value, " %"), value,
			print->sep);
	}
	putc('\n', print->out);
}

static void print_row_text(const struct rec_stat_print *print,
			   const struct rec_stat_sheet *sheet, size_t group)
{
	struct column column;

	if (print->is_interval)
		fprintf(print->out, "%16.9f ", print->time_ns / 1e9);
	rec_stat_label_text(print->out, sheet->conf.groups, group,
			    counters_of(sheet, group));
	for (size_t at = 0; next_column(sheet, group, &at, &column);)
		fprintf(print->out, "%*s ", column.width, column.value);
	putc('\n', print->out);
}

/* What perf 6.1 prints here is no JSON. */
static void print_row_json(const struct rec_stat_print *print,
			   const struct rec_stat_sheet *sheet, size_t group)
{
	struct column column;
	size_t nr = 0;

	rec_stat_print_json_start(print, sheet, group,
				  counters_of(sheet, group));
	for (size_t at = 0; next_column(sheet, group, &at, &column);) {
		const char *value = column.value + strspn(column.value, " ");

		if (!*column.name || !*value)
			continue;
		fputs(nr++ ? ", " : "", print->out);
		sup_json_print(print->out, column.name);
		fprintf(print->out, " : \"%.*s\"", (int)strcspn(value, " %"),
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
