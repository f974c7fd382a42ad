#include "report/diff/diff_table.h"

#include "report/base/compare.h"
#include "report/base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sides that have a row. */
enum { IN_BASELINE = 1, IN_OTHERS = 2, IN_BOTH = 3 };

static void mark_labels(const struct rpt_side_event *side, bool *is_there)
{
	for (size_t r = 0; r < side->side->run_nr; r++) {
		const struct rpt_run_event *event = side->events[r];

		for (size_t i = 0; event && i < event->cell_nr; i++)
			is_there[event->cells[i].label] = true;
	}
}

/* The labels that become rows. */
struct lines {
	bool *is_there;		     /* by side and label */
	struct rpt_matches *matches; /* by side; side 0 has none */
	uint32_t label_nr;
};

static void lines_release(struct lines *lines, size_t side_nr)
{
	for (size_t s = 0; s < side_nr; s++)
		rpt_matches_release(&lines->matches[s]);
	free(lines->matches);
	free(lines->is_there);
}

static bool *there(const struct lines *lines, size_t side)
{
	return lines->is_there + side * lines->label_nr;
}

static void lines_init(struct lines *lines, const struct rpt_diff_table *table)
{
	uint32_t nr = table->labels->keys.nr;

	lines->label_nr = nr;
	lines->is_there = rpt_alloc_zeroed((size_t)nr * table->side_nr + 1, 1);
	lines->matches =
		rpt_alloc_zeroed(table->side_nr, sizeof(*lines->matches));
	for (size_t s = 0; s < table->side_nr; s++)
		mark_labels(&table->sides[s], there(lines, s));
	for (size_t s = 1; s < table->side_nr && table->conf.intervals; s++)
		rpt_matches_find(&lines->matches[s], table->labels,
				 there(lines, 0), there(lines, s));
}

/* Return the label of the row that a side's label belongs to. */
static uint32_t row_label_of(const struct lines *lines, size_t side,
			     uint32_t label)
{
	const struct rpt_matches *matches = &lines->matches[side];

	return matches->to ? matches->to[label] : label;
}

static void add_cells(struct rpt_diff_table *table, const struct lines *lines)
{
	uint32_t *rows = rpt_alloc((lines->label_nr + 1) * sizeof(*rows));
	uint8_t *sides = rpt_alloc_zeroed((size_t)lines->label_nr + 1, 1);

	for (size_t s = 0; s < table->side_nr; s++) {
		for (uint32_t l = 0; l < lines->label_nr; l++) {
			if (there(lines, s)[l])
				sides[row_label_of(lines, s, l)] |=
					s ? IN_OTHERS : IN_BASELINE;
		}
	}
	for (uint32_t l = 0; l < lines->label_nr; l++) {
		bool is_row = sides[l] == IN_BOTH ||
			      (sides[l] && !table->conf.baseline_only);

		rows[l] = is_row ? (uint32_t)table->row_nr++ : UINT32_MAX;
	}
	table->cells = rpt_alloc_zeroed(table->row_nr * table->side_nr + 1,
					sizeof(*table->cells));
	for (size_t s = 0; s < table->side_nr; s++) {
		for (uint32_t l = 0; l < lines->label_nr; l++) {
			uint32_t row = rows[row_label_of(lines, s, l)];
			struct rpt_diff_cell *cell;

			if (!there(lines, s)[l] || row == UINT32_MAX)
				continue;
			cell = &table->cells[row * table->side_nr + s];
			cell->is_there = true;
			cell->label = l;
			if (lines->matches[s].level)
				cell->match = lines->matches[s].level[l];
		}
	}
	free(rows);
	free(sides);
}

/* Estimate all cells.  A side that lacks a row has no samples of it, which is
 * an estimate like others. */
static void estimate(struct rpt_diff_table *table)
{
	for (size_t i = 0; i < table->row_nr * table->side_nr; i++) {
		struct rpt_diff_cell *cell = &table->cells[i];
		const struct rpt_side_event *side =
			&table->sides[i % table->side_nr];

		cell->estimate = rpt_side_estimate(
			side, rpt_diff_table_cell_label(cell));
	}
}

