#include "report/offcpu/off_cpu.h"

#include "report/base/memory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SEEN_NR = 8 };

/* What was delivered; the stack is the first byte of its record. */
struct seen {
	struct {
		uint8_t stack;
		uint64_t start_ns, end_ns;
		struct rpt_wait wait;
	} items[SEEN_NR];
	uint32_t nr;
	int rc;
};

static int see(void *ctx, const struct rpt_off_cpu_interval *interval)
{
	struct seen *seen = ctx;

	assert_true(seen->nr < SEEN_NR);
	seen->items[seen->nr].stack = interval->rec->data[0];
	seen->items[seen->nr].start_ns = interval->start_ns;
	seen->items[seen->nr].end_ns = interval->end_ns;
	seen->items[seen->nr++].wait = interval->wait;
	return seen->rc;
}

static void init(struct rpt_off_cpu *off, struct seen *seen)
{
	memset(seen, 0, sizeof(*seen));
	rpt_off_cpu_init(off, see, seen, NULL);
	rpt_off_cpu_saw(off, 100);
}

/* The task goes off the CPU with that stack. */
static int out(struct rpt_off_cpu *off, uint32_t tid, uint64_t time_ns,
	       enum rpt_wait_state state, uint8_t stack)
{
	uint8_t data[16] = { stack };
	const struct pd_record rec = { .data = data, .len = sizeof(data) };

	rpt_off_cpu_saw(off, time_ns);
	return rpt_off_cpu_out(off, tid, time_ns, state, &rec);
}

static void wake(struct rpt_off_cpu *off, uint32_t tid, uint64_t time_ns)
{
	static const struct rpt_wait waker = { RPT_WAIT_NONE, 9, "nine" };

	rpt_off_cpu_wake(off, tid, time_ns, &waker);
}

static void assert_seen(const struct seen *seen, uint32_t idx, uint8_t stack,
			enum rpt_wait_state state, uint64_t start_ns,
			uint64_t end_ns)
{
	assert_true(idx < seen->nr);
	assert_int_equal(seen->items[idx].stack, stack);
	assert_int_equal(seen->items[idx].wait.state, state);
	assert_int_equal(seen->items[idx].start_ns, start_ns);
	assert_int_equal(seen->items[idx].end_ns, end_ns);
}

static void test_off_cpu__reaches_from_switch_to_switch(void **state)
{
	struct rpt_off_cpu off;
	struct seen seen;

	(void)state;
	init(&off, &seen);
	out(&off, 5, 200, RPT_WAIT_SLEEPING, 'a');
	out(&off, 6, 210, RPT_WAIT_DISK, 'b');
	out(&off, 0, 220, RPT_WAIT_RUNNABLE, 'i'); /* an idle task */
	rpt_off_cpu_in(&off, 6, 300);
	rpt_off_cpu_in(&off, 6, 310); /* said twice */
	rpt_off_cpu_in(&off, 0, 320);
	rpt_off_cpu_in(&off, 5, 400);
	assert_int_equal(seen.nr, 2);
	assert_seen(&seen, 0, 'b', RPT_WAIT_DISK, 210, 300);
	assert_seen(&seen, 1, 'a', RPT_WAIT_SLEEPING, 200, 400);
	assert_int_equal(seen.items[1].wait.waker_tid, RPT_WAKER_NONE);
	assert_null(seen.items[1].wait.waker);
	rpt_off_cpu_release(&off);
}

static void test_off_cpu__is_parted_by_the_first_wakeup(void **state)
{
	struct rpt_off_cpu off;
	struct seen seen;

	(void)state;
	init(&off, &seen);
	wake(&off, 5, 150); /* it is on a CPU */
	out(&off, 5, 200, RPT_WAIT_SLEEPING, 'a');
	wake(&off, 5, 300);
	wake(&off, 5, 310);
	rpt_off_cpu_in(&off, 5, 400);
	out(&off, 5, 500, RPT_WAIT_PREEMPTED, 'c');
	wake(&off, 5, 510); /* it waits for nothing but a CPU */
	rpt_off_cpu_in(&off, 5, 600);
	assert_int_equal(seen.nr, 3);
	assert_seen(&seen, 0, 'a', RPT_WAIT_SLEEPING, 200, 300);
	assert_seen(&seen, 1, 'a', RPT_WAIT_WOKEN, 300, 400);
	assert_seen(&seen, 2, 'c', RPT_WAIT_PREEMPTED, 500, 600);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(seen.items[i].wait.waker_tid, 9);
		assert_string_equal(seen.items[i].wait.waker, "nine");
	}
	rpt_off_cpu_release(&off);
}

