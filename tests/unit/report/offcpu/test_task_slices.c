#include "report/offcpu/task_slices.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SEEN_NR = 16 };

struct seen {
	struct rpt_slice items[SEEN_NR];
	uint32_t nr, checked_nr;
	int rc;
};

static int see(void *ctx, const struct rpt_slice *slice)
{
	struct seen *seen = ctx;

	assert_true(seen->nr < SEEN_NR);
	assert_true(slice->start_ns < slice->end_ns);
	seen->items[seen->nr++] = *slice;
	return seen->rc;
}

static void init(struct rpt_task_slices *s, struct seen *seen)
{
	memset(seen, 0, sizeof(*seen));
	rpt_task_slices_init(s, see, seen, NULL);
	rpt_task_slices_apply(s, &(struct rpt_switch){ .kind = RPT_SWITCH_OTHER,
						       .time_ns = 100,
						       .is_wide = true });
}

/* sched_switch: a task gives its CPU to another one. */
static void trace(struct rpt_task_slices *s, uint64_t time_ns, uint32_t cpu,
		  uint32_t prev, enum rpt_wait_state state, uint32_t next)
{
	const struct rpt_switch sw = { .kind = RPT_SWITCH_TRACED,
				       .time_ns = time_ns,
				       .cpu = cpu,
				       .tid = prev,
				       .state = state,
				       .next = next };

	assert_int_equal(rpt_task_slices_apply(s, &sw), 0);
}

static void apply(struct rpt_task_slices *s, enum rpt_switch_kind kind,
		  uint64_t time_ns, uint32_t cpu, uint32_t tid)
{
	const struct rpt_switch sw = { .kind = kind,
				       .time_ns = time_ns,
				       .cpu = cpu,
				       .tid = tid,
				       .state = RPT_WAIT_BLOCKED,
				       .waker = { RPT_WAIT_NONE, 9, "nine" } };

	assert_int_equal(rpt_task_slices_apply(s, &sw), 0);
}

/* Check the next slice. */
static void expect(struct seen *seen, enum rpt_slice_kind kind, uint32_t tid,
		   uint64_t start_ns, uint64_t end_ns)
{
	const struct rpt_slice *slice = &seen->items[seen->checked_nr];

	assert_true(seen->checked_nr++ < seen->nr);
	assert_int_equal(slice->kind, kind);
	assert_int_equal(slice->tid, tid);
	assert_int_equal(slice->start_ns, start_ns);
	assert_int_equal(slice->end_ns, end_ns);
}

static void expect_wait(struct seen *seen, uint32_t tid,
			enum rpt_wait_state state, uint64_t start_ns,
			uint64_t end_ns)
{
	expect(seen, RPT_SLICE_WAITS, tid, start_ns, end_ns);
	assert_int_equal(seen->items[seen->checked_nr - 1].wait.state, state);
}

static void end(struct rpt_task_slices *s, struct seen *seen)
{
	assert_int_equal(seen->checked_nr, seen->nr);
	rpt_task_slices_release(s);
}

static void test_task_slices__follow_switches(void **state)
{
	struct rpt_task_slices s;
	struct seen seen;

	(void)state;
	init(&s, &seen);
	trace(&s, 110, 0, 0, RPT_WAIT_PREEMPTED, 7);
	trace(&s, 120, 0, 7, RPT_WAIT_SLEEPING, 8);
	expect(&seen, RPT_SLICE_RUNS, 7, 110, 120);
	assert_int_equal(seen.items[0].cpu, 0);
	apply(&s, RPT_SWITCH_WAKE, 130, 0, 7);
	trace(&s, 140, 0, 8, RPT_WAIT_PREEMPTED, 7);
	expect(&seen, RPT_SLICE_RUNS, 8, 120, 140);
	expect_wait(&seen, 7, RPT_WAIT_SLEEPING, 120, 130);
	assert_int_equal(seen.items[2].wait.waker_tid, 9);
	expect_wait(&seen, 7, RPT_WAIT_WOKEN, 130, 140);
	assert_int_equal(s.missing_nr, 0);
	end(&s, &seen);
}

