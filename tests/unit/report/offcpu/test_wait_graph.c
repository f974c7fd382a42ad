#include "report/offcpu/wait_graph.h"

#include "report/base/memory.h"
#include "tests/unit/seen_causes.h"

#include <errno.h>
#include <string.h>

static void explain(struct rpt_wait_graph *graph, struct seen *seen)
{
	memset(seen, 0, sizeof(*seen));
	assert_int_equal(rpt_wait_graph_explain(graph, see, seen), 0);
}

/* 1 waits for 2, which computes, waits for a disk, and then for a CPU. */
static void test_explain__what_the_waker_did(void **state)
{
	struct rpt_wait_graph graph;
	struct seen seen;

	(void)state;
	rpt_wait_graph_init(&graph, NULL);
	wait_of(&graph, 1, 100, 200, by(RPT_WAIT_SLEEPING, 2), 11);
	run(&graph, 2, 50, 120);
	wait_of(&graph, 2, 120, 150, by(RPT_WAIT_DISK, RPT_WAKER_INTERRUPT),
		21);
	wait_of(&graph, 2, 150, 170, by(RPT_WAIT_WOKEN, RPT_WAKER_INTERRUPT),
		21);
	run(&graph, 2, 170, 300);
	rpt_wait_graph_sample(&graph, 2, 90, 31);
	rpt_wait_graph_sample(&graph, 2, 180, 32);
	rpt_wait_graph_sample(&graph, 2, 190, 33);
	rpt_wait_graph_sample(&graph, 2, 200, 34);
	explain(&graph, &seen);
	assert_int_equal(seen.nr, 5);
	assert_cause(&seen.items[0], 100, 120, RPT_ROOT_RUN, 2, RPT_NO_STACK);
	assert_cause(&seen.items[1], 120, 150, RPT_ROOT_INTERRUPT, 2, 21);
	assert_cause(&seen.items[2], 150, 170, RPT_ROOT_NO_CPU, 2, 21);
	assert_cause(&seen.items[3], 170, 185, RPT_ROOT_RUN, 2, 32);
	assert_cause(&seen.items[4], 185, 200, RPT_ROOT_RUN, 2, 33);
	assert_int_equal(seen.items[0].tid, 1);
	assert_int_equal(seen.items[0].stacks[0], 11);
	assert_string_equal(seen.items[0].wakers[1], "waker");
	rpt_wait_graph_release(&graph);
}

/* The waker's own wait is followed, as far as it lies in the first one. */
static void test_explain__wakers_of_wakers(void **state)
{
	struct rpt_wait_graph graph;
	struct seen seen;

	(void)state;
	rpt_wait_graph_init(&graph, NULL);
	wait_of(&graph, 1, 100, 200, by(RPT_WAIT_SLEEPING, 2), 11);
	wait_of(&graph, 2, 50, 180, by(RPT_WAIT_SLEEPING, 3), 21);
	run(&graph, 2, 180, 210);
	wait_of(&graph, 3, 10, 160, by(RPT_WAIT_SLEEPING, RPT_WAKER_INTERRUPT),
		31);
	run(&graph, 3, 160, 190);
	explain(&graph, &seen);
	assert_int_equal(seen.nr, 3);
	assert_cause(&seen.items[0], 100, 160, RPT_ROOT_INTERRUPT, 3, 31);
	assert_int_equal(seen.items[0].stacks[1], 21);
	assert_cause(&seen.items[1], 160, 180, RPT_ROOT_RUN, 3, RPT_NO_STACK);
	assert_cause(&seen.items[2], 180, 200, RPT_ROOT_RUN, 2, RPT_NO_STACK);
	rpt_wait_graph_release(&graph);
}

