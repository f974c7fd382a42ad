#include "report/sched/task_sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct rpt_sched_task task(uint32_t tid)
{
	return (struct rpt_sched_task){ .ref = { .pid = tid, .tid = tid },
					.comm = "task" };
}

/* On a CPU a task gives way to another. */
static struct rpt_slice_times trade_on(struct rpt_task_sums *sums, uint32_t cpu,
				       uint64_t time_ns, uint32_t prev,
				       uint32_t next)
{
	const struct rpt_sched_event ev = {
		.kind = RPT_SCHED_SWITCH,
		.time_ns = time_ns,
		.cpu = cpu,
		.task = task(prev),
		.next = task(next),
		.kernel_tid = prev,
		.kernel_next = next,
		.has_next = true,
		.state = RPT_WAIT_SLEEPING,
	};
	struct rpt_slice_times times;

	rpt_task_sums_switch(sums, &ev, &times);
	rpt_task_sums_count(sums, &ev, &times);
	return times;
}

static struct rpt_slice_times trade(struct rpt_task_sums *sums,
				    uint64_t time_ns, uint32_t prev,
				    uint32_t next)
{
	return trade_on(sums, 0, time_ns, prev, next);
}

static void wake(struct rpt_task_sums *sums, uint64_t time_ns, uint32_t by,
		 uint32_t woken)
{
	const struct rpt_sched_event ev = {
		.kind = RPT_SCHED_WAKING,
		.time_ns = time_ns,
		.task = task(by),
		.woken = task(woken),
	};

	rpt_task_sums_wake(sums, &ev);
}

static void other(struct rpt_task_sums *sums, enum rpt_sched_kind kind,
		  uint64_t time_ns, uint32_t tid)
{
	const struct rpt_sched_event ev = {
		.kind = kind,
		.time_ns = time_ns,
		.cpu = kind == RPT_SCHED_IN ? UINT32_MAX : 0,
		.task = task(tid),
		.kernel_tid = tid,
	};

	if (kind == RPT_SCHED_LOST)
		rpt_task_sums_lost(sums, &ev);
	else
		rpt_task_sums_other(sums, &ev);
}

static void assert_times(struct rpt_slice_times times, uint64_t wait_ns,
			 uint64_t delay_ns, uint64_t run_ns)
{
	assert_int_equal(times.wait_ns, wait_ns);
	assert_int_equal(times.delay_ns, delay_ns);
	assert_int_equal(times.run_ns, run_ns);
}

static void test_task_sums__times_have_both_ends(void **state)
{
	struct rpt_task_sums sums;
	struct rpt_slice_times times;

	(void)state;
	rpt_task_sums_init(&sums, NULL);
	/* who had the CPU at the start has it since nobody knows when */
	assert_times(trade(&sums, 100, 5, 6), 0, 0, 0);
	wake(&sums, 130, 6, 5);
	wake(&sums, 140, 7, 5); /* the first counts */
	assert_times(trade(&sums, 150, 6, 5), 0, 0, 50);
	times = trade(&sums, 160, 5, 6);
	assert_times(times, 50, 20, 10);
	assert_true(times.is_woken);
	assert_int_equal(times.waker_tid, 6);
	/* that wakeup is over */
	trade(&sums, 170, 6, 5);
	times = trade(&sums, 190, 5, 6);
	assert_times(times, 10, 0, 20);
	assert_false(times.is_woken);
	assert_int_equal(sums.missing_nr, 0);
	rpt_task_sums_release(&sums);
}

static void test_task_sums__no_time_reaches_across_a_loss(void **state)
{
	struct rpt_task_sums sums;

	(void)state;
	rpt_task_sums_init(&sums, NULL);
	trade(&sums, 100, 5, 6);
	wake(&sums, 105, 6, 5);
	other(&sums, RPT_SCHED_LOST, 110, 0);
	assert_times(trade(&sums, 120, 6, 5), 0, 0, 0);
	assert_times(trade(&sums, 130, 5, 6), 0, 0, 10);
	assert_times(trade(&sums, 150, 6, 5), 10, 0, 20);
	rpt_task_sums_release(&sums);
}

