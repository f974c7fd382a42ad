#include "report/diff/diff_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct rpt_run_event weighed(struct pd_attr attr, bool is_clock,
				    struct rpt_sum *block)
{
	struct rpt_run_event event = {
		.is_clock = is_clock,
		.blocks = block,
		.total = { .period = 500.0, .nr = 1.0 },
	};

	*block = event.total;
	attr.flags = PD_ATTR_FREQ;
	attr.sample_period = 500;
	rpt_run_event_weigh(&event, &attr, 1);
	return event;
}

/* 500 a second: one stands for 2 ms. */
static void test_diff_cells__a_clock_gives_periods(void **state)
{
	struct rpt_sum block;
	struct rpt_run_event event =
		weighed((struct pd_attr){ 0 }, true, &block);

	(void)state;
	assert_true(event.is_weighed);
	assert_true(event.total.period == 2e6);
	assert_true(block.period == 2e6);
	event = weighed((struct pd_attr){ 0 }, false, &block);
	assert_false(event.is_weighed);
	assert_true(event.total.period == 500.0);
}

/* PERF_SAMPLE_READ: periods are what counters counted. */
static void test_diff_cells__recorded_periods_stay(void **state)
{
	static const uint64_t types[] = { PD_SAMPLE_PERIOD, PD_SAMPLE_READ };
	struct rpt_sum block;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct pd_attr attr = { .sample_type = types[i / 2] };
		struct rpt_run_event event = weighed(attr, i % 2, &block);

		assert_true(event.is_weighed);
		assert_true(event.total.period == 500.0);
		assert_true(block.period == 500.0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diff_cells__a_clock_gives_periods),
		cmocka_unit_test(test_diff_cells__recorded_periods_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
