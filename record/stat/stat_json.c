/* stat_json.c: one JSON object a line, -j.
 *
 * The first keys are perf's, in its order, since programs refuse others.  With
 * -r or --json-details stand behind them:
 *	"event-enabled"	ns for which it was enabled, of which it ran
 *			"event-runtime"
 *	"counters"	on how many CPUs or threads it is open
 *	"reason"	why it is not supported
 *	"refused"	why there is no metric: events that took turns
 *	"runs"		with -r, the value of each run
 *	"low", "high"	with -r, hold the true mean with 95 %
 *	"drift"		the change of the last half of the runs in percent of
 *			the first, if it is more than chance
 * and a last line, with "elapsed" and without "event", has the runs' times and
 * what counting cost.
 */
#include "record/stat/stat_print.h"

#include "format/support/json_string.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

void rec_stat_print_json_start(const struct rec_stat_print *print,
			       const struct rec_stat_sheet *sheet, size_t group,
			       size_t counter_nr)
{
	static const char *const keys[] = {
		[REC_STAT_CORE] = "core",     [REC_STAT_DIE] = "die",
		[REC_STAT_SOCKET] = "socket", [REC_STAT_NODE] = "node",
		[REC_STAT_THREAD] = "thread",
	};
	const struct rec_stat_groups *groups = sheet->conf.groups;
	FILE *out = print->out;
	char name[96];

	putc('{', out);
	if (print->is_interval)
		fprintf(out, "\"interval\" : %.9f, ", print->time_ns / 1e9);
	if (groups->mode == REC_STAT_GLOBAL)
		return;
	if (groups->mode == REC_STAT_CPU) {
		fprintf(out, "\"cpu\" : \"%d\", ", groups->groups[group].cpu);
		return;
	}
	rec_stat_label_name(name, sizeof(name), groups, group);
	fprintf(out, "\"%s\" : ", keys[groups->mode]);
	sup_json_print(out, name);
	fputs(", ", out);
	if (groups->mode != REC_STAT_THREAD)
		fprintf(out, "\"aggregate-number\" : %zu, ", counter_nr);
}

static void print_values(FILE *out, const double *values, size_t nr,
			 double scale)
{
	fputs(", \"runs\" : [", out);
	for (size_t i = 0; i < nr; i++)
		fprintf(out, "%s%.9g", i ? ", " : "", values[i] * scale);
	putc(']', out);
}

static void print_more(const struct rec_stat_print *print,
		       const struct rec_stat_sheet *sheet,
		       const struct rec_stat_row *row,
		       const struct rec_stat_value *value)
{
	const struct rec_stat_cell *cell =
		rec_stat_sheet_cell(sheet, row->event, row->group);
	const struct rec_event *event = &sheet->conf.events->events[row->event];
	FILE *out = print->out;
	double drift_pct;

	fprintf(out, ", \"event-enabled\" : %.0f, \"counters\" : %zu",
		value->enabled_ns, value->counter_nr);
	if (value->state == REC_STAT_NOT_SUPPORTED) {
		fputs(", \"reason\" : ", out);
		sup_json_print(out, sheet->conf.refused[row->event].text);
	}
	if (value->rate.refused) {
		fputs(", \"refused\" : ", out);
		sup_json_print(out, value->rate.refused);
	}
	if (!print->has_runs || value->state != REC_STAT_COUNTED)
		return;
	print_values(out, cell->values, cell->value_nr, rec_stat_scale(event));
	if (value->series.nr > 1)
		fprintf(out, ", \"low\" : %.9g, \"high\" : %.9g",
			value->series.low, value->series.high);
	if (rec_series_drifts(cell->values, cell->value_nr, &drift_pct))
		fprintf(out, ", \"drift\" : %.2f", drift_pct);
}

/* Files of -r are ours anyway: perf's checks of its JSON refuse "variance". */
static bool has_details(const struct rec_stat_print *print)
{
	return print->details || print->has_runs;
}