static void test_off_cpu__counts_apart_what_has_no_start(void **state)
{
	struct rpt_off_cpu off;
	struct seen seen;

	(void)state;
	init(&off, &seen);
	rpt_off_cpu_in(&off, 5, 150);
	rpt_off_cpu_in(&off, 6, 160); /* of which nothing else is recorded */
	rpt_off_cpu_fork(&off, 7);
	rpt_off_cpu_in(&off, 7, 170); /* it was not there at the start */
	out(&off, 5, 200, RPT_WAIT_SLEEPING, 'a');
	out(&off, 7, 210, RPT_WAIT_SLEEPING, 'b');
	assert_int_equal(seen.nr, 0);
	assert_int_equal(off.counts.at_start.nr, 1);
	assert_int_equal(off.counts.at_start.sum_ns, 50);
	rpt_off_cpu_release(&off);
}

static void test_off_cpu__reaches_to_the_end(void **state)
{
	struct rpt_off_cpu off;
	struct seen seen;

	(void)state;
	init(&off, &seen);
	out(&off, 5, 200, RPT_WAIT_SLEEPING, 'a');
	out(&off, 6, 210, RPT_WAIT_SLEEPING, 'b');
	out(&off, 7, 220, RPT_WAIT_DEAD, 'c');
	wake(&off, 6, 900);
	rpt_off_cpu_saw(&off, 1000);
	assert_int_equal(rpt_off_cpu_end(&off), 0);
	assert_int_equal(seen.nr, 3);
	assert_seen(&seen, 0, 'a', RPT_WAIT_SLEEPING, 200, 1000);
	assert_seen(&seen, 1, 'b', RPT_WAIT_SLEEPING, 210, 900);
	assert_seen(&seen, 2, 'b', RPT_WAIT_WOKEN, 900, 1000);
	assert_int_equal(off.counts.at_end.nr, 2);
	assert_int_equal(off.counts.at_end.sum_ns, 800 + 790);
	rpt_off_cpu_release(&off);
}

static void test_off_cpu__counts_losses_apart(void **state)
{
	struct rpt_off_cpu off;
	struct seen seen;

	(void)state;
	init(&off, &seen);
	rpt_off_cpu_lost(&off, 150); /* before all of them */
	out(&off, 5, 200, RPT_WAIT_SLEEPING, 'a');
	out(&off, 6, 210, RPT_WAIT_SLEEPING, 'b');
	wake(&off, 5, 300);
	rpt_off_cpu_lost(&off, 350);
	wake(&off, 6, 360); /* maybe out of another interval */
	rpt_off_cpu_in(&off, 5, 400);
	rpt_off_cpu_in(&off, 6, 410);
	out(&off, 5, 500, RPT_WAIT_SLEEPING, 'c');
	rpt_off_cpu_in(&off, 5, 600);
	assert_int_equal(seen.nr, 2);
	assert_seen(&seen, 0, 'a', RPT_WAIT_SLEEPING, 200, 300);
	assert_seen(&seen, 1, 'c', RPT_WAIT_SLEEPING, 500, 600);
	assert_int_equal(off.counts.with_loss.nr, 2);
	assert_int_equal(off.counts.with_loss.sum_ns, 100 + 200);
	rpt_off_cpu_release(&off);
}

static void test_off_cpu__does_not_guess_an_end(void **state)
{
	struct rpt_off_cpu off;
	struct seen seen;

	(void)state;
	init(&off, &seen);
	out(&off, 5, 200, RPT_WAIT_SLEEPING, 'a');
	out(&off, 6, 210, RPT_WAIT_SLEEPING, 'b');
	wake(&off, 6, 300);
	out(&off, 5, 700, RPT_WAIT_SLEEPING, 'c'); /* it ran before */
	out(&off, 6, 710, RPT_WAIT_SLEEPING, 'd');
	rpt_off_cpu_in(&off, 5, 800);
	rpt_off_cpu_in(&off, 6, 705); /* out of order */
	assert_int_equal(seen.nr, 3);
	assert_seen(&seen, 0, 'b', RPT_WAIT_SLEEPING, 210, 300);
	assert_seen(&seen, 1, 'c', RPT_WAIT_SLEEPING, 700, 800);
	assert_seen(&seen, 2, 'd', RPT_WAIT_SLEEPING, 710, 710);
	assert_int_equal(off.counts.with_loss.nr, 2);
	assert_int_equal(off.counts.with_loss.sum_ns, 500 + 410);
	rpt_off_cpu_release(&off);
}

static void test_off_cpu__needs_a_stack(void **state)
{
	struct rpt_off_cpu off;
	struct seen seen;

	(void)state;
	init(&off, &seen);
	out(&off, 5, 200, RPT_WAIT_BLOCKED, 'a');
	rpt_off_cpu_switched(&off, 5, 201, true);
	rpt_off_cpu_switched(&off, 6, 210, false); /* there was no sample */
	rpt_off_cpu_in(&off, 5, 300);
	rpt_off_cpu_in(&off, 6, 310);
	assert_int_equal(seen.nr, 1);
	assert_seen(&seen, 0, 'a', RPT_WAIT_PREEMPTED, 200, 300);
	assert_int_equal(off.counts.with_loss.nr, 1);
	assert_int_equal(off.counts.with_loss.sum_ns, 100);
	rpt_off_cpu_release(&off);
}

