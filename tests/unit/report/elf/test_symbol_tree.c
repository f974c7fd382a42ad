#include "report/elf/symbol_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>

#define ITEMS_NR 500

/* Black height of a subtree; fails where a rule of red-black trees is broken.
 */
static int check(const struct rpt_symbol_tree *tree, uint32_t node,
		 uint64_t low, uint64_t high)
{
	const struct rpt_tree_node *at = &tree->nodes[node];
	int left, right;

	if (node == RPT_TREE_NIL)
		return 1;
	assert_in_range(at->start, low, high);
	if (at->is_red) {
		assert_false(tree->nodes[at->left].is_red);
		assert_false(tree->nodes[at->right].is_red);
	}
	left = check(tree, at->left, low, at->start);
	right = check(tree, at->right, at->start, high);
	assert_int_equal(left, right);
	return left + !at->is_red;
}

static size_t count(const struct rpt_symbol_tree *tree, uint32_t node)
{
	if (node == RPT_TREE_NIL)
		return 0;
	return 1 + count(tree, tree->nodes[node].left) +
	       count(tree, tree->nodes[node].right);
}

static void test_symbol_tree__shape_is_the_textbooks(void **state)
{
	/* Cormen et al., 2nd edition, exercise 13.3-2: 41 38 31 12 19 8 */
	static const uint64_t starts[] = { 41, 38, 31, 12, 19, 8 };
	struct rpt_symbol_tree tree;
	const struct rpt_tree_node *root;
	size_t i;

	(void)state;
	assert_int_equal(rpt_symbol_tree_init(&tree, 6), 0);
	for (i = 0; i < 6; i++)
		rpt_symbol_tree_insert(&tree, i, starts[i]);
	root = &tree.nodes[tree.root];
	assert_int_equal(root->start, 38);
	assert_int_equal(tree.nodes[root->right].start, 41);
	assert_int_equal(tree.nodes[root->left].start, 19);
	assert_true(tree.nodes[root->left].is_red);
	/* 13.4-3: take 8, 12, 19 away again */
	rpt_symbol_tree_remove(&tree, 5);
	rpt_symbol_tree_remove(&tree, 3);
	rpt_symbol_tree_remove(&tree, 4);
	root = &tree.nodes[tree.root];
	assert_int_equal(root->start, 38);
	assert_int_equal(tree.nodes[root->left].start, 31);
	assert_false(tree.nodes[root->left].is_red);
	assert_int_equal(count(&tree, tree.root), 3);
	rpt_symbol_tree_release(&tree);
}

static void test_symbol_tree__rules_hold_throughout(void **state)
{
	bool is_in[ITEMS_NR] = { false };
	struct rpt_symbol_tree tree;
	uint32_t seed = 1;
	size_t i, nr = 0;

	(void)state;
	assert_int_equal(rpt_symbol_tree_init(&tree, ITEMS_NR), 0);
	for (i = 0; i < 5000; i++) {
		size_t item;

		seed = seed * 1664525 + 1013904223;
		item = (seed >> 8) % ITEMS_NR;
		if (is_in[item])
			rpt_symbol_tree_remove(&tree, item);
		else
			rpt_symbol_tree_insert(&tree, item, seed >> 24);
		is_in[item] = !is_in[item];
		nr += is_in[item] ? 1 : -(size_t)1;
		check(&tree, tree.root, 0, UINT64_MAX);
		assert_int_equal(count(&tree, tree.root), nr);
	}
	rpt_symbol_tree_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbol_tree__shape_is_the_textbooks),
		cmocka_unit_test(test_symbol_tree__rules_hold_throughout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