/* A wait for a CPU was behind what ran on the one that the task got. */
static void test_explain__behind_whom(void **state)
{
	struct rpt_wait_piece elsewhere = { .start_ns = 100,
					    .end_ns = 200,
					    .cpu = 1 };
	struct rpt_wait_graph graph;
	struct seen seen;

	(void)state;
	rpt_wait_graph_init(&graph, NULL);
	run(&graph, 2, 50, 120);
	wait_of(&graph, 1, 100, 150, by(RPT_WAIT_PREEMPTED, RPT_WAKER_NONE),
		11);
	wait_of(&graph, 1, 150, 200, by(RPT_WAIT_WOKEN, 2), 12);
	run(&graph, 3, 130, 180);
	rpt_wait_graph_add(&graph, 4, &elsewhere);
	run(&graph, 1, 200, 210);
	explain(&graph, &seen);
	assert_int_equal(seen.nr, 5);
	assert_cause(&seen.items[0], 100, 120, RPT_ROOT_NO_CPU, 1, 11);
	assert_int_equal(seen.items[0].behind_tid, 2);
	assert_cause(&seen.items[1], 120, 140, RPT_ROOT_NO_CPU, 1, 11);
	assert_int_equal(seen.items[1].behind_tid, 3);
	assert_cause(&seen.items[2], 140, 150, RPT_ROOT_NO_CPU, 1, 11);
	assert_int_equal(seen.items[2].behind_tid, 0);
	assert_cause(&seen.items[3], 150, 180, RPT_ROOT_NO_CPU, 1, 12);
	assert_int_equal(seen.items[3].behind_tid, 3);
	assert_cause(&seen.items[4], 180, 200, RPT_ROOT_NO_CPU, 1, 12);
	assert_int_equal(seen.items[4].behind_tid, 0);
	rpt_wait_graph_release(&graph);
}

/* What no record tells of has no cause: before, between and behind the waker's
 * pieces, of a waker without any, and of a wait without a waker. */
static void test_explain__guesses_nothing(void **state)
{
	struct rpt_wait_graph graph;
	struct seen seen;

	(void)state;
	rpt_wait_graph_init(&graph, NULL);
	wait_of(&graph, 1, 100, 200, by(RPT_WAIT_SLEEPING, 2), 11);
	wait_of(&graph, 1, 300, 310, by(RPT_WAIT_SLEEPING, RPT_WAKER_NONE), 12);
	wait_of(&graph, 1, 400, 410, by(RPT_WAIT_SLEEPING, 9), 13);
	wait_of(&graph, 1, 410, 420, by(RPT_WAIT_PREEMPTED, RPT_WAKER_NONE),
		14);
	run(&graph, 2, 110, 120);
	run(&graph, 2, 130, 150);
	explain(&graph, &seen);
	assert_int_equal(seen.nr, 8);
	assert_cause(&seen.items[0], 100, 110, RPT_ROOT_UNKNOWN, 2,
		     RPT_NO_STACK);
	assert_cause(&seen.items[2], 120, 130, RPT_ROOT_UNKNOWN, 2,
		     RPT_NO_STACK);
	assert_cause(&seen.items[4], 150, 200, RPT_ROOT_UNKNOWN, 2,
		     RPT_NO_STACK);
	assert_cause(&seen.items[5], 300, 310, RPT_ROOT_UNKNOWN, 1, 12);
	assert_cause(&seen.items[6], 400, 410, RPT_ROOT_UNKNOWN, 2,
		     RPT_NO_STACK);
	assert_cause(&seen.items[7], 410, 420, RPT_ROOT_NO_CPU, 1, 14);
	rpt_wait_graph_release(&graph);
}

/* A wait that had not ended has no waker yet. */
static void test_explain__what_goes_on(void **state)
{
	const struct rpt_wait_piece piece = {
		.start_ns = 100,
		.end_ns = 200,
		.wait = { RPT_WAIT_SLEEPING, RPT_WAKER_NONE, NULL },
		.is_asked = true,
		.is_open = true,
	};
	struct rpt_wait_graph graph;
	struct seen seen;

	(void)state;
	rpt_wait_graph_init(&graph, NULL);
	rpt_wait_graph_add(&graph, 1, &piece);
	explain(&graph, &seen);
	assert_int_equal(seen.nr, 1);
	assert_int_equal(seen.items[0].root, RPT_ROOT_GOES_ON);
	rpt_wait_graph_release(&graph);
}

static int add_up(void *ctx, const struct rpt_wait_cause *cause)
{
	uint64_t *sum_ns = ctx;

	*sum_ns += cause->end_ns - cause->start_ns;
	return 0;
}

/* Very many tasks wait for one with very many samples: what is not followed is
 * counted, and each ns still has one cause. */
