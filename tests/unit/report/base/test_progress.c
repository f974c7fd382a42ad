#include "report/base/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void check(uint64_t done_len, uint64_t total_len, const char *expected)
{
	char text[RPT_PROGRESS_TEXT_LEN];

	rpt_progress_text(done_len, total_len, 3, text);
	assert_string_equal(text, expected);
}

static void test_progress__says_which_reading_it_is(void **state)
{
	(void)state;
	check(0, 0, "reading (3 s)");
	check(0, 200, "reading (3 s)");
	check(90, 200, "reading 45 % (3 s)");
	check(200, 200, "counting and naming (3 s)");
	check(220, 200, "reading again 10 % (3 s)");
	check(399, 200, "reading again 100 % (3 s)");
	check(400, 200, "counting and naming (3 s)");
	check(420, 200, "counting and naming (3 s)");
}

static void test_progress__longest_text_fits(void **state)
{
	char text[RPT_PROGRESS_TEXT_LEN];

	(void)state;
	rpt_progress_text(UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, text);
	assert_string_equal(text, "reading again 0 % (18446744073709551615 s)");
}

/* A second file doubles the total. */
static void test_progress__goes_on_alone(void **state)
{
	struct rpt_progress_place place = { 0, 0 };

	(void)state;
	rpt_progress_advance(&place, 10, 100);
	assert_int_equal(place.done_len, 10);
	rpt_progress_advance(&place, 90, 100);
	rpt_progress_advance(&place, 90, 200);
	assert_int_equal(place.total_len, 100);
	rpt_progress_advance(&place, 190, 200);
	assert_int_equal(place.done_len, 190);
	assert_int_equal(place.total_len, 200);
	rpt_progress_advance(&place, 150, 100);
	rpt_progress_advance(&place, 250, 200);
	assert_int_equal(place.total_len, 100);
}

/* Nothing was started: nothing happens. */
static void test_progress__end_without_start(void **state)
{
	(void)state;
	rpt_progress_total(5);
	rpt_progress_add(5);
	rpt_progress_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_progress__says_which_reading_it_is),
		cmocka_unit_test(test_progress__longest_text_fits),
		cmocka_unit_test(test_progress__goes_on_alone),
		cmocka_unit_test(test_progress__end_without_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
