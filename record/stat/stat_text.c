/* Perf stat's text. */
#include "record/stat/stat_print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/support/safe_text.h"

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

/* Print a name of the user or of a file, in columns of bytes as perf does. */
static void print_name(FILE *out, const char *name, int width)
{
	int len = (int)strlen(name);

	sup_put_safe_text(out, name);
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

/* The columns behind the name: rate, scatter, share of the time that it ran. */
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

/* Below perf's text of several runs: intervals that hold the true mean with 95
 * %, and what drifted. */

static void print_line(FILE *out, const struct rec_series *series, double scale,
		       int digits, const char *unit, const char *name)
{
	fprintf(out, "%18.*f .. %.*f %s%s%s\n", digits, series->low * scale,
		digits, series->high * scale, unit, *unit ? " " : "", name);
}

static void print_drift(FILE *out, const double *values, size_t nr,
			const char *name)
{
	double pct;

	if (rec_series_drifts(values, nr, &pct))
		fprintf(out,
			"%18s drifts: the last %zu runs have %+.1f %% to the "
			"first %zu\n",
			name, nr / 2, pct, nr / 2);
}

void rec_stat_print_runs(const struct rec_stat_print *print,
			 const struct rec_stat_sheet *sheet)
{
	const struct rec_event_list *events = sheet->conf.events;
	struct rec_series wall;
	FILE *out = print->out;

	if (sheet->run_nr < 2 || sheet->conf.groups->mode != REC_STAT_GLOBAL)
		return;
	fputs(" The means lie in these ranges with 95 % (Student's t):\n\n",
	      out);
	for (size_t i = 0; i < events->nr; i++) {
		const struct rec_stat_row row = { i, 0, 0 };
		struct rec_stat_value value;

		rec_stat_sheet_value(sheet, &row, &value);
		if (value.state == REC_STAT_COUNTED && value.series.error > 0)
			print_line(out, &value.series, 1, 2,
				   rec_stat_unit(&events->events[i]),
				   events->events[i].name);
	}
	rec_series_of(&wall, sheet->wall_ns, sheet->run_nr);
	print_line(out, &wall, 1e-9, 9, "seconds", "elapsed");
	putc('\n', out);
	for (size_t i = 0; i < events->nr; i++) {
		const struct rec_stat_cell *cell =
			rec_stat_sheet_cell(sheet, i, 0);

		print_drift(out, cell->values, cell->value_nr,
			    events->events[i].name);
	}
	print_drift(out, sheet->wall_ns, sheet->run_nr, "elapsed");
}

/* The names of groups. */

/* Widths of perf's columns. */
enum { CPU_WIDTH = 7, CORE_WIDTH = 8, SOCKET_WIDTH = 5, TID_WIDTH = 8 };

enum { COMM_LEN = 4 * sizeof(((struct rec_thread *)0)->comm) + 1 };

/* Write the name of a thread as it is safe to print. */
static void print_comm(char ret[COMM_LEN], const struct rec_thread *thread)
{
	struct pd_str left = { thread->comm,
			       strnlen(thread->comm, sizeof(thread->comm)) };
	char buf[SUP_SAFE_LEN];
	size_t len = 0;

	while (left.len) {
		struct pd_str part = sup_safe_next(&left, SUP_SAFE_NAME, buf);

		memcpy(ret + len, part.ptr, part.len);
		len += part.len;
	}
	ret[len] = '\0';
}

void rec_stat_label_name(char *ret, size_t cap,
			 const struct rec_stat_groups *groups, size_t group)
{
	const struct rec_stat_group *g = &groups->groups[group];
	char comm[COMM_LEN];

	*ret = '\0';
	if (groups->mode == REC_STAT_CPU) {
		snprintf(ret, cap, "CPU%d", g->cpu);
	} else if (groups->mode == REC_STAT_CORE) {
		snprintf(ret, cap, "S%d-D%d-C%d", g->socket, g->die, g->core);
	} else if (groups->mode == REC_STAT_DIE) {
		snprintf(ret, cap, "S%d-D%d", g->socket, g->die);
	} else if (groups->mode == REC_STAT_SOCKET) {
		snprintf(ret, cap, "S%d", g->socket);
	} else if (groups->mode == REC_STAT_NODE) {
		snprintf(ret, cap, "N%d", g->node);
	} else if (groups->mode == REC_STAT_THREAD) {
		print_comm(comm, &g->thread);
		snprintf(ret, cap, "%s-%d", comm, g->thread.tid);
	}
}

void rec_stat_label_text(FILE *out, const struct rec_stat_groups *groups,
			 size_t group, size_t counter_nr)
{
	const struct rec_stat_group *g = &groups->groups[group];
	char comm[COMM_LEN];

	switch (groups->mode) {
	case REC_STAT_GLOBAL:
		return;
	case REC_STAT_CPU:
		fprintf(out, "CPU%-*d ", CPU_WIDTH, g->cpu);
		return;
	case REC_STAT_THREAD:
		print_comm(comm, &g->thread);
		fprintf(out, "%16s-%-*d ", comm, TID_WIDTH, g->thread.tid);
		return;
	case REC_STAT_CORE:
		fprintf(out, "S%d-D%d-C%-*d", g->socket, g->die, CORE_WIDTH,
			g->core);
		break;
	case REC_STAT_DIE:
		fprintf(out, "S%d-D%-*d", g->socket, CORE_WIDTH, g->die);
		break;
	case REC_STAT_SOCKET:
		fprintf(out, "S%-*d", SOCKET_WIDTH, g->socket);
		break;
	case REC_STAT_NODE:
		fprintf(out, "N%-*d", SOCKET_WIDTH, g->node);
		break;
	}
	fprintf(out, " %4zu ", counter_nr);
}
