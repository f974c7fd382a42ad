/* stat_runs_text.c: below perf's text of several runs: intervals that hold the
 * true mean with 95 %, and what drifted. */
#include "record/stat/stat_print.h"

#include <stdlib.h>

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
