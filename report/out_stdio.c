#include "report/out_stdio.h"

#include "report/out_rows.h"

#include <errno.h>
#include <stdlib.h>

/* "2K": cut, not rounded, as in perf.  A thousand is no 1K there, nor is a
 * million 1M, but one more is. */
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

static bool is_shown(const struct rpt_section *section, uint32_t row)
{
	return !section->rows->items[row].is_hidden && is_heavy(section, row);
}

/* As in perf: whether the first row below this one, at that place of the
 * order, is heavy enough. */
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

/* Chains and their beginnings: in rows of no weight at all, too. */
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

static int print_graph(const struct rpt_section *section, uint32_t row,
		       struct rpt_text *out)
{
	struct rpt_rows *rows = section->rows;
	const struct rpt_callgraph_style *style = &section->graph;
	uint64_t acc = rpt_rows_stat(rows, row, 0)->acc;
	struct rpt_call_chain *chains;
	uint32_t nr;
	int rc;

	if (!has_graph(rows, row))
		return 0;
	if (is_listed(section)) {
		chains = rpt_row_chains_of(&rows->chains, row, &nr);
		return rpt_callgraph_print_chains(rows->frames, chains, nr,
						  style, out);
	}
	rc = rpt_rows_graph(rows, row);
	return rc ? rc : rpt_callgraph_print(&rows->graph, acc, style, out);
}

/* A row of a table, or of a hierarchy, at that place of the order. */
static int print_row(const struct rpt_section *section, uint32_t at,
		     struct rpt_text *out)
{
	const struct rpt_rows *rows = section->rows;
	uint32_t row = rows->order[at];

	if (!rows->conf.level_nr) {
		rpt_columns_print_row(section->columns, rows, row, out);
		return print_graph(section, row, out);
	}
	rpt_columns_print_level_row(section->columns, rows, row, out);
	if (!rpt_rows_is_sum(rows, row))
		return print_graph(section, row, out);
	if (!has_entry(section, at))
		rpt_columns_print_no_entry(section->columns, rows, row,
					   section->percent_limit, out);
	return 0;
}

static uint64_t whole_of(double weight)
{
	return weight < 0x1p64 ? (uint64_t)weight : UINT64_MAX;
}

/* Fewer are not worth a thread. */
#define PLAIN_NR_MIN 4096u

enum row_kind { ROW_UNSHOWN, ROW_PLAIN, ROW_WITH_GRAPH };

/* Of all rows, in the order in which they lie in memory, which is not that in
 * which they are shown; NULL: out of memory. */
static uint8_t *kinds_of(const struct rpt_section *section)
{
	const struct rpt_rows *rows = section->rows;
	uint32_t nr = rpt_rows_nr(rows);
	uint8_t *kinds = calloc((size_t)nr + 1, sizeof(*kinds));

	for (uint32_t row = 0; kinds && row < nr; row++) {
		if (is_shown(section, row))
			kinds[row] = has_graph(rows, row) ? ROW_WITH_GRAPH
							  : ROW_PLAIN;
	}
	return kinds;
}

/* Rows that come one after the other: those with graphs, then others. */
struct stretch {
	const uint32_t *list;
	uint32_t graph_nr;
	uint32_t plain_nr;
};

static int print_graph_rows(const struct rpt_section *section,
			    const struct stretch *stretch, struct rpt_text *out)
{
	int rc = 0;

	for (uint32_t i = 0; i < stretch->graph_nr && !rc; i++) {
		rpt_columns_print_row(section->columns, section->rows,
				      stretch->list[i], out);
		rc = print_graph(section, stretch->list[i], out);
	}
	return rc;
}

/* While one thread makes the graphs, others begin with the rows below them. */
static int print_stretch(const struct rpt_section *section,
			 const struct stretch *stretch, struct rpt_text *out)
{
	const uint32_t *plain = stretch->list + stretch->graph_nr;
	struct rpt_out_rows_conf conf = {
		.columns = section->columns,
		.rows = section->rows,
		.list = plain,
		.nr = stretch->plain_nr,
		.jobs = section->jobs,
	};
	struct rpt_out_rows *all = NULL;
	int rc;

	if (conf.nr >= PLAIN_NR_MIN) {
		all = rpt_out_rows_new(&conf);
		if (!all)
			return -ENOMEM;
	}
	rc = print_graph_rows(section, stretch, out);
	if (all && !rc)
		rc = rpt_out_rows_print(all, out);
	for (uint32_t i = 0; !all && i < conf.nr && !rc; i++)
		rpt_columns_print_row(conf.columns, conf.rows, plain[i], out);
	rpt_out_rows_free(all);
	return rc;
}

