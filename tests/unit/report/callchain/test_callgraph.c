#include "report/callchain/callgraph.h"

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

static struct rpt_callgraph graph;

static int setup(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FRAMES; i++)
		frame_items[i].sym = &symbols[i];
	rpt_callgraph_init(&graph, &frames);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rpt_callgraph_release(&graph);
	return 0;
}

struct given {
	const char *chain;
	uint64_t period;
};

#define CHAINS_MAX 8

static uint32_t labels[CHAINS_MAX][8];

/* The chains up to the one without name, as one row's tree. */
static void build(const struct given *given, uint64_t min_weight)
{
	struct rpt_call_chain chains[CHAINS_MAX];
	uint32_t nr = 0;

	for (; given[nr].chain; nr++) {
		const char *chain = given[nr].chain;
		uint32_t len = (uint32_t)strlen(chain);

		for (uint32_t i = 0; i < len; i++)
			labels[nr][i] = (uint32_t)(chain[i] - 'a');
		chains[nr] = (struct rpt_call_chain){
			.labels = labels[nr],
			.nr = len,
			.period = given[nr].period,
			.sample_nr = 1,
		};
	}
	rpt_callgraph_build(&graph, chains, nr, min_weight);
}

static void check(uint64_t row_period, const char *expected)
{
	static struct rpt_text out;
	struct rpt_callgraph_style style = { .total = 200, .least_of = 200 };
	char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	assert_non_null(file);
	rpt_text_init(&out, file);
	rpt_callgraph_print(&graph, row_period, &style, &out);
	assert_int_equal(rpt_text_flush(&out), 0);
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
}

static void test_callgraph__a_single_chain_is_a_trunk(void **state)
{
	static const struct given given[] = { { "abc", 50 }, { 0 } };

	(void)state;
	build(given, 1);
	check(50, "            |\n"
		  "            ---a\n"
		  "               b\n"
		  "               c\n"
		  "\n");
}

static void test_callgraph__branches_are_ordered_by_weight(void **state)
{
	static const struct given given[] = {
		{ "abc", 30 }, { "abd", 50 }, { "ab", 20 }, { 0 }
	};

	(void)state;
	build(given, 1);
	check(100, "            |\n"
		   "            ---a\n"
		   "               b\n"
		   "               |          \n"
		   "               |--25.00%--d\n"
		   "               |          \n"
		   "                --15.00%--c\n"
		   "\n");
}

static void test_callgraph__a_root_below_the_row_shows_its_share(void **state)
{
	static const struct given given[] = { { "ab", 30 }, { 0 } };

	(void)state;
	build(given, 1);
	check(100, "            |          \n"
		   "             --15.00%--a\n"
		   "                       b\n"
		   "\n");
}

/* The trunk stays whole though one of its branches is left out. */
static void test_callgraph__light_nodes_are_left_out(void **state)
{
	static const struct given given[] = { { "ac", 98 },
					      { "ad", 2 },
					      { 0 } };

	(void)state;
	build(given, 3);
	check(100, "            |\n"
		   "            ---a\n"
		   "               |          \n"
		   "                --49.00%--c\n"
		   "\n");
	build(given, 101);
	check(100, "");
}

/* A node that two chains reach, with others between them in the list, is one;
 * what ends on the way keeps its node apart from the next. */
static void test_callgraph__chains_come_in_any_order(void **state)
{
	static const struct given given[] = { { "abc", 10 }, { "d", 40 },
					      { "ab", 20 },  { "dca", 5 },
					      { "abc", 15 }, { "dca", 10 },
					      { 0 } };

	(void)state;
	build(given, 1);
	check(100, "            |          \n"
		   "            |--27.50%--d\n"
		   "            |          |          \n"
		   "            |           --7.50%--c\n"
		   "            |                     a\n"
		   "            |          \n"
		   "             --22.50%--a\n"
		   "                       b\n"
		   "                       |          \n"
		   "                        --12.50%--c\n"
		   "\n");
}

static void test_callgraph__a_tree_replaces_the_one_before(void **state)
{
	static const struct given one[] = { { "ab", 7 }, { "ac", 6 }, { 0 } };
	static const struct given two[] = { { "cd", 5 }, { 0 } };

	(void)state;
	build(one, 1);
	build(two, 1);
	check(5, "            |\n"
		 "            ---c\n"
		 "               d\n"
		 "\n");
}

#define GRAPH_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GRAPH_TEST(test_callgraph__a_single_chain_is_a_trunk),
		GRAPH_TEST(test_callgraph__branches_are_ordered_by_weight),
		GRAPH_TEST(
			test_callgraph__a_root_below_the_row_shows_its_share),
		GRAPH_TEST(test_callgraph__light_nodes_are_left_out),
		GRAPH_TEST(test_callgraph__chains_come_in_any_order),
		GRAPH_TEST(test_callgraph__a_tree_replaces_the_one_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
