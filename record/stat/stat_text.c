/* stat_text.c: perf stat's text. */
#include "record/stat/stat_print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Widths of perf's columns. */
enum {
	VALUE_WIDTH = 18,
	UNIT_WIDTH = 4,
	NAME_WIDTH = 25,
	COUNTED_NAME_WIDTH = 32, /* of an event that was counted */
	BLANK_WIDTH = 35,	 /* the width of a rate */
	RATE_UNIT_WIDTH = 23,
	PRECISION_MAX = 9,
	PERCENT_OF_HASH = 5,
};

/* Print a name of the user or of a file without control characters. */
static void print_name(FILE *out, const char *name, int width)
{
	int len = 0;

	for (; *name; name++, len++)
		putc((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name,
		     out);
	fprintf(out, "%*s", len < width ? width - len : 0, "");
}

static int unit_width(const struct rec_event_list *events)
{
	int width = UNIT_WIDTH;

	for (size_t i = 0; i < events->nr; i++) {
		int len = (int)strlen(rec_stat_unit(&events->events[i]));

		if (len > width)
			width = len;
	}
	return width;
}

static void print_count(const struct rec_stat_print *print,
			const struct rec_stat_value *value, double scale)
{
	bool is_whole = floor(scale) == scale;
	double mean = value->series.mean;
	FILE *out = print->out;

	if (value->state == REC_STAT_NOT_COUNTED)
		fprintf(out, "%*s", VALUE_WIDTH, "<not counted>");
	else if (value->state == REC_STAT_NOT_SUPPORTED)
		fprintf(out, "%*s", VALUE_WIDTH, "<not supported>");
	else if (print->big_num)
		fprintf(out, "%'*.*f", VALUE_WIDTH, is_whole ? 0 : 2, mean);
	else
		fprintf(out, "%*.*f", VALUE_WIDTH, is_whole ? 0 : 2, mean);
}

static void print_rate(FILE *out, const struct rec_stat_rate *rate)
{
	if (rate->refused)
		fprintf(out, " # %-*s", BLANK_WIDTH - 3, rate->refused);
	else if (!*rate->unit)
		fprintf(out, "%*s", BLANK_WIDTH, "");
	else if (!rate->is_short)
		fprintf(out, " #%9.3f %-*s", rate->value, RATE_UNIT_WIDTH,
			rate->unit);
	else
		fprintf(out, " #%8.2f%s %-*s", rate->value,
			rate->is_percent ? "%" : " ", RATE_UNIT_WIDTH,
			rate->unit);
}

/* What stands behind the name: rate, scatter, share of the time that it ran. */
static void print_rest(const struct rec_stat_print *print,
		       const struct rec_stat_value *value)
{
	double noise = rec_series_noise_pct(&value->series);
	FILE *out = print->out;

	if (value->state != REC_STAT_COUNTED) {
		fprintf(out, "%*s\n", BLANK_WIDTH, "");
		return;
	}
	print_rate(out, &value->rate);
	if (print->has_runs && noise > 0)
		fprintf(out, "  ( +-%6.2f%% )", noise);
	if (value->running_ns < value->enabled_ns)
		fprintf(out, "  (%.2f%%)", value->running_pct);
	putc('\n', out);
}

static void print_row(const struct rec_stat_print *print,
		      const struct rec_stat_sheet *sheet,
		      const struct rec_stat_row *row, int unit_len)
{
	const struct rec_event *event = &sheet->conf.events->events[row->event];
	struct rec_stat_value value;
	FILE *out = print->out;

	rec_stat_sheet_value(sheet, row, &value);
	if (print->is_interval)
		fprintf(out, "%16.9f ", print->time_ns / 1e9);
	rec_stat_label_text(out, sheet->conf.groups, row->group,
			    value.counter_nr);
	print_count(print, &value, rec_stat_scale(event));
	fprintf(out, " %-*s ", unit_len, rec_stat_unit(event));
	print_name(out, event->name,
		   value.state == REC_STAT_COUNTED ? COUNTED_NAME_WIDTH
						   : NAME_WIDTH);
	if (event->cgroup) {
		putc(' ', out);
		print_name(out, event->cgroup, 0);
	}
	print_rest(print, &value);
}

/* -M: a line for each metric of the group. */
static void print_metrics(const struct rec_stat_print *print,
			  const struct rec_stat_sheet *sheet, int unit_len)
{
	const struct rec_stat_sheet_conf *conf = &sheet->conf;
	FILE *out = print->out;

	for (size_t i = 0; i < conf->groups->nr * conf->metric_nr; i++) {
		const struct rec_metric *metric =
			conf->metrics[i % conf->metric_nr];
		size_t group = i / conf->metric_nr;
		struct rec_stat_rate rate;

		rec_stat_metric_of(sheet, metric, group, &rate);
		if (print->is_interval)
			fprintf(out, "%16.9f ", print->time_ns / 1e9);
		rec_stat_label_text(out, conf->groups, group, 0);
		fprintf(out, "%*s", VALUE_WIDTH + unit_len + 2, "");
		print_name(out, metric->name, COUNTED_NAME_WIDTH);
		if (rate.refused)
			fprintf(out, " # %s\n", rate.refused);
		else if (rate.is_percent)
			fprintf(out, " #%8.2f%%\n", rate.value);
		else
			fprintf(out, " #%8.2f  %s\n", rate.value, metric->unit);
	}
}

static int print_rows(const struct rec_stat_print *print,
		      const struct rec_stat_sheet *sheet)
{
	int unit_len = unit_width(sheet->conf.events);
	size_t nr;
	struct rec_stat_row *rows = rec_stat_sheet_rows(sheet, &nr);

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		print_row(print, sheet, &rows[i], unit_len);
	print_metrics(print, sheet, unit_len);
	free(rows);
	return 0;
}

/* The digits after the point that show three digits of the error. */
static int precision_of(double error)
{
	int digits = PRECISION_MAX;

	if (error > 1)
		return 2;
	if (error > 0)
		digits = (int)ceil(-log10(error)) + 2;
	return digits < PRECISION_MAX ? digits : PRECISION_MAX;
}

static void print_table(const struct rec_stat_print *print,
			const struct rec_stat_sheet *sheet,
			const struct rec_series *wall, int precision)
{
	int indent = VALUE_WIDTH - precision - 2;
	FILE *out = print->out;

	fprintf(out, "%*s# Table of individual measurements:\n", indent, "");
	for (size_t i = 0; i < sheet->run_nr; i++) {
		double run = sheet->wall_ns[i] / 1e9;
		double off = run - wall->mean;
		int hash_nr = (int)(fabs(100 * off) / run) / PERCENT_OF_HASH;

		fprintf(out, "%*.*f (%+.*f) ", VALUE_WIDTH, precision, run,
			precision, off);
		for (int hash = 0; hash <= hash_nr; hash++)
			putc('#', out);
		putc('\n', out);
	}
	fprintf(out, "\n%*s# Final result:\n", indent, "");
}

void rec_stat_print_foot(const struct rec_stat_print *print,
			 const struct rec_stat_sheet *sheet)
{
	struct rec_series wall;
	FILE *out = print->out;
	int precision;

	rec_series_of(&wall, sheet->wall_ns, sheet->run_nr);
	wall.mean /= 1e9;
	wall.error /= 1e9;
	if (sheet->conf.events->nr)
		putc('\n', out);
	/* Of a file that was cut short the time is not known. */
	if (wall.mean <= 0)
		return;
	if (!print->has_runs) {
		fprintf(out, "%*.9f seconds time elapsed\n", VALUE_WIDTH,
			wall.mean);
		if (sheet->has_usage)
			fprintf(out,
				"\n%*.9f seconds user\n%*.9f seconds sys\n\n",
				VALUE_WIDTH, (double)sheet->user_us / 1e6,
				VALUE_WIDTH, (double)sheet->sys_us / 1e6);
		putc('\n', out);
		return;
	}
	precision = precision_of(wall.error);
	if (print->table)
		print_table(print, sheet, &wall, precision);
	fprintf(out, "%*.*f +- %.*f seconds time elapsed  ( +-%6.2f%% )\n\n",
		VALUE_WIDTH, precision, wall.mean, precision, wall.error,
		rec_series_noise_pct(&wall));
}

void rec_stat_print_interval_head(const struct rec_stat_print *print,
				  enum rec_stat_mode mode)
{
	static const char *const columns[] = {
		[REC_STAT_GLOBAL] = "            counts",
		[REC_STAT_CPU] = "CPU                    counts",
		[REC_STAT_CORE] = "core            cpus             counts",
		[REC_STAT_DIE] = "die          cpus             counts",
		[REC_STAT_SOCKET] = "socket cpus             counts",
		[REC_STAT_NODE] = "node   cpus             counts",
		[REC_STAT_THREAD] =
			"            comm-pid                  counts",
	};

	fprintf(print->out, "#           time %s unit events\n", columns[mode]);
}

void rec_stat_print_title(const struct rec_stat_print *print,
			  const struct rec_stat_sheet *sheet)
{
	fputs("\n Performance counter stats for ", print->out);
	print_name(print->out, print->title, 0);
	if (print->has_runs)
		fprintf(print->out, " (%zu runs)", sheet->run_nr);
	fputs(":\n\n", print->out);
}

int rec_stat_print_text(const struct rec_stat_print *print,
			const struct rec_stat_sheet *sheet)
{
	int rc;

	if (print->is_interval)
		return print_rows(print, sheet);
	rec_stat_print_title(print, sheet);
	rc = print_rows(print, sheet);
	if (!rc)
		rec_stat_print_foot(print, sheet);
	return rc;
}
