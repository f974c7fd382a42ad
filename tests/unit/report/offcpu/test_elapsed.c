#include "report/offcpu/elapsed.h"

#include "tests/unit/seen_causes.h"

#include <string.h>

/* The task has a CPU, and is of those whose time is divided. */
static void runs(struct rpt_wait_graph *graph, uint32_t tid, uint64_t start_ns,
		 uint64_t end_ns)
{
	const struct rpt_wait_piece piece = { .start_ns = start_ns,
					      .end_ns = end_ns,
					      .is_asked = true };

	rpt_wait_graph_add(graph, tid, &piece);
}

/* Divide from 100 on.  Return the sum of all latencies. */
static uint64_t divide(struct rpt_wait_graph *graph, bool by_level,
		       struct seen *seen)
{
	const struct rpt_elapsed_conf conf = { 100, by_level };
	uint64_t sum = 0;

	memset(seen, 0, sizeof(*seen));
	assert_int_equal(rpt_elapsed_divide(graph, &conf, see, seen), 0);
	for (uint32_t i = 0; i < seen->nr; i++)
		sum += seen->items[i].latency_ns;
	return sum;
}

static void assert_share(const struct rpt_wait_cause *cause, uint32_t tid,
			 uint64_t latency_ns, uint32_t parallelism)
{
	assert_int_equal(cause->tid, tid);
	assert_int_equal(cause->root, RPT_ROOT_RUN);
	assert_int_equal(cause->latency_ns, latency_ns);
	assert_int_equal(cause->parallelism, parallelism);
}

/* 1 and 2 run, for 50 ns both; then none does, since 1 waits, and for a CPU. */
static void add_two(struct rpt_wait_graph *graph)
{
	rpt_wait_graph_init(graph, NULL);
	runs(graph, 1, 100, 200);
	wait_of(graph, 1, 200, 280, by(RPT_WAIT_DISK, RPT_WAKER_INTERRUPT), 11);
	wait_of(graph, 1, 280, 300, by(RPT_WAIT_WOKEN, RPT_WAKER_INTERRUPT),
		11);
	runs(graph, 1, 300, 310);
	runs(graph, 2, 150, 250);
	run(graph, 3, 100, 310); /* is not asked for */
}

static void test_divide__among_those_that_run(void **state)
{
	struct rpt_wait_graph graph;
	struct seen seen;

	(void)state;
	add_two(&graph);
	assert_int_equal(divide(&graph, false, &seen), 210);
	assert_int_equal(seen.nr, 5);
	assert_share(&seen.items[0], 1, 75, 1);
	assert_share(&seen.items[1], 2, 75, 1);
	assert_cause(&seen.items[2], 250, 280, RPT_ROOT_INTERRUPT, 1, 11);
	assert_cause(&seen.items[3], 280, 300, RPT_ROOT_NO_CPU, 1, 11);
	assert_int_equal(seen.items[3].tid, 1);
	assert_int_equal(seen.items[3].parallelism, 0);
	assert_share(&seen.items[4], 1, 10, 1);
	rpt_wait_graph_release(&graph);
}

static void test_divide__by_how_many_run(void **state)
{
	struct rpt_wait_graph graph;
	struct seen seen;

	(void)state;
	add_two(&graph);
	rpt_wait_graph_sample(&graph, 2, 160, 21);
	rpt_wait_graph_sample(&graph, 2, 240, 22);
	assert_int_equal(divide(&graph, true, &seen), 210);
	assert_int_equal(seen.nr, 7);
	assert_share(&seen.items[0], 1, 50, 1);
	assert_share(&seen.items[1], 1, 25, 2);
	assert_share(&seen.items[2], 2, 25, 2);
	assert_int_equal(seen.items[2].stacks[0], 21);
	assert_share(&seen.items[3], 2, 50, 1);
	assert_int_equal(seen.items[3].stacks[0], 22);
	rpt_wait_graph_release(&graph);
}

enum { MANY_NR = 300 };

/* Count a cause of many tasks that run side by side: rpt_wait_cause_deliver. */
static int add_latency(void *ctx, const struct rpt_wait_cause *cause)
{
	uint64_t *sum_ns = ctx;

	assert_int_equal(cause->parallelism, MANY_NR);
	*sum_ns += cause->latency_ns;
	return 0;
}