static void test_task_slices__reach_to_both_ends(void **state)
{
	struct rpt_task_slices s;
	struct seen seen;

	(void)state;
	init(&s, &seen);
	trace(&s, 150, 0, 7, RPT_WAIT_SLEEPING, 8);
	expect(&seen, RPT_SLICE_RUNS, 7, 100, 150);
	apply(&s, RPT_SWITCH_OTHER, 190, 0, 8);
	assert_int_equal(rpt_task_slices_end(&s), 0);
	expect_wait(&seen, 7, RPT_WAIT_SLEEPING, 150, 190);
	expect(&seen, RPT_SLICE_RUNS, 8, 150, 190);
	end(&s, &seen);
}

static void test_task_slices__records_alone(void **state)
{
	struct rpt_task_slices s;
	struct seen seen;

	(void)state;
	init(&s, &seen);
	apply(&s, RPT_SWITCH_OUT, 120, 1, 7);
	expect(&seen, RPT_SLICE_RUNS, 7, 100, 120);
	apply(&s, RPT_SWITCH_IN, 130, 1, 8);
	apply(&s, RPT_SWITCH_OUT, 140, 1, 8);
	expect(&seen, RPT_SLICE_RUNS, 8, 130, 140);
	apply(&s, RPT_SWITCH_IN, 150, 0, 7);
	expect_wait(&seen, 7, RPT_WAIT_BLOCKED, 120, 150);
	assert_int_equal(seen.items[2].cpu, 1);
	assert_int_equal(s.missing_nr, 0);
	end(&s, &seen);
}

/* PERF_RECORD_SWITCH behind samples says the same once more. */
static void test_task_slices__records_behind_samples(void **state)
{
	struct rpt_task_slices s;
	struct seen seen;

	(void)state;
	init(&s, &seen);
	trace(&s, 120, 0, 7, RPT_WAIT_BLOCKED, 8);
	rpt_task_slices_apply(
		&s, &(struct rpt_switch){ .kind = RPT_SWITCH_OUT,
					  .time_ns = 121,
					  .tid = 7,
					  .state = RPT_WAIT_PREEMPTED });
	apply(&s, RPT_SWITCH_IN, 122, 0, 8);
	trace(&s, 130, 0, 8, RPT_WAIT_SLEEPING, 7);
	expect(&seen, RPT_SLICE_RUNS, 7, 100, 120);
	expect(&seen, RPT_SLICE_RUNS, 8, 120, 130);
	expect_wait(&seen, 7, RPT_WAIT_PREEMPTED, 120, 130);
	assert_int_equal(s.missing_nr, 0);
	end(&s, &seen);
}

static void test_task_slices__loss_ends_what_is_known(void **state)
{
	struct rpt_task_slices s;
	struct seen seen;

	(void)state;
	init(&s, &seen);
	trace(&s, 110, 0, 0, RPT_WAIT_PREEMPTED, 7);
	trace(&s, 111, 1, 0, RPT_WAIT_PREEMPTED, 9);
	apply(&s, RPT_SWITCH_LOST, 150, 0, 0);
	expect(&seen, RPT_SLICE_LOST, 0, 110, 150);
	/* 8 had the CPU at 150; when 7 gave it up is not known */
	trace(&s, 160, 0, 8, RPT_WAIT_SLEEPING, 7);
	expect(&seen, RPT_SLICE_RUNS, 8, 150, 160);
	trace(&s, 170, 0, 7, RPT_WAIT_SLEEPING, 0);
	expect(&seen, RPT_SLICE_RUNS, 7, 160, 170);
	/* of another CPU nothing was lost */
	trace(&s, 180, 1, 9, RPT_WAIT_SLEEPING, 0);
	expect(&seen, RPT_SLICE_RUNS, 9, 111, 180);
	assert_int_equal(s.missing_nr, 1);
	end(&s, &seen);
}

