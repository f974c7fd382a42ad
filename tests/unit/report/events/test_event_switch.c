#include "report/events/event_switch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct pd_event on, off;

static struct rpt_timestamp at(uint64_t time_ns)
{
	return (struct rpt_timestamp){ time_ns, time_ns };
}

/* on at 10, 20 and 50; off at 30, 40 and 70: added in no order */
static void fill(struct rpt_event_switch *sw)
{
	static const uint64_t ons[] = { 50, 10, 20 };
	static const uint64_t offs[] = { 70, 30, 40 };

	for (size_t i = 0; i < 3; i++) {
		rpt_event_switch_add(sw, at(ons[i]), &on);
		rpt_event_switch_add(sw, at(offs[i]), &off);
	}
	rpt_event_switch_sort(sw);
}

static void test_event_switch__passes_what_is_between(void **state)
{
	struct rpt_event_switch sw = { .on = &on, .off = &off };

	(void)state;
	fill(&sw);
	assert_int_equal(sw.nr, 4);
	assert_false(rpt_event_switch_passes(&sw, at(5)));
	assert_false(rpt_event_switch_passes(&sw, at(10))); /* it switches */
	assert_true(rpt_event_switch_passes(&sw, at(15)));
	assert_true(rpt_event_switch_passes(&sw, at(20))); /* on already */
	assert_false(rpt_event_switch_passes(&sw, at(30)));
	assert_false(rpt_event_switch_passes(&sw, at(45)));
	assert_true(rpt_event_switch_passes(&sw, at(60)));
	assert_false(rpt_event_switch_passes(&sw, at(1000)));
	rpt_event_switch_release(&sw);
}

static void test_event_switch__may_show_what_switches(void **state)
{
	struct rpt_event_switch sw = { .on = &on, .off = &off, .show = true };

	(void)state;
	fill(&sw);
	assert_true(rpt_event_switch_passes(&sw, at(10)));
	assert_true(rpt_event_switch_passes(&sw, at(30)));
	assert_false(rpt_event_switch_passes(&sw, at(40)));
	rpt_event_switch_release(&sw);
}

static void test_event_switch__off_alone_is_the_end(void **state)
{
	struct rpt_event_switch sw = { .off = &off };

	(void)state;
	rpt_event_switch_add(&sw, at(30), &off);
	rpt_event_switch_add(&sw, at(20), &off);
	rpt_event_switch_sort(&sw);
	assert_true(rpt_event_switch_passes(&sw, at(19)));
	assert_false(rpt_event_switch_passes(&sw, at(20)));
	assert_false(rpt_event_switch_passes(&sw, at(21)));
	assert_false(rpt_event_switch_passes(&sw, at(31)));
	rpt_event_switch_release(&sw);
}

static void test_event_switch__of_nothing_passes_all(void **state)
{
	struct rpt_event_switch sw = { 0 };

	(void)state;
	assert_true(rpt_event_switch_passes(&sw, at(1)));
}

static void test_event_switch__takes_samples_in_order(void **state)
{
	struct rpt_event_switch sw = { .on = &on, .off = &off };
	struct rpt_event_switch toggle = { .on = &on,
					   .off = &on,
					   .show = true };
	const struct pd_event other = { 0 };

	(void)state;
	assert_false(rpt_event_switch_next(&sw, &off));
	assert_false(rpt_event_switch_next(&sw, &on)); /* it switches */
	assert_true(rpt_event_switch_next(&sw, &on));
	assert_true(rpt_event_switch_next(&sw, &other));
	assert_false(rpt_event_switch_next(&sw, &off));
	assert_false(rpt_event_switch_next(&sw, &other));
	assert_true(rpt_event_switch_next(&toggle, &on));
	assert_true(rpt_event_switch_next(&toggle, &other));
	assert_true(rpt_event_switch_next(&toggle, &on));
	assert_false(rpt_event_switch_next(&toggle, &other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_switch__passes_what_is_between),
		cmocka_unit_test(test_event_switch__may_show_what_switches),
		cmocka_unit_test(test_event_switch__off_alone_is_the_end),
		cmocka_unit_test(test_event_switch__of_nothing_passes_all),
		cmocka_unit_test(test_event_switch__takes_samples_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