static uint32_t count_kind(const uint8_t *kinds, enum row_kind kind,
			   const uint32_t *list, uint32_t nr)
{
	uint32_t i = 0;

	while (i < nr && kinds[list[i]] == kind)
		i++;
	return i;
}

static int print_list(const struct rpt_section *section, const uint8_t *kinds,
		      const uint32_t *list, uint32_t nr, struct rpt_text *out)
{
	int rc = 0;

	while (nr && !rc) {
		struct stretch next = { .list = list };

		next.graph_nr = count_kind(kinds, ROW_WITH_GRAPH, list, nr);
		list += next.graph_nr;
		nr -= next.graph_nr;
		next.plain_nr = count_kind(kinds, ROW_PLAIN, list, nr);
		list += next.plain_nr;
		nr -= next.plain_nr;
		rc = print_stretch(section, &next, out);
	}
	return rc;
}

/* Of a table that may be printed by several threads. */
static int print_plain_rows(const struct rpt_section *section,
			    struct rpt_text *out)
{
	const struct rpt_rows *rows = section->rows;
	uint32_t shown_nr = 0, nr = rpt_rows_nr(rows);
	uint32_t *list = calloc((size_t)nr + 1, sizeof(*list));
	uint8_t *kinds = kinds_of(section);
	int rc = -ENOMEM;

	for (uint32_t i = 0; list && kinds && i < nr; i++) {
		list[shown_nr] = rows->order[i];
		shown_nr += kinds[rows->order[i]] != ROW_UNSHOWN;
	}
	if (list && kinds)
		rc = print_list(section, kinds, list, shown_nr, out);
	free(kinds);
	free(list);
	return rc;
}

static uint64_t min_weight(const struct rpt_section *section)
{
	if (section->graph.mode == RPT_GRAPH_REL)
		return 0;
	return whole_of((double)section->rows->totals[0] *
			(section->graph.min_pct / 100.0));
}

static int sort_rows(struct rpt_rows *rows, uint64_t unused)
{
	(void)unused;
	return rpt_rows_sort(rows);
}

/* Widths, order and chains of rows know nothing of each other, but for names of
 * chains with source lines, which are looked up in files. */
static int ready_rows(const struct rpt_section *section)
{
	struct rpt_rows *rows = section->rows;
	struct rpt_columns_fit how = {
		.jobs = section->jobs,
		.beside = { { .fn = sort_rows } },
		.beside_nr = 1,
	};

	if (rows->conf.chains)
		how.beside[how.beside_nr++] =
			(struct rpt_beside){ rpt_rows_index_chains,
					     min_weight(section) };
	if (rows->frames->key != RPT_FRAME_FUNCTION)
		how.jobs = 1;
	return rpt_columns_fit(section->columns, rows, &how);
}

static int print_rows(const struct rpt_section *section, struct rpt_text *out)
{
	const struct rpt_rows *rows = section->rows;
	int rc = 0;

	if (!rows->conf.level_nr && rpt_columns_are_plain(section->columns))
		return print_plain_rows(section, out);
	for (uint32_t i = 0; i < rpt_rows_nr(rows) && !rc; i++) {
		if (is_shown(section, rows->order[i]))
			rc = print_row(section, i, out);
	}
	return rc;
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
	if (rows->conf.level_nr)
		rpt_columns_print_level_header(section->columns, rows, out);
	else
		rpt_columns_print_header(section->columns, out);
}

int rpt_stdio_print_section(const struct rpt_section *section,
			    struct rpt_text *out)
{
	int rc = ready_rows(section);

	if (rc)
		return rc;
	if (!section->is_quiet)
		print_head(section, out);
	rc = print_rows(section, out);
	if (!rc)
		rpt_text_str(out, "\n\n");
	return rc;
}