/* A wait in which records were lost may have been several. */
static void test_task_slices__wait_with_loss(void **state)
{
	struct rpt_task_slices s;
	struct seen seen;

	(void)state;
	init(&s, &seen);
	trace(&s, 110, 0, 7, RPT_WAIT_SLEEPING, 0);
	expect(&seen, RPT_SLICE_RUNS, 7, 100, 110);
	apply(&s, RPT_SWITCH_LOST, 150, 1, 0);
	seen.checked_nr = seen.nr;
	trace(&s, 180, 0, 0, RPT_WAIT_PREEMPTED, 7);
	assert_int_equal(seen.checked_nr, seen.nr);
	assert_int_equal(s.missing_nr, 1);
	end(&s, &seen);
}

/* Another task gives up the CPU than had it. */
static void test_task_slices__missing_switch(void **state)
{
	struct rpt_task_slices s;
	struct seen seen;

	(void)state;
	init(&s, &seen);
	trace(&s, 110, 0, 0, RPT_WAIT_PREEMPTED, 7);
	trace(&s, 120, 0, 8, RPT_WAIT_SLEEPING, 9);
	assert_int_equal(seen.nr, 0);
	trace(&s, 130, 0, 9, RPT_WAIT_SLEEPING, 8);
	expect(&seen, RPT_SLICE_RUNS, 9, 120, 130);
	expect_wait(&seen, 8, RPT_WAIT_SLEEPING, 120, 130);
	assert_int_equal(s.missing_nr, 2);
	end(&s, &seen);
}

static void test_task_slices__a_task_from_fork_to_exit(void **state)
{
	struct rpt_task_slices s;
	struct seen seen;

	(void)state;
	init(&s, &seen);
	apply(&s, RPT_SWITCH_FORK, 110, UINT32_MAX, 7);
	trace(&s, 130, 0, 5, RPT_WAIT_SLEEPING, 7);
	expect(&seen, RPT_SLICE_RUNS, 5, 100, 130);
	expect_wait(&seen, 7, RPT_WAIT_WOKEN, 110, 130);
	apply(&s, RPT_SWITCH_EXIT, 140, UINT32_MAX, 7);
	trace(&s, 145, 0, 7, RPT_WAIT_PREEMPTED, 5);
	trace(&s, 150, 0, 5, RPT_WAIT_SLEEPING, 7);
	trace(&s, 160, 0, 7, RPT_WAIT_DEAD, 0);
	expect(&seen, RPT_SLICE_RUNS, 7, 130, 145);
	expect_wait(&seen, 5, RPT_WAIT_SLEEPING, 130, 145);
	expect(&seen, RPT_SLICE_RUNS, 5, 145, 150);
	expect_wait(&seen, 7, RPT_WAIT_PREEMPTED, 145, 150);
	expect(&seen, RPT_SLICE_RUNS, 7, 150, 160);
	/* the id is another task's */
	apply(&s, RPT_SWITCH_FORK, 170, UINT32_MAX, 7);
	trace(&s, 180, 0, 0, RPT_WAIT_PREEMPTED, 7);
	expect_wait(&seen, 7, RPT_WAIT_WOKEN, 170, 180);
	end(&s, &seen);
}