bool rpt_diff_table_computed(const struct rpt_diff_table *table, size_t row,
			     size_t side, double *ret)
{
	const struct rpt_diff_cell *old = rpt_diff_table_cell(table, row, 0);
	const struct rpt_diff_cell *new = rpt_diff_table_cell(table, row, side);
	double a = old->estimate.sum.period, b = new->estimate.sum.period;

	if (!new->is_there && !table->conf.intervals)
		return false;
	if (table->conf.compute < RPT_COMPUTE_RATIO) {
		*ret = new->change.delta;
		return true;
	}
	if (!old->is_there || !new->is_there)
		return false;
	*ret = table->conf.compute == RPT_COMPUTE_RATIO
		       ? b / a
		       : b * (double)table->conf.w2 -
				 a * (double)table->conf.w1;
	return true;
}

/* Return where a row is sorted: 0 if something is computed, 1 if the new side
 * alone has it, 2 if the baseline alone; and in *ret its value. */
static int rank(const struct rpt_diff_table *table, uint32_t row, size_t side,
		double *ret)
{
	*ret = 0.0;
	if (!side) {
		*ret = rpt_diff_table_cell(table, row, 0)->estimate.sum.period;
		return 0;
	}
	if (!rpt_diff_table_computed(table, row, side, ret))
		return rpt_diff_table_cell(table, row, side)->is_there ? 1 : 2;
	if (table->conf.compute == RPT_COMPUTE_DELTA_ABS)
		*ret = fabs(*ret);
	return 0;
}

static int compare_texts(const struct rpt_diff_table *table, uint32_t x,
			 uint32_t y)
{
	const struct rpt_labels *labels = table->labels;
	const struct rpt_label *a =
		&labels->items[rpt_diff_table_label(table, x)];
	const struct rpt_label *b =
		&labels->items[rpt_diff_table_label(table, y)];
	int rc = 0;

	for (size_t i = 0; i < labels->column_nr && !rc; i++)
		rc = strcmp(a->texts[i], b->texts[i]);
	return rc;
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct rpt_diff_table *table = ctx;
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	double vx, vy;
	int cx = rank(table, x, table->conf.order, &vx);
	int cy = rank(table, y, table->conf.order, &vy);
	int rc;

	if (cx != cy)
		return cx < cy ? -1 : 1;
	rc = rpt_compare_doubles(&vy, &vx);
	for (size_t s = 0; s < table->side_nr && !rc; s++)
		rc = rpt_compare_doubles(
			&rpt_diff_table_cell(table, y, s)->estimate.sum.period,
			&rpt_diff_table_cell(table, x, s)->estimate.sum.period);
	if (!rc)
		rc = compare_texts(table, x, y);
	return rc ? rc : rpt_compare_u64(x, y);
}

static void sort(struct rpt_diff_table *table)
{
	table->order = rpt_alloc((table->row_nr + 1) * sizeof(*table->order));
	for (size_t r = 0; r < table->row_nr; r++)
		table->order[r] = (uint32_t)r;
	qsort_r(table->order, table->row_nr, sizeof(*table->order),
		compare_rows, table);
}

/* Return whether a row is large enough on one side, or changed, as conf asks
 * for. */
static bool diff_table_shows(const struct rpt_diff_table *table, size_t row)
{
	for (size_t s = 0; s < table->side_nr; s++) {
		const struct rpt_diff_cell *cell =
			rpt_diff_table_cell(table, row, s);
		double least =
			table->conf.row_limit * table->sides[s].total.period;

		if (cell->change.is_significant ||
		    (!table->conf.only_significant &&
		     cell->estimate.sum.period >= least))
			return true;
	}
	return false;
}

/* Leave the rows that are shown in table->order. */
static void hide_rows(struct rpt_diff_table *table)
{
	for (size_t i = 0; i < table->row_nr; i++)
		if (diff_table_shows(table, table->order[i]))
			table->order[table->shown_nr++] = table->order[i];
}

#define NO_ROW UINT32_MAX

/* The children of each row, in the order of the table. */
struct tree {
	struct rpt_diff_table *table;
	uint32_t *row_of; /* by label */
	uint32_t *first;  /* first child by row, the last one for the root */
	uint32_t *next;	  /* next child of the same parent, by row */
	uint32_t *order;
	bool *is_marked; /* by row */
};

