#include "report/diff/diff_table.h"

#include "report/base/memory.h"

#include <stdlib.h>

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
		uint32_t at =
			rpt_diff_table_shows(table, r) ? r : RPT_NO_CALLER;

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
					 : !rpt_diff_table_shows(table, row))
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

void rpt_diff_table_order_tree(struct rpt_diff_table *table)
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
