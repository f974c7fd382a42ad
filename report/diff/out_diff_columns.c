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
	const struct rpt_diff_table *table;
	struct rpt_diff_column *items;
	size_t nr;
};

/* Set the text of a cell; as snprintf(). */
#define PUT(text, ...) snprintf((text)->buf, RPT_DIFF_CELL_LEN, __VA_ARGS__)

/* Note what decides about the colour of a cell. */
static void set_pct(const struct rpt_diff_text *text, double pct)
{
	if (text->ret_pct)
		*text->ret_pct = pct;
}

/* Format a value in the table's measure, with its sign if it is a change. */
static void put_value(const struct rpt_diff_text *text, double value,
		      bool is_change)
{
	if (text->table->conf.measure == RPT_MEASURE_SHARE) {
		PUT(text, is_change ? "%+.2f%%" : "%.2f%%", 100.0 * value);
		set_pct(text, 100.0 * value);
	} else if (text->column->unit > 1.0) {
		PUT(text, is_change ? "%+.2f" : "%.2f",
		    value / text->column->unit);
	} else {
		PUT(text, is_change ? "%+.5g" : "%.5g", value);
	}
}

static void print_baseline(const struct rpt_diff_text *text)
{
	double value = text->cell->estimate.value;

	if (!text->cell->is_there)
		return;
	if (!text->table->conf.intervals)
		value = text->cell->estimate.sum.period / text->column->total;
	put_value(text, value, false);
	if (text->column->is_bare)
		text->buf[strcspn(text->buf, "%")] = '\0';
}

static void print_compute(const struct rpt_diff_text *text)
{
	const struct rpt_diff_table_conf *conf = &text->table->conf;
	double value;

	if (!rpt_diff_table_computed(text->table, text->row, text->column->side,
				     &value)) {
		if (text->cell->is_there)
			PUT(text, "N/A");
	} else if (conf->compute == RPT_COMPUTE_RATIO) {
		PUT(text, "%14.6f", value);
		set_pct(text, value);
	} else if (conf->compute == RPT_COMPUTE_WDIFF) {
		/* perf's do not fill a column of three files */
		PUT(text, "%14.0f%s", value,
		    text->column->width > 14 && !conf->intervals ? " " : "");
		set_pct(text, value);
	} else {
		put_value(text, value, true);
	}
}

static void print_interval(const struct rpt_diff_text *text)
{
	const struct rpt_change *change = &text->cell->change;
	char low[RPT_DIFF_CELL_LEN], high[RPT_DIFF_CELL_LEN];
	struct rpt_diff_text end = *text;

	if (isnan(change->low))
		return;
	end.ret_pct = NULL;
	end.buf = low;
	put_value(&end, change->low, true);
	end.buf = high;
	put_value(&end, change->high, true);
	PUT(text, "[%.30s, %.30s]", low, high);
}

static void print_mark(const struct rpt_diff_text *text)
{
	if (text->cell->change.is_significant)
		PUT(text, "*");
}

/* Print the change relative to the old value. */
static void print_relative(const struct rpt_diff_text *text)
{
	const struct rpt_diff_cell *old = text->old, *new = text->cell;

	if (old->is_there != new->is_there)
		PUT(text, new->is_there ? "new" : "gone");
	else if (old->is_there && old->estimate.value > 0.0)
		PUT(text, "%+.1f%%",
		    100.0 * new->change.delta / old->estimate.value);
}

/* Print the share of all samples of the side. */
static void print_share(const struct rpt_diff_text *text)
{
	double pct;

	if (!text->cell->is_there)
		return;
	pct = 100.0 *
	      rpt_diff_table_share(text->table, text->row, text->column->side);
	PUT(text, "%.2f%%", pct);
	set_pct(text, pct);
}

static void print_period(const struct rpt_diff_text *text)
{
	if (text->cell->is_there || !text->column->side)
		PUT(text, "%.0f", text->cell->estimate.sum.period);
}

static void print_formula(const struct rpt_diff_text *text)
{
	const struct rpt_diff_table *table = text->table;
	double old = text->old->estimate.sum.period;
	double new = text->cell->estimate.sum.period;
	double total = table->conf.intervals ? table->sides[0].total.period
					     : text->column->total;

	if (!text->cell->is_there)
		return;
	if (table->conf.compute == RPT_COMPUTE_RATIO)
		PUT(text, "%.0f / %.0f", new, old);
	else if (table->conf.compute == RPT_COMPUTE_WDIFF)
		PUT(text, "(%.0f * %" PRId64 ") - (%.0f * %" PRId64 ")", new,
		    table->conf.w2, old, table->conf.w1);
	else
		PUT(text, "(%.0f * 100 / %.0f) - (%.0f * 100 / %.0f)", new,
		    table->sides[text->column->side].total.period, old, total);
}

/* Deeper paths are not indented further. */
#define DEPTH_MAX 64

#define INLINED_SHOWN 2	   /* of a row; the rest is counted */
#define INLINED_LEN   1100 /* the longest text of one, and of the rest */

/* Format "inlined into main: 3.20%" or, if the row is main, "now holds parse:
 * 3.20%". */
static int inlined_text(const struct rpt_diff_table *table,
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
				       rpt_diff_table_label(table, other),
				       RPT_BY_SYMBOL) +
				RPT_LEVEL_LEN,
			100.0 * inlined->share);
}