static uint32_t *new_numbers(size_t nr)
{
	return rpt_alloc_zeroed(nr + 1, sizeof(uint32_t));
}

/* Return the row of the caller, or RPT_NO_CALLER. */
static uint32_t parent_of(const struct tree *tree, uint32_t row)
{
	const struct rpt_labels *labels = tree->table->labels;
	uint32_t parent =
		labels->items[rpt_diff_table_label(tree->table, row)].parent;

	return parent ? tree->row_of[parent - 1] : RPT_NO_CALLER;
}

static void tree_link(struct tree *tree)
{
	struct rpt_diff_table *table = tree->table;

	for (uint32_t i = 0; i < table->row_nr * table->side_nr; i++) {
		if (table->cells[i].is_there)
			tree->row_of[table->cells[i].label] =
				i / (uint32_t)table->side_nr;
	}
	for (size_t r = 0; r <= table->row_nr; r++)
		tree->first[r] = NO_ROW;
	/* from the end, since each is put in front */
	for (size_t i = table->row_nr; i > 0; i--) {
		uint32_t row = table->order[i - 1];
		uint32_t parent = parent_of(tree, row);

		table->parents[row] = parent;
		if (parent == RPT_NO_CALLER)
			parent = (uint32_t)table->row_nr;
		tree->next[row] = tree->first[parent];
		tree->first[parent] = row;
	}
}

/* Mark rows that changed by more than chance, and their callers. */
static void mark_significant(struct tree *tree)
{
	const struct rpt_diff_table *table = tree->table;

	for (uint32_t r = 0; r < table->row_nr; r++) {
		uint32_t at = diff_table_shows(table, r) ? r : RPT_NO_CALLER;

		for (; at != RPT_NO_CALLER && !tree->is_marked[at];
		     at = table->parents[at])
			tree->is_marked[at] = true;
	}
}

/* Show a row below its caller, which is shown.  Return whether it is shown. */
static bool show(struct tree *tree, uint32_t row)
{
	struct rpt_diff_table *table = tree->table;
	uint32_t parent = table->parents[row];

	if (table->conf.only_significant ? !tree->is_marked[row]
					 : !diff_table_shows(table, row))
		return false;
	if (parent != RPT_NO_CALLER)
		table->depths[row] = table->depths[parent] + 1;
	table->places[row] = (uint32_t)table->shown_nr;
	tree->order[table->shown_nr++] = row;
	return true;
}

/* Show each row before its children, these before the next row. */
static void tree_walk(struct tree *tree)
{
	const struct rpt_diff_table *table = tree->table;
	uint32_t row = tree->first[table->row_nr];

	while (row != NO_ROW) {
		if (show(tree, row) && tree->first[row] != NO_ROW) {
			row = tree->first[row];
			continue;
		}
		while (tree->next[row] == NO_ROW &&
		       table->parents[row] != RPT_NO_CALLER)
			row = table->parents[row];
		row = tree->next[row];
	}
}

/* Sort call paths: each below its caller, the largest change first. */
static void diff_table_order_tree(struct rpt_diff_table *table)
{
	size_t nr = table->row_nr;
	struct tree tree = {
		.table = table,
		.row_of = new_numbers(table->labels->keys.nr),
		.first = new_numbers(nr),
		.next = new_numbers(nr),
		.order = new_numbers(nr),
		.is_marked = rpt_alloc_zeroed(nr + 1, sizeof(bool)),
	};

	table->depths = new_numbers(nr);
	table->places = new_numbers(nr);
	table->parents = new_numbers(nr);
	table->shown_nr = 0;
	tree_link(&tree);
	mark_significant(&tree);
	tree_walk(&tree);
	free(tree.is_marked);
	free(table->order);
	table->order = tree.order;
	free(tree.row_of);
	free(tree.first);
	free(tree.next);
}