/* Events of a task end with it: its last switch has no record. */
static void test_task_slices__exit_is_the_last_record(void **state)
{
	struct rpt_task_slices s;
	struct seen seen;

	(void)state;
	init(&s, &seen);
	apply(&s, RPT_SWITCH_IN, 110, 0, 7);
	apply(&s, RPT_SWITCH_EXIT, 120, UINT32_MAX, 7);
	apply(&s, RPT_SWITCH_IN, 150, 0, 8);
	expect(&seen, RPT_SLICE_RUNS, 7, 110, 120);
	apply(&s, RPT_SWITCH_EXIT, 160, UINT32_MAX, 8);
	apply(&s, RPT_SWITCH_OUT, 165, 0, UINT32_MAX); /* it has no id now */
	expect(&seen, RPT_SLICE_RUNS, 8, 150, 165);
	apply(&s, RPT_SWITCH_IN, 170, 0, 6);
	apply(&s, RPT_SWITCH_EXIT, 180, UINT32_MAX, 6);
	apply(&s, RPT_SWITCH_OTHER, 190, 0, 9);
	assert_int_equal(rpt_task_slices_end(&s), 0);
	expect(&seen, RPT_SLICE_RUNS, 6, 170, 180);
	assert_int_equal(s.missing_nr, 0);
	end(&s, &seen);
}

/* sched_switch of one task without PERF_RECORD_SWITCH: when it had a CPU again
 * is in no record. */
static void test_task_slices__half_of_the_switches(void **state)
{
	struct rpt_task_slices s;
	struct seen seen;

	(void)state;
	init(&s, &seen);
	trace(&s, 110, 0, 7, RPT_WAIT_SLEEPING, 0);
	expect(&seen, RPT_SLICE_RUNS, 7, 100, 110);
	trace(&s, 130, 0, 7, RPT_WAIT_SLEEPING, 0);
	assert_int_equal(seen.checked_nr, seen.nr);
	assert_int_equal(s.missing_nr, 1);
	end(&s, &seen);
}

/* A recording of task 7 alone: another one is only what runs next. */
static void test_task_slices__other_tasks_are_not_drawn(void **state)
{
	struct rpt_task_slices s;
	struct seen seen;

	(void)state;
	init(&s, &seen);
	s.is_wide = false;
	apply(&s, RPT_SWITCH_IN, 110, UINT32_MAX, 7);
	trace(&s, 120, 0, 7, RPT_WAIT_SLEEPING, 99);
	expect(&seen, RPT_SLICE_RUNS, 7, 110, 120);
	assert_int_equal(seen.items[0].cpu, 0);
	apply(&s, RPT_SWITCH_IN, 130, UINT32_MAX, 7);
	expect_wait(&seen, 7, RPT_WAIT_SLEEPING, 120, 130);
	trace(&s, 140, 0, 7, RPT_WAIT_SLEEPING, 98);
	expect(&seen, RPT_SLICE_RUNS, 7, 130, 140);
	apply(&s, RPT_SWITCH_OTHER, 150, 0, 0);
	assert_int_equal(rpt_task_slices_end(&s), 0);
	expect_wait(&seen, 7, RPT_WAIT_SLEEPING, 140, 150);
	assert_int_equal(s.missing_nr, 0);
	end(&s, &seen);
}

static void test_task_slices__pass_on_a_failure(void **state)
{
	struct rpt_task_slices s;
	struct seen seen;

	(void)state;
	init(&s, &seen);
	seen.rc = -ENOSPC;
	assert_int_equal(
		rpt_task_slices_apply(
			&s, &(struct rpt_switch){ .kind = RPT_SWITCH_OUT,
						  .time_ns = 120,
						  .tid = 7 }),
		-ENOSPC);
	rpt_task_slices_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_task_slices__follow_switches),
		cmocka_unit_test(test_task_slices__reach_to_both_ends),
		cmocka_unit_test(test_task_slices__records_alone),
		cmocka_unit_test(test_task_slices__records_behind_samples),
		cmocka_unit_test(test_task_slices__loss_ends_what_is_known),
		cmocka_unit_test(test_task_slices__wait_with_loss),
		cmocka_unit_test(test_task_slices__missing_switch),
		cmocka_unit_test(test_task_slices__a_task_from_fork_to_exit),
		cmocka_unit_test(test_task_slices__exit_is_the_last_record),
		cmocka_unit_test(test_task_slices__half_of_the_switches),
		cmocka_unit_test(test_task_slices__other_tasks_are_not_drawn),
		cmocka_unit_test(test_task_slices__pass_on_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
