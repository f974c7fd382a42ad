#include "report/diff/out_diff.h"

#include "report/base/memory.h"
#include "report/columns/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PER_SIDE 7 /* columns, at most */

/* The columns while they are collected. */
struct columns {
	const struct rpt_diff_args *args;
	const struct rpt_table *table;
	struct rpt_diff_column *items;
	size_t nr;
};

static const struct rpt_diff_cell *cell_of(const struct rpt_diff_column *column,
					   const struct rpt_table *table,
					   size_t row)
{
	return rpt_table_cell(table, row, column->side);
}

/* Put a value in the table's measure. */
static void put_value(const struct rpt_diff_column *column,
		      const struct rpt_table *table, double value,
		      bool is_delta, char buf[RPT_DIFF_CELL_LEN])
{
	if (table->conf.measure == RPT_MEASURE_SHARE)
		snprintf(buf, RPT_DIFF_CELL_LEN,
			 is_delta ? "%+.2f%%" : "%.2f%%", 100.0 * value);
	else if (column->unit > 1.0)
		snprintf(buf, RPT_DIFF_CELL_LEN, is_delta ? "%+.2f" : "%.2f",
			 value / column->unit);
	else
		snprintf(buf, RPT_DIFF_CELL_LEN, is_delta ? "%+.5g" : "%.5g",
			 value);
}

static void print_baseline(const struct rpt_diff_column *column,
			   const struct rpt_table *table, size_t row,
			   char buf[RPT_DIFF_CELL_LEN])
{
	const struct rpt_diff_cell *cell = cell_of(column, table, row);
	double value = cell->estimate.value;

	if (!cell->is_there)
		return;
	if (!table->conf.intervals)
		value = cell->estimate.sum.period / column->total;
	put_value(column, table, value, false, buf);
	if (column->is_bare)
		buf[strcspn(buf, "%")] = '\0';
}

static void print_compute(const struct rpt_diff_column *column,
			  const struct rpt_table *table, size_t row,
			  char buf[RPT_DIFF_CELL_LEN])
{
	double value;

	if (!rpt_table_computed(table, row, column->side, &value)) {
		if (cell_of(column, table, row)->is_there)
			snprintf(buf, RPT_DIFF_CELL_LEN, "N/A");
	} else if (table->conf.compute == RPT_COMPUTE_RATIO) {
		snprintf(buf, RPT_DIFF_CELL_LEN, "%14.6f", value);
	} else if (table->conf.compute == RPT_COMPUTE_WDIFF) {
		/* perf's do not fill a column of three files */
		snprintf(buf, RPT_DIFF_CELL_LEN, "%14.0f%s", value,
			 column->width > 14 && !table->conf.intervals ? " "
								      : "");
	} else {
		put_value(column, table, value, true, buf);
	}
}

static void print_interval(const struct rpt_diff_column *column,
			   const struct rpt_table *table, size_t row,
			   char buf[RPT_DIFF_CELL_LEN])
{
	const struct rpt_change *change = &cell_of(column, table, row)->change;
	char low[RPT_DIFF_CELL_LEN], high[RPT_DIFF_CELL_LEN];

	if (isnan(change->low))
		return;
	put_value(column, table, change->low, true, low);
	put_value(column, table, change->high, true, high);
	snprintf(buf, RPT_DIFF_CELL_LEN, "[%.30s, %.30s]", low, high);
}

static void print_mark(const struct rpt_diff_column *column,
		       const struct rpt_table *table, size_t row,
		       char buf[RPT_DIFF_CELL_LEN])
{
	if (cell_of(column, table, row)->change.is_significant)
		snprintf(buf, RPT_DIFF_CELL_LEN, "*");
}

/* Print the change relative to the old value. */
static void print_relative(const struct rpt_diff_column *column,
			   const struct rpt_table *table, size_t row,
			   char buf[RPT_DIFF_CELL_LEN])
{
	const struct rpt_diff_cell *old = rpt_table_cell(table, row, 0);
	const struct rpt_diff_cell *new = cell_of(column, table, row);

	if (!old->is_there && !new->is_there)
		return;
	if (!old->is_there || !new->is_there)
		snprintf(buf, RPT_DIFF_CELL_LEN,
			 new->is_there ? "new" : "gone");
	else if (old->estimate.value > 0.0)
		snprintf(buf, RPT_DIFF_CELL_LEN, "%+.1f%%",
			 100.0 * new->change.delta / old->estimate.value);
}

/* Print the share of all samples of the side. */
static void print_share(const struct rpt_diff_column *column,
			const struct rpt_table *table, size_t row,
			char buf[RPT_DIFF_CELL_LEN])
{
	const struct rpt_diff_cell *cell = cell_of(column, table, row);

	if (cell->is_there)
		snprintf(buf, RPT_DIFF_CELL_LEN, "%.2f%%",
			 100.0 * rpt_table_share(table, row, column->side));
}

static void print_period(const struct rpt_diff_column *column,
			 const struct rpt_table *table, size_t row,
			 char buf[RPT_DIFF_CELL_LEN])
{
	const struct rpt_diff_cell *cell = cell_of(column, table, row);

	if (cell->is_there || !column->side)
		snprintf(buf, RPT_DIFF_CELL_LEN, "%.0f",
			 cell->estimate.sum.period);
}