static void test_explain__steps_are_bounded(void **state)
{
	enum { TASK_NR = 2000, SAMPLE_NR = 4000 };
	struct rpt_wait_graph graph;
	uint64_t sum_ns = 0;

	(void)state;
	rpt_wait_graph_init(&graph, NULL);
	run(&graph, 2, 0, SAMPLE_NR);
	for (uint32_t i = 0; i < SAMPLE_NR; i++)
		rpt_wait_graph_sample(&graph, 2, i, i);
	for (uint32_t i = 0; i < TASK_NR; i++) {
		const struct rpt_wait_piece piece = {
			.end_ns = SAMPLE_NR,
			.wait = { RPT_WAIT_SLEEPING, 2, "waker" },
			.is_asked = true,
		};

		rpt_wait_graph_add(&graph, 10 + i, &piece);
	}
	assert_int_equal(rpt_wait_graph_explain(&graph, add_up, &sum_ns), 0);
	assert_int_equal(sum_ns, (uint64_t)TASK_NR * SAMPLE_NR);
	assert_true(graph.step_nr < 1000000);
	assert_true(graph.left_ns > 0);
	rpt_wait_graph_release(&graph);
}

/* Two tasks that wait for each other, which no kernel records. */
static void test_explain__a_circle_ends(void **state)
{
	struct rpt_wait_graph graph;
	struct seen seen;

	(void)state;
	rpt_wait_graph_init(&graph, NULL);
	wait_of(&graph, 1, 100, 200, by(RPT_WAIT_SLEEPING, 2), 11);
	wait_of(&graph, 2, 100, 200, by(RPT_WAIT_SLEEPING, 1), 21);
	explain(&graph, &seen);
	assert_int_equal(seen.nr, 1);
	assert_cause(&seen.items[0], 100, 200, RPT_ROOT_TOO_DEEP,
		     RPT_WAIT_DEPTH, 21);
	rpt_wait_graph_release(&graph);
}

/* Pieces that overlap, are empty or come late are of no use. */
static void test_add__in_order_alone(void **state)
{
	struct rpt_wait_graph graph;
	struct seen seen;

	(void)state;
	rpt_wait_graph_init(&graph, NULL);
	run(&graph, 1, 50, 100);
	wait_of(&graph, 1, 90, 110, by(RPT_WAIT_SLEEPING, RPT_WAKER_NONE), 1);
	wait_of(&graph, 1, 100, 100, by(RPT_WAIT_SLEEPING, RPT_WAKER_NONE), 2);
	wait_of(&graph, 1, 120, 110, by(RPT_WAIT_SLEEPING, RPT_WAKER_NONE), 3);
	explain(&graph, &seen);
	assert_int_equal(seen.nr, 0);
	assert_int_equal(graph.item_nr, 1);
	rpt_wait_graph_release(&graph);
}

static void test_add__within_the_budget(void **state)
{
	struct rpt_budget budget;
	struct rpt_wait_graph graph;
	struct seen seen;

	(void)state;
	rpt_budget_set(&budget, 40000);
	rpt_wait_graph_init(&graph, &budget);
	for (uint32_t i = 0; i < 1000; i++)
		run(&graph, 2, 10 * i, 10 * i + 5);
	wait_of(&graph, 1, 100, 200, by(RPT_WAIT_SLEEPING, 2), 11);
	explain(&graph, &seen);
	assert_int_equal(seen.nr, 0);
	assert_true(graph.item_nr > 100 && graph.item_nr < 1000);
	assert_int_equal(graph.item_nr + graph.unfit_nr, 1001);
	rpt_wait_graph_release(&graph);
	assert_true(rpt_budget_left(&budget) > 38000);
}

static void test_explain__ends_by_an_error(void **state)
{
	struct rpt_wait_graph graph;
	struct seen seen = { .rc = -ENOMEM };

	(void)state;
	rpt_wait_graph_init(&graph, NULL);
	wait_of(&graph, 1, 100, 200, by(RPT_WAIT_SLEEPING, RPT_WAKER_NONE), 11);
	wait_of(&graph, 1, 300, 400, by(RPT_WAIT_SLEEPING, RPT_WAKER_NONE), 11);
	assert_int_equal(rpt_wait_graph_explain(&graph, see, &seen), -ENOMEM);
	assert_int_equal(seen.nr, 1);
	rpt_wait_graph_release(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_explain__what_the_waker_did),
		cmocka_unit_test(test_explain__wakers_of_wakers),
		cmocka_unit_test(test_explain__behind_whom),
		cmocka_unit_test(test_explain__guesses_nothing),
		cmocka_unit_test(test_explain__what_goes_on),
		cmocka_unit_test(test_explain__steps_are_bounded),
		cmocka_unit_test(test_explain__a_circle_ends),
		cmocka_unit_test(test_add__in_order_alone),
		cmocka_unit_test(test_add__within_the_budget),
		cmocka_unit_test(test_explain__ends_by_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
