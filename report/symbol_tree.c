#include "report/symbol_tree.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NIL RPT_TREE_NIL

/* What follows comes in mirror pairs: side 0 is left, 1 is right. */
static uint32_t *child(struct rpt_symbol_tree *tree, uint32_t node, int side)
{
	struct rpt_tree_node *at = &tree->nodes[node];

	return side ? &at->right : &at->left;
}

static int side_of(struct rpt_symbol_tree *tree, uint32_t node)
{
	return tree->nodes[tree->nodes[node].parent].right == node;
}

int rpt_symbol_tree_init(struct rpt_symbol_tree *tree, size_t items_nr)
{
	memset(tree, 0, sizeof(*tree));
	if (items_nr >= UINT32_MAX)
		return -ENOMEM;
	tree->nodes = calloc(items_nr + 1, sizeof(*tree->nodes));
	if (!tree->nodes)
		return -ENOMEM;
	tree->items_nr = (uint32_t)items_nr;
	return 0;
}

void rpt_symbol_tree_release(struct rpt_symbol_tree *tree)
{
	free(tree->nodes);
	memset(tree, 0, sizeof(*tree));
}

/* Puts with where node hangs. */
static void transplant(struct rpt_symbol_tree *tree, uint32_t node,
		       uint32_t with)
{
	uint32_t parent = tree->nodes[node].parent;

	if (parent == NIL)
		tree->root = with;
	else
		*child(tree, parent, side_of(tree, node)) = with;
	tree->nodes[with].parent = parent;
}

/* node goes down to that side, its child of the other side takes its place. */
static void rotate(struct rpt_symbol_tree *tree, uint32_t node, int side)
{
	uint32_t up = *child(tree, node, !side);
	uint32_t moved = *child(tree, up, side);

	*child(tree, node, !side) = moved;
	if (moved != NIL)
		tree->nodes[moved].parent = node;
	transplant(tree, node, up);
	*child(tree, up, side) = node;
	tree->nodes[node].parent = up;
}

static void fix_insert(struct rpt_symbol_tree *tree, uint32_t node)
{
	struct rpt_tree_node *nodes = tree->nodes;

	while (nodes[nodes[node].parent].is_red) {
		uint32_t parent = nodes[node].parent;
		uint32_t above = nodes[parent].parent;
		int side = side_of(tree, parent);
		uint32_t uncle = *child(tree, above, !side);

		nodes[above].is_red = true;
		if (nodes[uncle].is_red) {
			nodes[parent].is_red = false;
			nodes[uncle].is_red = false;
			node = above;
			continue;
		}
		if (side_of(tree, node) != side) {
			rotate(tree, parent, side);
			node = parent;
			parent = nodes[node].parent;
		}
		nodes[parent].is_red = false;
		rotate(tree, above, !side);
	}
	nodes[tree->root].is_red = false;
}

void rpt_symbol_tree_insert(struct rpt_symbol_tree *tree, size_t item,
			    uint64_t start)
{
	uint32_t node = (uint32_t)item + 1, parent = NIL, at = tree->root;
	int side = 0;

	assert(item < tree->items_nr);
	while (at != NIL) {
		parent = at;
		side = start >= tree->nodes[at].start;
		at = *child(tree, at, side);
	}
	tree->nodes[node] = (struct rpt_tree_node){ .start = start,
						    .parent = parent,
						    .is_red = true };
	if (parent == NIL)
		tree->root = node;
	else
		*child(tree, parent, side) = node;
	fix_insert(tree, node);
}

/* node is one black short.  It can be NIL, whose parent is set for that. */
static void fix_remove(struct rpt_symbol_tree *tree, uint32_t node)
{
	struct rpt_tree_node *nodes = tree->nodes;

	while (node != tree->root && !nodes[node].is_red) {
		uint32_t parent = nodes[node].parent;
		int side = nodes[parent].right == node;
		uint32_t sibling = *child(tree, parent, !side);

		if (nodes[sibling].is_red) {
			nodes[sibling].is_red = false;
			nodes[parent].is_red = true;
			rotate(tree, parent, side);
			sibling = *child(tree, parent, !side);
		}
		if (!nodes[*child(tree, sibling, 0)].is_red &&
		    !nodes[*child(tree, sibling, 1)].is_red) {
			nodes[sibling].is_red = true;
			node = parent;
			continue;
		}
		if (!nodes[*child(tree, sibling, !side)].is_red) {
			nodes[*child(tree, sibling, side)].is_red = false;
			nodes[sibling].is_red = true;
			rotate(tree, sibling, !side);
			sibling = *child(tree, parent, !side);
		}
		nodes[sibling].is_red = nodes[parent].is_red;
		nodes[parent].is_red = false;
		nodes[*child(tree, sibling, !side)].is_red = false;
		rotate(tree, parent, side);
		node = tree->root;
	}
	nodes[node].is_red = false;
}

/* Both children: the leftmost of the right side takes node's place.  Returns
 * what took the place of that one. */
static uint32_t replace_by_next(struct rpt_symbol_tree *tree, uint32_t node,
				uint32_t next)
{
	struct rpt_tree_node *nodes = tree->nodes;
	uint32_t behind = nodes[next].right;

	if (nodes[next].parent == node) {
		nodes[behind].parent = next;
	} else {
		transplant(tree, next, behind);
		nodes[next].right = nodes[node].right;
		nodes[nodes[next].right].parent = next;
	}
	transplant(tree, node, next);
	nodes[next].left = nodes[node].left;
	nodes[nodes[next].left].parent = next;
	nodes[next].is_red = nodes[node].is_red;
	return behind;
}

void rpt_symbol_tree_remove(struct rpt_symbol_tree *tree, size_t item)
{
	struct rpt_tree_node *nodes = tree->nodes;
	uint32_t node = (uint32_t)item + 1, behind, next;
	bool was_red = nodes[node].is_red;

	assert(item < tree->items_nr);
	if (nodes[node].left == NIL) {
		behind = nodes[node].right;
		transplant(tree, node, behind);
	} else if (nodes[node].right == NIL) {
		behind = nodes[node].left;
		transplant(tree, node, behind);
	} else {
		for (next = nodes[node].right; nodes[next].left != NIL;)
			next = nodes[next].left;
		was_red = nodes[next].is_red;
		behind = replace_by_next(tree, node, next);
	}
	if (!was_red)
		fix_remove(tree, behind);
	nodes[NIL] = (struct rpt_tree_node){ 0 };
}