static void fill(struct rpt_diff_table *table)
{
	struct lines lines = { 0 };

	lines_init(&lines, table);
	add_cells(table, &lines);
	lines_release(&lines, table->side_nr);
	estimate(table);
	for (size_t s = 1; s < table->side_nr; s++)
		rpt_diff_table_set_changes(table, s);
	sort(table);
	if (table->labels->is_paths)
		diff_table_order_tree(table);
	else
		hide_rows(table);
}

static enum rpt_scatter scatter_of(const struct rpt_diff_table_conf *conf)
{
	if (!conf->intervals)
		return RPT_SCATTER_NONE;
	return conf->is_between ? RPT_SCATTER_BETWEEN : RPT_SCATTER_WITHIN;
}

/* Return -EINVAL if numbers of events are compared, but samples do not say how
 * many events each stands for. */
static int check_weights(const struct rpt_diff_table *table, struct pd_err *err)
{
	const struct rpt_diff_table_conf *conf = &table->conf;
	const struct rpt_side_event *sides = table->sides;

	if (!conf->intervals || (conf->measure == RPT_MEASURE_SHARE &&
				 conf->compute < RPT_COMPUTE_RATIO))
		return 0;
	for (size_t s = 0; s < table->side_nr; s++) {
		for (size_t r = 0; r < sides[s].side->run_nr; r++) {
			if (!sides[s].events[r] ||
			    sides[s].events[r]->is_weighed)
				continue;
			pd_err_set(err, -ENODATA,
				   "%s: its samples do not tell how many %s "
				   "each stands for",
				   sides[s].side->runs[r]->path,
				   table->event_name);
			pd_err_hint(err, "shares can be compared (--measure "
					 "share); record --period tells");
			return -ENODATA;
		}
	}
	return 0;
}

int rpt_diff_table_fill(struct rpt_diff_table *table,
			const struct rpt_diff_table_conf *conf,
			const struct rpt_labels *labels,
			const struct rpt_side *sides, size_t side_nr,
			struct pd_err *err)
{
	int rc = 0;

	*table = (struct rpt_diff_table){
		.conf = *conf,
		.labels = labels,
		.event_name =
			rpt_event_match_name(&labels->events, conf->event),
		.side_nr = side_nr,
	};
	table->sides = rpt_alloc_zeroed(side_nr, sizeof(*table->sides));
	for (size_t s = 0; s < side_nr && !rc; s++)
		rc = rpt_side_event_init(&table->sides[s], &sides[s],
					 conf->event, conf->measure,
					 scatter_of(conf), err);
	if (!rc)
		rc = check_weights(table, err);
	if (!rc)
		fill(table);
	return rc;
}

void rpt_diff_table_release(struct rpt_diff_table *table)
{
	for (size_t s = 0; table->sides && s < table->side_nr; s++)
		rpt_side_event_release(&table->sides[s]);
	free(table->sides);
	free(table->cells);
	free(table->order);
	free(table->depths);
	free(table->places);
	free(table->parents);
	free(table->inlined);
	*table = (struct rpt_diff_table){ 0 };
}

uint32_t rpt_diff_table_label(const struct rpt_diff_table *table, size_t row)
{
	size_t s = table->side_nr - 1;

	if (!table->conf.intervals &&
	    rpt_diff_table_cell(table, row, 0)->is_there)
		return rpt_diff_table_cell(table, row, 0)->label;
	while (s && !rpt_diff_table_cell(table, row, s)->is_there)
		s--;
	return rpt_diff_table_cell(table, row, s)->label;
}

double rpt_diff_table_share(const struct rpt_diff_table *table, size_t row,
			    size_t side)
{
	double total = table->sides[side].total.period;

	return total > 0.0 ? rpt_diff_table_cell(table, row, side)
					     ->estimate.sum.period /
				     total
			   : 0.0;
}

const struct rpt_inlined *
rpt_diff_table_inlined(const struct rpt_diff_table *table, size_t row,
		       size_t side, const struct rpt_inlined *last)
{
	size_t i = last ? (size_t)(last - table->inlined) + 1 : 0;

	for (; i < table->inlined_nr; i++) {
		const struct rpt_inlined *it = &table->inlined[i];

		if (it->side == side &&
		    (it->row == row || it->holder_row == row))
			return it;
	}
	return NULL;
}