/* Shares of less than 1 ns add up, too, and how many ran is what it was. */
static void test_divide__among_many(void **state)
{
	struct rpt_wait_graph graph;
	struct rpt_elapsed_conf conf = { .start_ns = 100 };

	(void)state;
	rpt_wait_graph_init(&graph, NULL);
	for (uint32_t tid = 1; tid <= MANY_NR; tid++) {
		runs(&graph, tid, 100, 107);
		runs(&graph, tid, 107, 1100);
	}
	for (int i = 0; i < 2; i++) {
		uint64_t sum_ns = 0;

		conf.by_level = i;
		assert_int_equal(
			rpt_elapsed_divide(&graph, &conf, add_latency, &sum_ns),
			0);
		assert_in_range(sum_ns, 999, 1000);
	}
	rpt_wait_graph_release(&graph);
}

/* A task of before the recording waits from its start on; one that was made
 * later begins then.  The last wait goes on. */
static void test_divide__at_the_edges(void **state)
{
	struct rpt_wait_graph graph;
	struct rpt_wait_piece piece = { .start_ns = 150,
					.end_ns = 160,
					.wait = by(RPT_WAIT_WOKEN,
						   RPT_WAKER_NONE),
					.stack = RPT_NO_STACK,
					.is_asked = true };
	struct seen seen;

	(void)state;
	rpt_wait_graph_init(&graph, NULL);
	rpt_wait_graph_add(&graph, 1, &piece);
	runs(&graph, 1, 160, 200);
	piece = (struct rpt_wait_piece){ .start_ns = 200,
					 .end_ns = 230,
					 .is_asked = true,
					 .is_open = true,
					 .wait = by(RPT_WAIT_SLEEPING,
						    RPT_WAKER_NONE) };
	rpt_wait_graph_add(&graph, 1, &piece);
	assert_int_equal(divide(&graph, false, &seen), 80);
	assert_int_equal(seen.nr, 3);
	assert_cause(&seen.items[0], 150, 160, RPT_ROOT_NO_CPU, 1,
		     RPT_NO_STACK);
	assert_share(&seen.items[1], 1, 40, 1);
	assert_cause(&seen.items[2], 200, 230, RPT_ROOT_GOES_ON, 1,
		     RPT_NO_STACK);
	runs(&graph, 2, 156, 164);
	assert_int_equal(divide(&graph, false, &seen), 130);
	assert_cause(&seen.items[0], 100, 156, RPT_ROOT_UNKNOWN, 1,
		     RPT_NO_STACK);
	assert_int_equal(seen.items[0].tid, 2);
	rpt_wait_graph_release(&graph);
}

/* While records are missing it is not known what ran. */
static void test_divide__guesses_nothing(void **state)
{
	struct rpt_wait_graph graph;
	struct seen seen;

	(void)state;
	rpt_wait_graph_init(&graph, NULL);
	assert_int_equal(divide(&graph, false, &seen), 0);
	wait_of(&graph, 1, 90, 110, by(RPT_WAIT_SLEEPING, 9), 11);
	assert_int_equal(divide(&graph, false, &seen), 0);
	runs(&graph, 1, 130, 140);
	runs(&graph, 1, 150, 160);
	assert_int_equal(divide(&graph, false, &seen), 60);
	assert_int_equal(seen.nr, 5);
	assert_cause(&seen.items[0], 100, 110, RPT_ROOT_UNKNOWN, 2,
		     RPT_NO_STACK);
	assert_cause(&seen.items[1], 110, 130, RPT_ROOT_UNKNOWN, 1,
		     RPT_NO_STACK);
	assert_cause(&seen.items[3], 140, 150, RPT_ROOT_UNKNOWN, 1,
		     RPT_NO_STACK);
	rpt_wait_graph_release(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_divide__among_those_that_run),
		cmocka_unit_test(test_divide__by_how_many_run),
		cmocka_unit_test(test_divide__among_many),
		cmocka_unit_test(test_divide__at_the_edges),
		cmocka_unit_test(test_divide__guesses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
