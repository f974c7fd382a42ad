#include "report/callgraph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { A, B, C, D, FRAMES };

static const struct rpt_symbol symbols[FRAMES] = {
	[A] = { .name = "a" },
	[B] = { .name = "b" },
	[C] = { .name = "c" },
	[D] = { .name = "d" },
};

static struct rpt_frame frame_items[FRAMES];
static struct rpt_frames frames = { .items = frame_items, .nr = FRAMES };

static int set_up(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FRAMES; i++) {
		frame_items[i].sym = &symbols[i];
		frame_items[i].label = i;
	}
	return 0;
}

static void add(struct rpt_callgraph *graph, uint32_t root, const char *chain,
		uint64_t period)
{
	uint32_t items[8];
	uint32_t nr = 0;

	for (; chain[nr]; nr++)
		items[nr] = (uint32_t)(chain[nr] - 'a');
	assert_int_equal(rpt_callgraph_add(graph, root, items, nr, period, 1),
			 0);
}

static void check(const struct rpt_callgraph *graph, uint32_t root,
		  uint64_t row_period, uint64_t min_hit, const char *expected)
{
	struct rpt_callgraph_style style = { .total = 200, .min_hit = min_hit };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(
		rpt_callgraph_print(graph, root, row_period, &style, out), 0);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void test_callgraph__a_single_chain_is_a_trunk(void **state)
{
	struct rpt_callgraph graph;
	uint32_t root;

	(void)state;
	rpt_callgraph_init(&graph, &frames);
	root = rpt_callgraph_root(&graph);
	add(&graph, root, "abc", 50);
	check(&graph, root, 50, 1,
	      "            |\n"
	      "            ---a\n"
	      "               b\n"
	      "               c\n"
	      "\n");
	rpt_callgraph_release(&graph);
}

static void test_callgraph__branches_are_ordered_by_weight(void **state)
{
	struct rpt_callgraph graph;
	uint32_t root;

	(void)state;
	rpt_callgraph_init(&graph, &frames);
	root = rpt_callgraph_root(&graph);
	add(&graph, root, "abc", 30);
	add(&graph, root, "abd", 50);
	add(&graph, root, "ab", 20);
	check(&graph, root, 100, 1,
	      "            |\n"
	      "            ---a\n"
	      "               b\n"
	      "               |          \n"
	      "               |--25.00%--d\n"
	      "               |          \n"
	      "                --15.00%--c\n"
	      "\n");
	rpt_callgraph_release(&graph);
}

static void test_callgraph__a_root_below_the_row_shows_its_share(void **state)
{
	struct rpt_callgraph graph;
	uint32_t root;

	(void)state;
	rpt_callgraph_init(&graph, &frames);
	root = rpt_callgraph_root(&graph);
	add(&graph, root, "ab", 30);
	check(&graph, root, 100, 1,
	      "            |          \n"
	      "             --15.00%--a\n"
	      "                       b\n"
	      "\n");
	rpt_callgraph_release(&graph);
}

/* The trunk stays whole though one of its branches is left out. */
static void test_callgraph__light_nodes_are_left_out(void **state)
{
	struct rpt_callgraph graph;
	uint32_t root;

	(void)state;
	rpt_callgraph_init(&graph, &frames);
	root = rpt_callgraph_root(&graph);
	add(&graph, root, "ac", 98);
	add(&graph, root, "ad", 2);
	check(&graph, root, 100, 3,
	      "            |\n"
	      "            ---a\n"
	      "               |          \n"
	      "                --49.00%--c\n"
	      "\n");
	check(&graph, root, 100, 101, "");
	rpt_callgraph_release(&graph);
}

static void test_callgraph__trees_do_not_mix(void **state)
{
	struct rpt_callgraph graph;
	uint32_t one;
	uint32_t two;

	(void)state;
	rpt_callgraph_init(&graph, &frames);
	one = rpt_callgraph_root(&graph);
	two = rpt_callgraph_root(&graph);
	for (int i = 0; i < 5000; i++) {
		add(&graph, one, "ab", 1);
		add(&graph, two, "ac", 1);
	}
	assert_int_equal(graph.nr, 7);
	check(&graph, two, 5000, 1,
	      "            |\n"
	      "            ---a\n"
	      "               c\n"
	      "\n");
	rpt_callgraph_release(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callgraph__a_single_chain_is_a_trunk),
		cmocka_unit_test(
			test_callgraph__branches_are_ordered_by_weight),
		cmocka_unit_test(
			test_callgraph__a_root_below_the_row_shows_its_share),
		cmocka_unit_test(test_callgraph__light_nodes_are_left_out),
		cmocka_unit_test(test_callgraph__trees_do_not_mix),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
