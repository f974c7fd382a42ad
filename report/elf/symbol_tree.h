/* symbol_tree.h: which of several overlapping symbols perf finds.
 *
 * perf 6.1 keeps symbols in a red-black tree by start and goes down from its
 * root: left where the address is below a symbol, right where it is behind its
 * end, and the first symbol that holds the address is the answer.  Where
 * symbols overlap, the answer depends on which of them lies nearer to the root,
 * and that on the order of insertions and removals.  This tree repeats them;
 * symbol_overlap.c feeds it and goes down in it.  It has no part in tables
 * whose symbols lie side by side.
 *
 * It is a textbook red-black tree (Cormen et al., chapter 13; equal keys go
 * right), over indices instead of pointers.  What insert and remove keep up:
 *	- the root and the leaves are black, and so are a red node's children;
 *	- all ways from a node down to leaves pass as many black nodes.
 * Any other balanced tree would find symbols, but not perf's.
 */
#ifndef RPT_SYMBOL_TREE_H
#define RPT_SYMBOL_TREE_H

#include <stddef.h>
#include <stdint.h>

#define RPT_TREE_NIL 0u

struct rpt_tree_node {
	uint64_t start;
	uint32_t left; /* RPT_TREE_NIL: none */
	uint32_t right;
	uint32_t parent;
	uint32_t is_red; /* 0, 1 */
};

/* Node i + 1 stands for item i; node 0 is the leaf of all. */
struct rpt_symbol_tree {
	struct rpt_tree_node *nodes; /* owned; items_nr + 1 */
	uint32_t root;
	uint32_t items_nr;
};

/* Room for items_nr items, none of them in the tree.  0 or -ENOMEM. */
int rpt_symbol_tree_init(struct rpt_symbol_tree *tree, size_t items_nr);
void rpt_symbol_tree_release(struct rpt_symbol_tree *tree);

/* Of an item below items_nr that is not in the tree. */
void rpt_symbol_tree_insert(struct rpt_symbol_tree *tree, size_t item,
			    uint64_t start);
/* Of one that is. */
void rpt_symbol_tree_remove(struct rpt_symbol_tree *tree, size_t item);

#endif
