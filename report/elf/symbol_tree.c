#include "report/elf/symbol_tree.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NIL RPT_TREE_NIL

/* Every case comes in two mirror images, which are one here: side is where the
 * node in question hangs, !side the other.  What is drawn is side LEFT. */
enum { LEFT = 0, RIGHT = 1 };

static uint32_t *child(struct rpt_symbol_tree *tree, uint32_t node, int side)
{
	struct rpt_tree_node *at = &tree->nodes[node];

	return side == RIGHT ? &at->right : &at->left;
}

/* On which side of its parent a node hangs; not of the root. */
static int side_of(const struct rpt_symbol_tree *tree, uint32_t node)
{
	return tree->nodes[tree->nodes[node].parent].right == node ? RIGHT
								   : LEFT;
}

static bool is_red(const struct rpt_symbol_tree *tree, uint32_t node)
{
	return tree->nodes[node].is_red;
}

static void set_red(struct rpt_symbol_tree *tree, uint32_t node, bool is_red)
{
	tree->nodes[node].is_red = is_red;
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

/* Hangs with, and what is below it, where node hangs.  NIL gets a parent that
 * way too: fix_remove() has to go up from it. */
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

/* node goes down to that side, its child of the other side takes its place; the
 * order of the items stays.
 *
 *	  node                up
 *	  /  \               /  \
 *	 a    up    ->    node   b
 *	     /  \         /  \
 *	 moved   b       a   moved
 */
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

/* A red node below a red parent on that side of above, whose other child is
 * black: the parent takes the place and the colour of above, which becomes its
 * red child.  A node on the inner side is turned to the outer one first.
 *
 *	      above            parent
 *	      /   \             /  \
 *	  parent   u    ->   node   above
 *	   /                           \
 *	 node                           u
 */
static void part_reds(struct rpt_symbol_tree *tree, uint32_t node,
		      uint32_t above, int side)
{
	uint32_t parent = tree->nodes[node].parent;

	if (side_of(tree, node) != side) {
		rotate(tree, parent, side);
		parent = node;
	}
	set_red(tree, parent, false);
	set_red(tree, above, true);
	rotate(tree, above, !side);
}

/* node is red, and so may its parent be, against the rules. */
static void fix_insert(struct rpt_symbol_tree *tree, uint32_t node)
{
	const struct rpt_tree_node *nodes = tree->nodes;

	while (is_red(tree, nodes[node].parent)) {
		uint32_t parent = nodes[node].parent;
		uint32_t above = nodes[parent].parent;
		int side = side_of(tree, parent);
		uint32_t uncle = *child(tree, above, !side);

		if (!is_red(tree, uncle)) {
			part_reds(tree, node, above, side);
			break;
		}
		/* the black of above goes down to both; above itself may now
		 * be a red node below a red one */
		set_red(tree, parent, false);
		set_red(tree, uncle, false);
		set_red(tree, above, true);
		node = above;
	}
	set_red(tree, tree->root, false);
}

void rpt_symbol_tree_insert(struct rpt_symbol_tree *tree, size_t item,
			    uint64_t start)
{
	uint32_t node = (uint32_t)item + 1, parent = NIL, at = tree->root;
	int side = LEFT;

	assert(item < tree->items_nr);
	while (at != NIL) {
		parent = at;
		side = start < tree->nodes[at].start ? LEFT : RIGHT;
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

/* What fix_remove() works on: the child of parent on that side is one black
 * short, its sibling is the other child.  Of the sibling's children, near is
 * the one towards the short side, far the other.
 *
 *	     parent
 *	     /    \
 *	 short   sibling
 *	          /   \
 *	       near   far
 */
struct shortage {
	uint32_t parent;
	int side;
};

static uint32_t sibling_of(struct rpt_symbol_tree *tree,
			   const struct shortage *at)
{
	return *child(tree, at->parent, !at->side);
}

/* The red sibling goes up, its near child, which is black, is the sibling
 * then. */
static void get_black_sibling(struct rpt_symbol_tree *tree,
			      const struct shortage *at)
{
	set_red(tree, sibling_of(tree, at), false);
	set_red(tree, at->parent, true);
	rotate(tree, at->parent, at->side);
}

/* The red near child becomes the sibling, and the sibling its red far child. */
static void get_red_far(struct rpt_symbol_tree *tree, const struct shortage *at)
{
	uint32_t sibling = sibling_of(tree, at);

	set_red(tree, *child(tree, sibling, at->side), false);
	set_red(tree, sibling, true);
	rotate(tree, sibling, !at->side);
}

/* With a red far child: the sibling takes the place and the colour of the
 * parent, which becomes the black that was missing; far makes up for the
 * sibling's on its own side. */
static void fill_shortage(struct rpt_symbol_tree *tree,
			  const struct shortage *at)
{
	uint32_t sibling = sibling_of(tree, at);

	set_red(tree, sibling, is_red(tree, at->parent));
	set_red(tree, at->parent, false);
	set_red(tree, *child(tree, sibling, !at->side), false);
	rotate(tree, at->parent, at->side);
}

/* All ways down through node have one black node less than the others.  It can
 * be NIL, whose parent is set for that. */
static void fix_remove(struct rpt_symbol_tree *tree, uint32_t node)
{
	while (node != tree->root && !is_red(tree, node)) {
		struct shortage at = { tree->nodes[node].parent,
				       side_of(tree, node) };
		uint32_t sibling;

		if (is_red(tree, sibling_of(tree, &at)))
			get_black_sibling(tree, &at);
		sibling = sibling_of(tree, &at);
		if (!is_red(tree, *child(tree, sibling, LEFT)) &&
		    !is_red(tree, *child(tree, sibling, RIGHT))) {
			/* as short on the other side: go on above both */
			set_red(tree, sibling, true);
			node = at.parent;
			continue;
		}
		if (!is_red(tree, *child(tree, sibling, !at.side)))
			get_red_far(tree, &at);
		fill_shortage(tree, &at);
		return;
	}
	set_red(tree, node, false);
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
	bool was_red = nodes[node].is_red; /* the colour that the tree loses */

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
