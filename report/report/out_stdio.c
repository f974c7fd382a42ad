#include "report/report/out_stdio.h"

#include "report/base/memory.h"
#include "report/report/print_pipeline.h"

#include <stdlib.h>

/* Print "2K": cut, not rounded, as in perf, where 1001 is the first 1K. */
static void print_count(uint64_t nr, struct rpt_text *out)
{
	static const char units[] = { ' ', 'K', 'M', 'G' };
	size_t unit = 0;
	uint64_t whole = 1;

	while (nr > whole * 1000 && unit + 1 < sizeof(units)) {
		whole *= 1000;
		unit++;
	}
	rpt_text_dec(out, nr / whole, 0);
	rpt_text_char(out, units[unit]);
}

static bool is_heavy(const struct rpt_section *section, uint32_t row)
{
	const struct rpt_rows *rows = section->rows;
	double total = (double)rows->totals[0];
	double acc = (double)rpt_rows_stat(rows, row, 0)->acc;

	return (total > 0 ? 100.0 * acc / total : 0.0) >=
	       section->percent_limit;
}

bool rpt_stdio_is_shown(const struct rpt_section *section, uint32_t row)
{
	return !section->rows->items[row].is_hidden && is_heavy(section, row);
}

/* Return whether the first row below that one of the order is heavy enough, as
 * in perf. */
static bool has_entry(const struct rpt_section *section, uint32_t at)
{
	const struct rpt_rows *rows = section->rows;
	uint32_t sum = rows->order[at];

	for (at++; at < rpt_rows_nr(rows); at++) {
		uint32_t row = rows->order[at];

		if (rows->items[row].above == sum &&
		    !rows->items[row].is_hidden)
			return is_heavy(section, row);
		if (rows->items[row].at_level <= rows->items[sum].at_level)
			break;
	}
	return false;
}

/* Return whether chains are listed, not drawn as a tree. */
static bool is_listed(const struct rpt_section *section)
{
	return section->graph.mode == RPT_GRAPH_FLAT ||
	       section->graph.mode == RPT_GRAPH_FOLDED;
}

static bool has_graph(const struct rpt_rows *rows, uint32_t row)
{
	return rows->conf.chains &&
	       rpt_rows_stat(rows, row, 0)->acc >= rows->min_weight;
}

void rpt_stdio_print_graph(const struct rpt_section *section, uint32_t row,
			   struct rpt_text *out)
{
	struct rpt_rows *rows = section->rows;
	const struct rpt_callgraph_style *style = &section->graph;
	uint64_t acc = rpt_rows_stat(rows, row, 0)->acc;
	struct rpt_call_chain *chains;
	uint32_t nr;

	if (!has_graph(rows, row))
		return;
	if (is_listed(section)) {
		chains = rpt_row_chains_of(&rows->chains, row, &nr);
		rpt_callgraph_print_chains(rows->frames, chains, nr, style,
					   out);
		return;
	}
	rpt_rows_graph(rows, row);
	rpt_callgraph_print(&rows->graph, acc, style, out);
}

static void print_graph(const void *ctx, uint32_t row, struct rpt_text *out)
{
	rpt_stdio_print_graph(ctx, row, out);
}

static void print_level_row(const struct rpt_section *section, uint32_t at,
			    struct rpt_text *out)
{
	const struct rpt_rows *rows = section->rows;
	uint32_t row = rows->order[at];

	rpt_columns_print_level_row(section->columns, rows, row, out);
	if (!rpt_rows_is_sum(rows, row))
		print_graph(section, row, out);
	else if (!has_entry(section, at))
		rpt_columns_print_no_entry(section->columns, rows, row,
					   section->percent_limit, out);
}

static void print_levels(const struct rpt_section *section,
			 struct rpt_text *out)
{
	const struct rpt_rows *rows = section->rows;

	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++) {
		if (rpt_stdio_is_shown(section, rows->order[i]))
			print_level_row(section, i, out);
	}
}

/* Return the kinds of all rows, by their number. */
static uint8_t *kinds_of(const struct rpt_section *section)
{
	const struct rpt_rows *rows = section->rows;
	uint32_t nr = rpt_rows_nr(rows);
	uint8_t *kinds = rpt_alloc_zeroed(nr, sizeof(*kinds));

	for (uint32_t row = 0; row < nr; row++) {
		if (rpt_stdio_is_shown(section, row))
			kinds[row] = has_graph(rows, row) ? RPT_OUT_WITH_GRAPH
							  : RPT_OUT_PLAIN;
	}
	return kinds;
}

static void print_table(const struct rpt_section *section,
			const struct rpt_print_pipeline *steps,
			struct rpt_text *out)
{
	uint8_t *kinds = kinds_of(section);
	struct rpt_out_table table = {
		.kinds = kinds,
		.graph = print_graph,
		.ctx = section,
	};

	rpt_print_pipeline_print(steps, &table, out);
	free(kinds);
}

static uint64_t whole_of(double weight)
{
	return weight < 0x1p64 ? (uint64_t)weight : UINT64_MAX;
}

uint64_t rpt_stdio_min_weight(const struct rpt_section *section)
{
	if (section->graph.mode == RPT_GRAPH_REL)
		return 0;
	return whole_of((double)section->rows->totals[0] *
			(section->graph.min_pct / 100.0));
}

static void print_head(const struct rpt_section *section, struct rpt_text *out)
{
	const struct rpt_rows *rows = section->rows;
	uint64_t period = 0;

	for (uint32_t m = 0; m < rows->member_nr; m++)
		period += rows->totals[m];
	rpt_text_str(out, "# Samples: ");
	print_count(section->sample_nr, out);
	rpt_text_str(out, section->is_group ? " of events '" : " of event '");
	rpt_text_str(out, section->event_name);
	rpt_text_char(out, '\'');
	if (section->times) {
		rpt_text_str(out, " (time slices: ");
		rpt_text_str(out, section->times);
		rpt_text_char(out, ')');
	}
	rpt_text_str(out, section->sort_order ? "\n# Total weight : "
					      : "\n# Event count (approx.): ");
	rpt_text_dec(out, period, 0);
	if (section->sort_order) {
		rpt_text_str(out, "\n# Sort order   : ");
		rpt_text_str(out, section->sort_order);
	}
	if (section->is_one_socket) {
		rpt_text_str(out, "\n# Processor Socket: ");
		rpt_text_dec(out, section->socket, 0);
	}
	rpt_text_str(out, "\n#\n");
	if (rows->conf.keys.level_nr)
		rpt_columns_print_level_header(section->columns, rows, out);
	else
		rpt_columns_print_header(section->columns, out);
}

void rpt_stdio_print_section(const struct rpt_section *section,
			     struct rpt_text *out)
{
	struct rpt_print_pipeline steps = {
		.columns = section->columns,
		.rows = section->rows,
		.min_weight = rpt_stdio_min_weight(section),
		.jobs = section->jobs,
	};

	rpt_print_pipeline_ready(&steps);
	if (!section->is_quiet)
		print_head(section, out);
	if (section->rows->conf.keys.level_nr)
		print_levels(section, out);
	else
		print_table(section, &steps, out);
	rpt_text_str(out, "\n\n");
}