static void print_formula(const struct rpt_diff_column *column,
			  const struct rpt_table *table, size_t row,
			  char buf[RPT_DIFF_CELL_LEN])
{
	const struct rpt_diff_cell *cell = cell_of(column, table, row);
	double old = rpt_table_cell(table, row, 0)->estimate.sum.period;
	double new = cell->estimate.sum.period;
	double total = table->conf.intervals ? table->sides[0].total.period
					     : column->total;

	if (!cell->is_there)
		return;
	if (table->conf.compute == RPT_COMPUTE_RATIO)
		snprintf(buf, RPT_DIFF_CELL_LEN, "%.0f / %.0f", new, old);
	else if (table->conf.compute == RPT_COMPUTE_WDIFF)
		snprintf(buf, RPT_DIFF_CELL_LEN,
			 "(%.0f * %" PRId64 ") - (%.0f * %" PRId64 ")", new,
			 table->conf.w2, old, table->conf.w1);
	else
		snprintf(buf, RPT_DIFF_CELL_LEN,
			 "(%.0f * 100 / %.0f) - (%.0f * 100 / %.0f)", new,
			 table->sides[column->side].total.period, old, total);
}

/* Deeper ones are no longer indented. */
#define DEPTH_MAX 64

static int path_depth(const struct rpt_table *table, size_t row)
{
	return (int)(table->depths[row] < DEPTH_MAX ? table->depths[row]
						    : DEPTH_MAX);
}

#define INLINED_SHOWN 2	   /* of a row's; how many more is told */
#define INLINED_LEN   1100 /* of one, and of how many more, at most */

/* "inlined into main: 3.20%", or of main "now holds parse: 3.20%". */
static int inlined_text(const struct rpt_table *table,
			const struct rpt_inlined *inlined, bool is_holder,
			char *buf, size_t len)
{
	static const char *const relations[2][2] = {
		{ "was inlined into", "inlined into" },
		{ "held", "now holds" },
	};
	size_t other = is_holder ? inlined->row : inlined->holder_row;

	return snprintf(buf, len, "%s %.1000s: %.2f%%",
			relations[is_holder][inlined->is_into],
			rpt_label_text(table->labels,
				       rpt_table_label(table, other),
				       RPT_BY_SYMBOL) +
				RPT_LEVEL_LEN,
			100.0 * inlined->share);
}

/* Where the row's function was inlined, and what was inlined in it; of several
 * sides, in the one that sorts. */
static void append_inlined(const struct rpt_table *table, size_t row,
			   char buf[RPT_DIFF_CELL_LEN])
{
	size_t side = table->conf.order ? table->conf.order : 1;
	size_t used = strlen(buf);
	size_t nr = 0;

	if (used + (INLINED_SHOWN + 1) * INLINED_LEN > RPT_DIFF_CELL_LEN)
		return;
	for (size_t i = 0; i < table->inlined_nr; i++) {
		const struct rpt_inlined *inlined = &table->inlined[i];
		bool is_holder = inlined->holder_row == row;

		if (inlined->side != side ||
		    (!is_holder && inlined->row != row) ||
		    nr++ >= INLINED_SHOWN)
			continue;
		used += (size_t)snprintf(buf + used, RPT_DIFF_CELL_LEN - used,
					 "%s", nr == 1 ? " (" : ", ");
		used += (size_t)inlined_text(table, inlined, is_holder,
					     buf + used,
					     RPT_DIFF_CELL_LEN - used);
	}
	if (nr > INLINED_SHOWN)
		snprintf(buf + used, RPT_DIFF_CELL_LEN - used,
			 ", and %zu more)", nr - INLINED_SHOWN);
	else if (nr)
		snprintf(buf + used, RPT_DIFF_CELL_LEN - used, ")");
}

/* Print the name in the new side, and that in the baseline if it differs. */
static void print_label(const struct rpt_diff_column *column,
			const struct rpt_table *table, size_t row,
			char buf[RPT_DIFF_CELL_LEN])
{
	const struct rpt_label *items = table->labels->items;
	const struct rpt_diff_cell *old = rpt_table_cell(table, row, 0);
	const char *text =
		items[rpt_table_label(table, row)].texts[column->side];
	const char *was =
		old->is_there ? items[old->label].texts[column->side] : text;
	size_t used = 0;

	if (table->depths)
		used = (size_t)snprintf(buf, RPT_DIFF_CELL_LEN, "%*s",
					2 * path_depth(table, row), "");
	if (column->is_cut)
		snprintf(buf, RPT_DIFF_CELL_LEN, "%.*s", (int)column->width,
			 text);
	else if (!table->conf.intervals || !strcmp(was, text) ||
		 !strncmp(text + 2, "] 0x", 4))
		snprintf(buf + used, RPT_DIFF_CELL_LEN - used, "%s", text);
	else
		snprintf(buf + used, RPT_DIFF_CELL_LEN - used,
			 "%.2000s (was %.2000s)", text,
			 was + (was[0] == '[' && was[2] == ']' ? 4 : 0));
	if (table->labels->by[column->side] == RPT_BY_SYMBOL)
		append_inlined(table, row, buf);
}