static void test_off_cpu__ends_with_the_last_switch(void **state)
{
	struct rpt_off_cpu off;
	struct seen seen;

	(void)state;
	init(&off, &seen);
	assert_int_equal(rpt_off_cpu_exit(&off, 5, 150), 0);
	out(&off, 5, 200, RPT_WAIT_DISK, 'a'); /* it closes its files */
	rpt_off_cpu_in(&off, 5, 300);
	out(&off, 5, 310, RPT_WAIT_DEAD, 'b');
	rpt_off_cpu_switched(&off, 5, 311, false);
	rpt_off_cpu_fork(&off, 5); /* the next one that has the tid */
	rpt_off_cpu_in(&off, 5, 400);
	out(&off, 5, 500, RPT_WAIT_SLEEPING, 'c');
	rpt_off_cpu_exit(&off, 5, 600); /* that it ran before is not known */
	rpt_off_cpu_end(&off);
	assert_int_equal(seen.nr, 1);
	assert_seen(&seen, 0, 'a', RPT_WAIT_DISK, 200, 300);
	assert_int_equal(off.counts.at_start.nr + off.counts.at_end.nr, 0);
	assert_int_equal(off.counts.with_loss.nr, 1);
	assert_int_equal(off.counts.with_loss.sum_ns, 100);
	rpt_off_cpu_release(&off);
}

static void test_off_cpu__is_bounded(void **state)
{
	struct rpt_budget budget = { 0 };
	struct rpt_off_cpu off;
	struct seen seen = { .nr = 0 };

	(void)state;
	rpt_budget_set(&budget, 4096);
	rpt_off_cpu_init(&off, see, &seen, &budget);
	for (uint32_t tid = 1; tid < 10000; tid++)
		assert_int_equal(out(&off, tid, tid, RPT_WAIT_SLEEPING, 'a'),
				 0);
	assert_true(off.tids.table.nr < 200);
	assert_true(off.unfit_nr > 9000);
	rpt_off_cpu_release(&off);
}

static void test_off_cpu__passes_errors_on(void **state)
{
	struct rpt_off_cpu off;
	struct seen seen;

	(void)state;
	init(&off, &seen);
	seen.rc = -EFBIG;
	out(&off, 5, 200, RPT_WAIT_SLEEPING, 'a');
	assert_int_equal(rpt_off_cpu_in(&off, 5, 300), -EFBIG);
	out(&off, 5, 400, RPT_WAIT_SLEEPING, 'a');
	assert_int_equal(rpt_off_cpu_end(&off), -EFBIG);
	rpt_off_cpu_release(&off);
}

static void test_wait_state__is_that_of_the_text(void **state)
{
	static const struct {
		const char *text;
		enum rpt_wait_state state;
	} cases[] = {
		{ "S ==> next_comm=x", RPT_WAIT_SLEEPING },
		{ "D|K ==>", RPT_WAIT_DISK },
		{ "R ==>", RPT_WAIT_RUNNABLE },
		{ "R+ ==>", RPT_WAIT_PREEMPTED },
		{ "T", RPT_WAIT_STOPPED },
		{ "t", RPT_WAIT_TRACED },
		{ "I", RPT_WAIT_IDLE },
		{ "P", RPT_WAIT_PARKED },
		{ "X", RPT_WAIT_DEAD },
		{ "Z", RPT_WAIT_DEAD },
		{ "0x2000", RPT_WAIT_OTHER },
		{ "", RPT_WAIT_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(rpt_wait_state_of(cases[i].text),
				 cases[i].state);
	assert_string_equal(rpt_wait_state_text((enum rpt_wait_state)99),
			    "other");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_off_cpu__reaches_from_switch_to_switch),
		cmocka_unit_test(test_off_cpu__is_parted_by_the_first_wakeup),
		cmocka_unit_test(test_off_cpu__counts_apart_what_has_no_start),
		cmocka_unit_test(test_off_cpu__reaches_to_the_end),
		cmocka_unit_test(test_off_cpu__counts_losses_apart),
		cmocka_unit_test(test_off_cpu__does_not_guess_an_end),
		cmocka_unit_test(test_off_cpu__needs_a_stack),
		cmocka_unit_test(test_off_cpu__ends_with_the_last_switch),
		cmocka_unit_test(test_off_cpu__is_bounded),
		cmocka_unit_test(test_off_cpu__passes_errors_on),
		cmocka_unit_test(test_wait_state__is_that_of_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
