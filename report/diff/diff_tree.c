#include "report/diff/diff_table.h"

#include "report/base/memory.h"

#include <stdlib.h>

#define NO_ROW UINT32_MAX

/* Rows by label, and the children of each in the order of the table. */
struct tree {
	struct rpt_table *table;
	uint32_t *row_of; /* by label */
	uint32_t *first;  /* by row, the last one for the root */
	uint32_t *next;	  /* by row */
	uint32_t *stack;  /* rows whose children are being shown */
	uint32_t *places; /* by depth: of the last row in order */
	uint32_t *order;
};

static void tree_release(struct tree *tree)
{
	free(tree->row_of);
	free(tree->first);
	free(tree->next);
	free(tree->stack);
	free(tree->places);
}

static uint32_t *new_numbers(size_t nr)
{
	return rpt_alloc_zeroed(nr + 1, sizeof(uint32_t));
}

static void tree_alloc(struct tree *tree)
{
	size_t row_nr = tree->table->row_nr;

	tree->row_of = new_numbers(tree->table->labels->keys.nr);
	tree->first = new_numbers(row_nr);
	tree->next = new_numbers(row_nr);
	tree->stack = new_numbers(row_nr);
	tree->places = new_numbers(row_nr);
	tree->order = new_numbers(row_nr);
	tree->table->depths = new_numbers(row_nr);
	tree->table->callers = new_numbers(row_nr);
	tree->table->parents = new_numbers(row_nr);
}

/* The row of the caller, or RPT_NO_CALLER. */
static uint32_t parent_of(const struct tree *tree, uint32_t row)
{
	const struct rpt_labels *labels = tree->table->labels;
	uint32_t parent =
		labels->items[rpt_table_label(tree->table, row)].parent;

	return parent ? tree->row_of[parent - 1] : RPT_NO_CALLER;
}

static void tree_link(struct tree *tree)
{
	struct rpt_table *table = tree->table;

	for (uint32_t i = 0; i < table->row_nr * table->side_nr; i++) {
		if (table->cells[i].is_there)
			tree->row_of[table->cells[i].label] =
				i / (uint32_t)table->side_nr;
	}
	for (size_t r = 0; r <= table->row_nr; r++)
		tree->first[r] = NO_ROW;
	/* from the end, since each goes in front */
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

/* Big enough on one side, or changed for sure. */
static bool is_shown(const struct rpt_table *table, uint32_t row)
{
	for (size_t s = 0; s < table->side_nr; s++) {
		const struct rpt_diff_cell *cell =
			rpt_table_cell(table, row, s);
		double total = table->sides[s].total.period;

		if (cell->change.is_significant ||
		    cell->estimate.sum.period >= table->conf.path_limit * total)
			return true;
	}
	return false;
}

static void tree_walk(struct tree *tree)
{
	struct rpt_table *table = tree->table;
	size_t depth = 0;

	table->shown_nr = 0;
	tree->stack[0] = tree->first[table->row_nr];
	for (;;) {
		uint32_t row = tree->stack[depth];

		if (row == NO_ROW) {
			if (!depth)
				return;
			depth--;
			continue;
		}
		tree->stack[depth] = tree->next[row];
		if (!is_shown(table, row))
			continue;
		table->depths[row] = (uint32_t)depth;
		table->callers[row] =
			depth ? tree->places[depth - 1] : RPT_NO_CALLER;
		tree->places[depth] = (uint32_t)table->shown_nr;
		tree->order[table->shown_nr++] = row;
		tree->stack[++depth] = tree->first[row];
	}
}

void rpt_table_order_tree(struct rpt_table *table)
{
	struct tree tree = { .table = table };

	tree_alloc(&tree);
	tree_link(&tree);
	tree_walk(&tree);
	free(table->order);
	table->order = tree.order;
	tree_release(&tree);
}