static void print_row(const struct rec_stat_print *print,
		      const struct rec_stat_sheet *sheet,
		      const struct rec_stat_row *row)
{
	const struct rec_event *event = &sheet->conf.events->events[row->event];
	struct rec_stat_value value;
	FILE *out = print->out;

	rec_stat_sheet_value(sheet, row, &value);
	rec_stat_print_json_start(print, sheet, row->group, value.counter_nr);
	if (value.state == REC_STAT_COUNTED)
		fprintf(out, "\"counter-value\" : \"%f\"", value.series.mean);
	else
		fprintf(out, "\"counter-value\" : \"%s\"",
			value.state == REC_STAT_NOT_COUNTED
				? "<not counted>"
				: "<not supported>");
	fputs(", \"unit\" : ", out);
	sup_json_print(out, rec_stat_unit(event));
	fputs(", \"event\" : ", out);
	sup_json_print(out, event->name);
	if (event->cgroup) {
		fputs(", \"cgroup\" : ", out);
		sup_json_print(out, event->cgroup);
	}
	if (print->has_runs)
		fprintf(out, ", \"variance\" : %.2f",
			rec_series_noise_pct(&value.series));
	fprintf(out,
		", \"event-runtime\" : %.0f, \"pcnt-running\" : %.2f, "
		"\"metric-value\" : %f, \"metric-unit\" : \"%s\"",
		value.running_ns, value.running_pct, value.rate.value,
		value.rate.unit);
	if (has_details(print))
		print_more(print, sheet, row, &value);
	fputs("}\n", out);
}

/* -M: a line for each metric, with perf's keys of a metric; those without a
 * value are details. */
static void print_metrics(const struct rec_stat_print *print,
			  const struct rec_stat_sheet *sheet)
{
	const struct rec_stat_sheet_conf *conf = &sheet->conf;
	FILE *out = print->out;

	for (size_t i = 0; i < conf->groups->nr * conf->metric_nr; i++) {
		const struct rec_metric *metric =
			conf->metrics[i % conf->metric_nr];
		size_t group = i / conf->metric_nr;
		struct rec_stat_rate rate;

		rec_stat_metric_of(sheet, metric, group, &rate);
		if (rate.refused && !has_details(print))
			continue;
		rec_stat_print_json_start(print, sheet, group, 0);
		if (rate.refused)
			fprintf(out, "\"refused\" : \"%s\"", rate.refused);
		else
			fprintf(out, "\"metric-value\" : %f", rate.value);
		fprintf(out, ", \"metric-unit\" : \"%s\", \"unit\" : \"%s\"}\n",
			metric->name, metric->unit);
	}
}

static void print_end(const struct rec_stat_print *print,
		      const struct rec_stat_sheet *sheet)
{
	struct rec_series wall;
	FILE *out = print->out;

	rec_series_of(&wall, sheet->wall_ns, sheet->run_nr);
	fprintf(out, "{\"elapsed\" : %.9f", wall.mean / 1e9);
	if (sheet->has_usage)
		fprintf(out, ", \"user\" : %.6f, \"sys\" : %.6f",
			(double)sheet->user_us / 1e6,
			(double)sheet->sys_us / 1e6);
	if (print->has_runs)
		print_values(out, sheet->wall_ns, sheet->run_nr, 1e-9);
	fprintf(out, ", \"own-cpu\" : %.6f}\n",
		(double)print->own_cpu_ns / 1e9);
}

int rec_stat_print_json(const struct rec_stat_print *print,
			const struct rec_stat_sheet *sheet)
{
	size_t nr;
	struct rec_stat_row *rows = rec_stat_sheet_rows(sheet, &nr);

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		print_row(print, sheet, &rows[i]);
	print_metrics(print, sheet);
	free(rows);
	if (!print->is_interval && has_details(print))
		print_end(print, sheet);
	return 0;
}
