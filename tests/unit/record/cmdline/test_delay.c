#include "record/cmdline/delay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

static void test_delay__one_number_is_when_they_go_on(void **state)
{
	struct rec_delay delay = { 0 };

	(void)state;
	assert_int_equal(rec_delay_parse("250", &delay, NULL), 0);
	assert_true(delay.is_given);
	assert_int_equal(delay.nr, 1);
	assert_int_equal(delay.at_ms[0], 250);
	rec_delay_release(&delay);
}

static void test_delay__zero_is_none(void **state)
{
	struct rec_delay delay = { 0 };

	(void)state;
	assert_int_equal(rec_delay_parse("0", &delay, NULL), 0);
	assert_false(delay.is_given);
	assert_int_equal(delay.nr, 0);
	rec_delay_release(&delay);
}

static void test_delay__minus_one_waits_for_a_command(void **state)
{
	struct rec_delay delay = { 0 };

	(void)state;
	assert_int_equal(rec_delay_parse("-1", &delay, NULL), 0);
	assert_true(delay.is_given);
	assert_int_equal(delay.nr, 0);
	rec_delay_release(&delay);
}

static void test_delay__ranges_are_on_and_off_in_turn(void **state)
{
	static const uint32_t wanted[] = { 10, 20, 30, 40, 50, 2147483647 };
	struct rec_delay delay = { 0 };

	(void)state;
	assert_int_equal(
		rec_delay_parse("10-20,30-40,50-2147483647", &delay, NULL), 0);
	assert_true(delay.is_given);
	assert_int_equal(delay.nr, 6);
	assert_memory_equal(delay.at_ms, wanted, sizeof(wanted));
	/* the last -D of several counts */
	assert_int_equal(rec_delay_parse("7", &delay, NULL), 0);
	assert_int_equal(delay.nr, 1);
	rec_delay_release(&delay);
}

static void test_delay__what_is_neither_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"x",
		"-",
		"-2",
		"5x",
		"10-",
		"-1-2",
		"20-10",
		"10-10",
		"1-2,",
		"1-2,3",
		"1-2,2-3",
		"5-9,1-2",
		"1-2x",
		"1-2 3-4",
		"2147483648",
		"1-99999999999",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct rec_delay delay = { 0 };
		struct pd_err err = PD_ERR_INIT;

		assert_int_equal(rec_delay_parse(texts[i], &delay, &err),
				 -EINVAL);
		assert_null(delay.at_ms);
		assert_true(err.hint[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delay__one_number_is_when_they_go_on),
		cmocka_unit_test(test_delay__zero_is_none),
		cmocka_unit_test(test_delay__minus_one_waits_for_a_command),
		cmocka_unit_test(test_delay__ranges_are_on_and_off_in_turn),
		cmocka_unit_test(test_delay__what_is_neither_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
