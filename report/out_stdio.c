#include "report/out_stdio.h"

#include <errno.h>
#include <inttypes.h>

/* "2K": cut, not rounded, as perf does. */
static void print_count(uint64_t nr, FILE *out)
{
	static const char units[] = { ' ', 'K', 'M', 'G' };
	size_t unit = 0;

	while (nr > 1000 && unit + 1 < sizeof(units)) {
		nr /= 1000;
		unit++;
	}
	fprintf(out, "%" PRIu64 "%c", nr, units[unit]);
}

static bool is_shown(const struct rpt_section *section, uint32_t row)
{
	const struct rpt_rows *rows = section->rows;
	double total = (double)rows->totals[0];
	double acc = (double)rpt_rows_stat(rows, row, 0)->acc;

	return (total > 0 ? 100.0 * acc / total : 0.0) >=
	       section->percent_limit;
}

static int print_rows(const struct rpt_section *section, FILE *out)
{
	const struct rpt_rows *rows = section->rows;
	struct rpt_callgraph_style style = {
		.total = rows->totals[0],
		.min_hit = (uint64_t)((double)rows->totals[0] *
				      (section->graph_limit_pct / 100.0)),
		.skip_first = section->skip_first,
	};

	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++) {
		uint32_t row = rows->order[i];
		uint64_t acc = rpt_rows_stat(rows, row, 0)->acc;

		if (!is_shown(section, row))
			continue;
		rpt_columns_print_row(section->columns, rows, row, out);
		if (rows->conf.chains &&
		    rpt_callgraph_print(&rows->graph, rows->items[row].graph,
					acc, &style, out))
			return -1;
	}
	return 0;
}

static void print_head(const struct rpt_section *section, FILE *out)
{
	const struct rpt_rows *rows = section->rows;
	uint64_t period = 0;

	for (uint32_t m = 0; m < rows->member_nr; m++)
		period += rows->totals[m];
	fputs("# Samples: ", out);
	print_count(section->sample_nr, out);
	fprintf(out, " of event%s '%s'\n", section->is_group ? "s" : "",
		section->event_name);
	fprintf(out, "# Event count (approx.): %" PRIu64 "\n#\n", period);
	rpt_columns_print_header(section->columns, out);
}

int rpt_stdio_print_section(const struct rpt_section *section, FILE *out)
{
	rpt_columns_fit(section->columns, section->rows);
	if (!section->is_quiet)
		print_head(section, out);
	if (print_rows(section, out))
		return -ENOMEM;
	fputs("\n\n", out);
	return 0;
}