/* Append where the row's function was inlined, and what was inlined in it; of
 * several sides, on the one that sorts. */
static void append_inlined(const struct rpt_diff_text *text)
{
	const struct rpt_diff_table *table = text->table;
	size_t side = table->conf.order ? table->conf.order : 1;
	const struct rpt_inlined *inlined = NULL;
	char *buf = text->buf;
	size_t used = strlen(buf);
	size_t nr = 0;

	if (used + (INLINED_SHOWN + 1) * INLINED_LEN > RPT_DIFF_CELL_LEN)
		return;
	while ((inlined = rpt_diff_table_inlined(table, text->row, side,
						 inlined))) {
		if (nr++ >= INLINED_SHOWN)
			continue;
		used += (size_t)snprintf(buf + used, RPT_DIFF_CELL_LEN - used,
					 "%s", nr == 1 ? " (" : ", ");
		used += (size_t)inlined_text(
			table, inlined, inlined->holder_row == text->row,
			buf + used, RPT_DIFF_CELL_LEN - used);
	}
	if (nr > INLINED_SHOWN)
		snprintf(buf + used, RPT_DIFF_CELL_LEN - used,
			 ", and %zu more)", nr - INLINED_SHOWN);
	else if (nr)
		snprintf(buf + used, RPT_DIFF_CELL_LEN - used, ")");
}

/* Print the name on the new side, and that in the baseline if it differs. */
static void print_label(const struct rpt_diff_text *text)
{
	const struct rpt_diff_column *column = text->column;
	const struct rpt_diff_table *table = text->table;
	const struct rpt_label *items = table->labels->items;
	const char *name = items[rpt_diff_table_label(table, text->row)]
				   .texts[column->side];
	const char *was = text->old->is_there
				  ? items[text->old->label].texts[column->side]
				  : name;
	char short_name[RPT_DIFF_SHORT_MAX + 1];
	char short_was[RPT_DIFF_SHORT_MAX + 1];
	bool is_same = !strcmp(was, name);
	int depth = 0;

	if (table->depths)
		depth = (int)(table->depths[text->row] < DEPTH_MAX
				      ? table->depths[text->row]
				      : DEPTH_MAX);
	if (column->short_len) {
		name = rpt_short_name(name, column->short_len, short_name);
		was = rpt_short_name(was, column->short_len, short_was);
	}
	if (column->is_cut)
		PUT(text, "%.*s", (int)column->width, name);
	else if (!table->conf.intervals || is_same ||
		 !strncmp(name + 2, "] 0x", 4))
		PUT(text, "%*s%s", 2 * depth, "", name);
	else
		PUT(text, "%*s%.2000s (was %.2000s)", 2 * depth, "", name,
		    was + (was[0] == '[' && was[2] == ']' ? 4
							  : strspn(was, " ")));
	if (table->labels->by[column->side] == RPT_BY_SYMBOL)
		append_inlined(text);
}

static void add(struct columns *all, const char *header, size_t width,
		size_t side, rpt_diff_print *print)
{
	struct rpt_diff_column *column = &all->items[all->nr++];

	*column = (struct rpt_diff_column){ .width = width,
					    .side = side,
					    .print = print };
	snprintf(column->header, sizeof(column->header),
		 all->table->side_nr > 2 ? "%.20s/%zu" : "%.30s", header, side);
	if (strlen(column->header) > column->width)
		column->width = strlen(column->header);
}

/* Return what perf's percentages of the baseline are of: with baseline_only,
 * the rows that are left. */
static double baseline_total(const struct rpt_diff_table *table)
{
	double sum = 0.0;

	if (!table->conf.baseline_only)
		return table->sides[0].total.period;
	for (size_t r = 0; r < table->row_nr; r++)
		sum += rpt_diff_table_cell(table, r, 0)->estimate.sum.period;
	return sum;
}

static const char *interval_header(const struct rpt_diff_table *table)
{
	if (table->conf.compute >= RPT_COMPUTE_RATIO)
		return "95% of Delta";
	return table->conf.is_tested ? "95% Interval" : "95% within Runs";
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
	const struct rpt_diff_table_conf *conf = &all->table->conf;
	bool has_shares = conf->measure == RPT_MEASURE_COUNT ||
			  conf->measure == RPT_MEASURE_UNIT;
	bool has_interval = side && conf->intervals;
	const struct {
		bool is_wanted;
		const char *header;
		size_t width;
		rpt_diff_print *print;
	} numbers[] = {
		{ !side, "Baseline", 8, print_baseline },
		{ !side && has_shares, "Share", 7, print_share },
		{ side, computes[conf->compute].header,
		  computes[conf->compute].width, print_compute },
		{ has_interval, interval_header(all->table), 20,
		  print_interval },
		{ has_interval && conf->is_tested, "*", 1, print_mark },
		{ has_interval, "Relative", 8, print_relative },
		{ side && has_shares, "New Share", 9, print_share },
		{ side && all->args->show_formula, "Formula", 70,
		  print_formula },
		{ all->args->show_period, side ? "Period" : "Base period", 14,
		  print_period },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].is_wanted)
			add(all, numbers[i].header, numbers[i].width, side,
			    numbers[i].print);
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
					     const struct rpt_diff_table *table,
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
