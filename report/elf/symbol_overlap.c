#include "report/elf/symbol_overlap.h"

#include "report/elf/symbol_tree.h"

#include <errno.h>
#include <stdlib.h>

struct rpt_symbol_overlap {
	struct rpt_symbol_tree tree;
	uint32_t *sym_of_item; /* an item of the tree is a symbol's order */
};

void rpt_symbol_overlap_free(struct rpt_symbol_overlap *overlap)
{
	if (!overlap)
		return;
	rpt_symbol_tree_release(&overlap->tree);
	free(overlap->sym_of_item);
	free(overlap);
}

/* The insertions and removals as perf does them. */
static void grow_tree(struct rpt_symbol_tree *tree,
		      const struct rpt_symbol_table *table,
		      const uint64_t *starts)
{
	uint32_t i;
	size_t k;

	for (i = 0; i < table->settled_nr; i++)
		rpt_symbol_tree_insert(tree, i, starts[i]);
	for (k = 0; k < table->dropped_nr; k++)
		rpt_symbol_tree_remove(tree, table->dropped[k].order);
	for (; i < table->added_nr; i++)
		rpt_symbol_tree_insert(tree, i, starts[i]);
}

int rpt_symbol_overlap_make(const struct rpt_symbol_table *table,
			    struct rpt_symbol_overlap **ret)
{
	struct rpt_symbol_overlap *overlap = calloc(1, sizeof(*overlap));
	uint64_t *starts = calloc(table->added_nr, sizeof(*starts));
	size_t i;

	if (!overlap || !starts ||
	    rpt_symbol_tree_init(&overlap->tree, table->added_nr) != 0)
		goto fail;
	overlap->sym_of_item =
		calloc(table->added_nr, sizeof(*overlap->sym_of_item));
	if (!overlap->sym_of_item)
		goto fail;
	for (i = 0; i < table->nr; i++) {
		starts[table->syms[i].order] = table->syms[i].start;
		overlap->sym_of_item[table->syms[i].order] = (uint32_t)i;
	}
	for (i = 0; i < table->dropped_nr; i++)
		starts[table->dropped[i].order] = table->dropped[i].start;
	grow_tree(&overlap->tree, table, starts);
	free(starts);
	*ret = overlap;
	return 0;
fail:
	free(starts);
	rpt_symbol_overlap_free(overlap);
	return -ENOMEM;
}

struct rpt_symbol *rpt_symbol_overlap_find(const struct rpt_symbol_table *table,
					   uint64_t addr,
					   struct rpt_addr_range *range)
{
	const struct rpt_symbol_tree *tree = &table->overlap->tree;
	uint32_t node = tree->root;

	while (node != RPT_TREE_NIL) {
		uint32_t idx = table->overlap->sym_of_item[node - 1];
		struct rpt_symbol *sym = &table->syms[idx];

		if (rpt_symbol_narrow(sym, addr, range))
			return sym;
		node = addr < sym->start ? tree->nodes[node].left
					 : tree->nodes[node].right;
	}
	return NULL;
}