static void test_task_sums__missing_switch_is_not_anothers_time(void **state)
{
	struct rpt_task_sums sums;

	(void)state;
	rpt_task_sums_init(&sums, NULL);
	trade(&sums, 100, 5, 6);
	assert_times(trade(&sums, 150, 7, 5), 0, 0, 0);
	assert_int_equal(sums.missing_nr, 1);
	trade(&sums, 160, 5, 8);
	/* its own record says when it got the CPU */
	other(&sums, RPT_SCHED_IN, 180, 5);
	assert_times(trade(&sums, 200, 5, 8), 20, 0, 20);
	assert_int_equal(sums.missing_nr, 1);
	rpt_task_sums_release(&sums);
}

static void test_task_sums__unknown_cpus_are_not_one(void **state)
{
	struct rpt_task_sums sums;

	(void)state;
	rpt_task_sums_init(&sums, NULL);
	trade_on(&sums, UINT32_MAX, 100, 5, 6);
	trade_on(&sums, UINT32_MAX, 110, 7, 8);
	assert_times(trade_on(&sums, UINT32_MAX, 150, 8, 5), 0, 0, 0);
	other(&sums, RPT_SCHED_IN, 160, 5);
	assert_times(trade_on(&sums, UINT32_MAX, 200, 5, 6), 60, 0, 40);
	assert_int_equal(sums.missing_nr, 0);
	rpt_task_sums_release(&sums);
}

static void test_task_sums__idle_waits_for_its_cpu_to_be_idle(void **state)
{
	struct rpt_task_sums sums;

	(void)state;
	rpt_task_sums_init(&sums, NULL);
	trade(&sums, 100, 5, 0);
	assert_times(trade(&sums, 130, 0, 5), 0, 0, 30);
	trade(&sums, 150, 5, 0);
	assert_times(trade(&sums, 190, 0, 5), 20, 0, 40);
	rpt_task_sums_release(&sums);
}

static void test_task_sums__new_task_has_no_past(void **state)
{
	struct rpt_task_sums sums;

	(void)state;
	rpt_task_sums_init(&sums, NULL);
	trade(&sums, 100, 5, 6);
	other(&sums, RPT_SCHED_EXIT, 110, 5);
	other(&sums, RPT_SCHED_FORK, 120, 5);
	trade(&sums, 130, 6, 5);
	assert_times(trade(&sums, 140, 5, 6), 0, 0, 10);
	assert_int_equal(sums.nr, 3);
	rpt_task_sums_release(&sums);
}

/* The table of the sums, without its head. */
static void test_task_sums__table_has_each_task(void **state)
{
	static const struct rpt_filter all;
	const struct rpt_sums_form form = { .elapsed_ns = 90000000,
					    .comm_width = 10,
					    .cpu_nr = 1,
					    .cpus = &all };
	struct rpt_text_string *string = rpt_text_string_new();
	struct rpt_task_sums sums;
	const char *text;

	(void)state;
	rpt_task_sums_init(&sums, NULL);
	trade(&sums, 10000000, 5, 0);
	trade(&sums, 30000000, 0, 5);
	trade(&sums, 40000000, 5, 6);
	trade(&sums, 60000000, 6, 5);
	trade(&sums, 100000000, 5, 6);
	other(&sums, RPT_SCHED_EXIT, 100000001, 6);
	rpt_task_sums_print(&sums, &string->text, &form);
	text = strstr(rpt_text_string_take(string, NULL), "---\n");
	assert_non_null(text);
	assert_string_equal(
		text + 4,
		"   task[5]      -1          3       50.000     10.000      "
		"25.000      40.000   60.00       0\n"
		"\nTerminated tasks:\n"
		"   task[6]      -1          1       20.000     20.000      "
		"20.000      20.000    0.00       0\n"
		"\nIdle stats:\n"
		"    CPU  0 idle for     20.000  msec  ( 22.22%)\n"
		"\n    Total number of unique tasks: 2\n"
		"Total number of context switches: 5\n"
		"           Total run time (msec): 70.000 \n"
		"    Total scheduling time (msec): 90.000  (x 1)\n");
	rpt_task_sums_release(&sums);
	rpt_text_string_free(string);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_task_sums__times_have_both_ends),
		cmocka_unit_test(test_task_sums__no_time_reaches_across_a_loss),
		cmocka_unit_test(
			test_task_sums__missing_switch_is_not_anothers_time),
		cmocka_unit_test(test_task_sums__unknown_cpus_are_not_one),
		cmocka_unit_test(
			test_task_sums__idle_waits_for_its_cpu_to_be_idle),
		cmocka_unit_test(test_task_sums__new_task_has_no_past),
		cmocka_unit_test(test_task_sums__table_has_each_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