static struct rpt_diff_column *add(struct columns *all, const char *header,
				   size_t width, size_t side)
{
	struct rpt_diff_column *column = &all->items[all->nr++];
	bool has_nr = all->table->side_nr > 2;

	*column = (struct rpt_diff_column){ .width = width, .side = side };
	if (has_nr)
		snprintf(column->header, sizeof(column->header), "%.20s/%zu",
			 header, side);
	else
		snprintf(column->header, sizeof(column->header), "%.30s",
			 header);
	if (strlen(column->header) > column->width)
		column->width = strlen(column->header);
	return column;
}

/* perf counts baseline-only percentages within the rows that are left. */
static double baseline_total(const struct rpt_table *table)
{
	double sum = 0.0;

	if (!table->conf.baseline_only)
		return table->sides[0].total.period;
	for (size_t r = 0; r < table->row_nr; r++)
		sum += rpt_table_cell(table, r, 0)->estimate.sum.period;
	return sum;
}

static const char *interval_header(const struct rpt_table *table)
{
	if (table->conf.compute >= RPT_COMPUTE_RATIO)
		return "95% of Delta";
	return table->conf.is_tested ? "95% Interval" : "95% within Runs";
}

/* Return whether there are columns of shares beside those of counts. */
static bool has_shares(const struct rpt_table *table)
{
	return table->conf.measure == RPT_MEASURE_COUNT ||
	       table->conf.measure == RPT_MEASURE_UNIT;
}

static void add_numbers(struct columns *all, size_t side)
{
	static const struct {
		const char *header;
		size_t width;
	} computes[] = {
		[RPT_COMPUTE_DELTA] = { "Delta", 7 },
		[RPT_COMPUTE_DELTA_ABS] = { "Delta Abs", 7 },
		[RPT_COMPUTE_RATIO] = { "Ratio", 14 },
		[RPT_COMPUTE_WDIFF] = { "Weighted diff", 14 },
	};
	const struct rpt_diff_args *args = all->args;
	enum rpt_compute compute = all->table->conf.compute;

	if (!side)
		add(all, "Baseline", 8, 0)->print = print_baseline;
	if (!side && has_shares(all->table))
		add(all, "Share", 7, 0)->print = print_share;
	if (side)
		add(all, computes[compute].header, computes[compute].width,
		    side)
			->print = print_compute;
	if (side && all->table->conf.intervals) {
		add(all, interval_header(all->table), 20, side)->print =
			print_interval;
		if (all->table->conf.is_tested)
			add(all, "*", 1, side)->print = print_mark;
		add(all, "Relative", 8, side)->print = print_relative;
	}
	if (side && has_shares(all->table))
		add(all, "New Share", 9, side)->print = print_share;
	if (args->show_formula && side)
		add(all, "Formula", 70, side)->print = print_formula;
	if (args->show_period)
		add(all, side ? "Period" : "Base period", 14, side)->print =
			print_period;
}

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(name, *names) != 0)
		names++;
	return *names;
}

static void add_labels(struct columns *all)
{
	static const char *const right[] = { "socket", "symbol_size",
					     "dso_size", NULL };
	static const char *const bare[] = { "cgroup", NULL };
	const struct rpt_labels *labels = all->table->labels;

	for (size_t i = 0; i < labels->column_nr; i++) {
		struct rpt_diff_column *column = &all->items[all->nr++];

		*column = (struct rpt_diff_column){
			.width = strlen(labels->headers[i]),
			.side = i,
			.is_left = !is_one_of(labels->names[i], right),
			.is_label = true,
			.print = print_label
		};
		snprintf(column->header, sizeof(column->header), "%.30s",
			 labels->headers[i]);
		column->is_cut = labels->by[i] & RPT_BY_COMM &&
				 !all->table->conf.intervals;
		column->is_last =
			i + 1 == labels->column_nr &&
			(labels->by[i] & (RPT_BY_SYMBOL | RPT_BY_TRACE) ||
			 (is_one_of(labels->names[i], bare) &&
			  !all->table->conf.intervals));
	}
}

struct rpt_diff_column *rpt_diff_columns_new(const struct rpt_diff_args *args,
					     const struct rpt_table *table,
					     size_t *ret_nr)
{
	struct columns all = { .args = args, .table = table };
	double total = baseline_total(table), unit = rpt_diff_unit(table);

	all.items = rpt_alloc_zeroed(table->side_nr * PER_SIDE +
					     RPT_LABEL_COLUMNS_MAX,
				     sizeof(*all.items));
	for (size_t s = 0; s < table->side_nr; s++)
		add_numbers(&all, s);
	for (size_t i = 0; i < all.nr; i++) {
		all.items[i].total = total;
		all.items[i].unit = unit;
	}
	all.items[0].is_bare = args->separator;
	add_labels(&all);
	*ret_nr = all.nr;
	return all.items;
}
