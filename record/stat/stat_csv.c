/* stat_csv.c: rows with a separator, -x. */
#include "record/stat/stat_print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "format/support/safe_text.h"

void rec_stat_print_csv_start(const struct rec_stat_print *print,
			      const struct rec_stat_sheet *sheet, size_t group,
			      size_t counter_nr)
{
	enum rec_stat_mode mode = sheet->conf.groups->mode;
	FILE *out = print->out;
	char name[96];

	if (print->is_interval)
		fprintf(out, "%16.9f%s", print->time_ns / 1e9, print->sep);
	else if (print->is_summary)
		fprintf(out, "%16s%s", "summary", print->sep);
	rec_stat_label_name(name, sizeof(name), sheet->conf.groups, group);
	if (*name)
		fprintf(out, "%s%s", name, print->sep);
	if (mode >= REC_STAT_CORE && mode <= REC_STAT_NODE)
		fprintf(out, "%zu%s", counter_nr, print->sep);
}

static void print_row(const struct rec_stat_print *print,
		      const struct rec_stat_sheet *sheet,
		      const struct rec_stat_row *row)
{
	const struct rec_event *event = &sheet->conf.events->events[row->event];
	double scale = rec_stat_scale(event);
	const char *sep = print->sep;
	struct rec_stat_value value;
	FILE *out = print->out;

	rec_stat_sheet_value(sheet, row, &value);
	rec_stat_print_csv_start(print, sheet, row->group, value.counter_nr);
	if (value.state == REC_STAT_COUNTED)
		fprintf(out, "%.*f", floor(scale) == scale ? 0 : 2,
			value.series.mean);
	else
		fputs(value.state == REC_STAT_NOT_COUNTED ? "<not counted>"
							  : "<not supported>",
		      out);
	fprintf(out, "%s%s%s%s%s", sep, rec_stat_unit(event), sep, event->name,
		sep);
	if (event->cgroup) {
		sup_put_safe_text(out, event->cgroup);
		fputs(sep, out);
	}
	if (print->has_runs)
		fprintf(out, "%.2f%%%s", rec_series_noise_pct(&value.series),
			sep);
	fprintf(out, "%.0f%s%.2f%s", value.running_ns, sep, value.running_pct,
		sep);
	if (*value.rate.unit)
		fprintf(out, "%.*f%s%s\n", value.rate.is_short ? 2 : 3,
			value.rate.value, sep, value.rate.unit);
	else
		fprintf(out, "%s\n", sep);
}

/* -M: in the columns of a metric; the others are empty. */
static void print_metrics(const struct rec_stat_print *print,
			  const struct rec_stat_sheet *sheet)
{
	const struct rec_stat_sheet_conf *conf = &sheet->conf;
	int empty_nr = print->has_runs ? 6 : 5;

	for (size_t i = 0; i < conf->groups->nr * conf->metric_nr; i++) {
		const struct rec_metric *metric =
			conf->metrics[i % conf->metric_nr];
		size_t group = i / conf->metric_nr;
		struct rec_stat_rate rate;

		rec_stat_metric_of(sheet, metric, group, &rate);
		rec_stat_print_csv_start(print, sheet, group, 0);
		for (int field = 0; field < empty_nr; field++)
			fputs(print->sep, print->out);
		if (rate.refused)
			fprintf(print->out, "<%s>", rate.refused);
		else
			fprintf(print->out, "%.2f", rate.value);
		fprintf(print->out, "%s%s\n", print->sep, metric->name);
	}
}

int rec_stat_print_csv(const struct rec_stat_print *print,
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
	return 0;
}
