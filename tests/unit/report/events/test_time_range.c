/* --time: spellings and where slices begin and end, as perf 6.1 has them (tried
 * with a recording of a sample each nanosecond). */
#include "report/events/time_range.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))
#define FIRST	    UINT64_C(1000000000)
#define LAST	    UINT64_C(1000000100)

struct good {
	const char *text;
	size_t nr;
	uint64_t start_ns; /* of the first slice */
	uint64_t end_ns;   /* of the last */
};

static void assert_resolves(const struct good *c, bool is_relative)
{
	struct rpt_time_ranges ranges = { 0 };
	struct pd_err err = PD_ERR_INIT;

	if (rpt_time_ranges_parse(&ranges, c->text, &err))
		fail_msg("%s: %s", c->text, err.text);
	rpt_time_ranges_resolve_at(&ranges, is_relative, FIRST, LAST);
	assert_int_equal(ranges.nr, c->nr);
	if (ranges.items[0].start_ns != c->start_ns ||
	    ranges.items[ranges.nr - 1].end_ns != c->end_ns)
		fail_msg("%s: %lu..%lu", c->text, ranges.items[0].start_ns,
			 ranges.items[ranges.nr - 1].end_ns);
	rpt_time_ranges_release(&ranges);
}

static void test_time_range__seconds(void **state)
{
	static const struct good cases[] = {
		{ "1.5,2", 1, 1500000000, 2000000000 },
		{ ",2.000000001", 1, 0, 2000000001 },
		{ "3,", 1, 3000000000, UINT64_MAX },
		{ ",", 1, 0, UINT64_MAX },
		{ ".5,1", 1, 500000000, 1000000000 },
		{ " 1,1", 1, 1000000000, 1000000000 },
		{ "1,2 3,4", 2, 1000000000, 4000000000 },
		{ ",2 4,", 2, 0, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++)
		assert_resolves(&cases[i], false);
}

static void test_time_range__seconds_since_the_first_sample(void **state)
{
	static const struct good cases[] = {
		{ "0.5,1", 1, FIRST + 500000000, FIRST + 1000000000 },
		{ "2,", 1, FIRST + 2000000000, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++)
		assert_resolves(&cases[i], true);
}

static void test_time_range__parts(void **state)
{
	static const struct good cases[] = {
		{ "10%", 1, FIRST, FIRST + 9 },
		{ "100%", 1, FIRST, LAST },
		{ "10%/1", 1, FIRST, FIRST + 9 },
		{ "10%/2", 1, FIRST + 10, FIRST + 19 },
		{ "10%/10", 1, FIRST + 90, LAST },
		{ "10%/1,10%/2", 2, FIRST, FIRST + 19 },
		{ "25% / 4", 1, FIRST + 75, LAST },
		{ "7.5%/2", 1, FIRST + 8, FIRST + 14 },
		{ "0.4%/2", 1, FIRST, FIRST },
		{ "0%-0%", 1, FIRST, FIRST },
		{ "0%-33.3%", 1, FIRST, FIRST + 32 },
		{ "0%-10%,30%-40%", 2, FIRST, FIRST + 39 },
		{ "30%-40%,0%-10%", 2, FIRST + 30, FIRST + 9 },
		{ "10%/2,", 1, FIRST + 10, FIRST + 19 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++)
		assert_resolves(&cases[i], false);
}

static void test_time_range__errors_say_what_is_wrong(void **state)
{
	static const struct {
		const char *text;
		const char *reason;
	} cases[] = {
		{ "", "is no time" },
		{ "  ", "is no time" },
		{ "1", "START,STOP" },
		{ "abc", "no time in seconds" },
		{ ".,1", "no time in seconds" },
		{ "1,2,3", "behind its end" },
		{ "1e0,2", "START,STOP" },
		{ "2,1", "ends before" },
		{ "1,2 2,3", "in order" },
		{ "1, 2,3", "in order" },
		{ "0.0000000001,1", "nine digits" },
		{ "99999999999999999999,", "too large" },
		{ "10%/0", "from 1" },
		{ "10%/11", "beyond" },
		{ "50%-110%", "over 100%" },
		{ "30%-20%", "ends before" },
		{ "10%-20", "lacks a '%'" },
		{ "0-10%", "lacks a '%'" },
		{ "10%/2junk", "behind its end" },
		{ "10%-20%junk", "behind its end" },
		{ "10%,20%", "a list needs parts" },
		{ "0%-10%,,20%-30%", "no percentage" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		struct rpt_time_ranges ranges = { 0 };
		struct pd_err err = PD_ERR_INIT;

		assert_int_equal(
			rpt_time_ranges_parse(&ranges, cases[i].text, &err),
			-EINVAL);
		if (!strstr(err.text, cases[i].reason))
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_null(ranges.items);
	}
}

static void test_time_range__both_ends_are_in_and_no_time_is(void **state)
{
	struct rpt_time_ranges ranges = { 0 };
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	assert_int_equal(rpt_time_ranges_parse(&ranges, "1,2 4,5", &err), 0);
	assert_false(rpt_time_ranges_hold(&ranges, 999999999));
	assert_true(rpt_time_ranges_hold(&ranges, 1000000000));
	assert_true(rpt_time_ranges_hold(&ranges, 2000000000));
	assert_false(rpt_time_ranges_hold(&ranges, 2000000001));
	assert_true(rpt_time_ranges_hold(&ranges, 4500000000));
	assert_false(rpt_time_ranges_hold(&ranges, UINT64_MAX));
	assert_true(rpt_time_ranges_hold(&ranges, 0));
	rpt_time_ranges_release(&ranges);
	assert_true(rpt_time_ranges_hold(&ranges, 7));
}

static void test_time_range__times_without_end_do_not_overflow(void **state)
{
	struct rpt_time_ranges ranges = { 0 };
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	assert_int_equal(rpt_time_ranges_parse(&ranges, "0%-100%", &err), 0);
	rpt_time_ranges_resolve_at(&ranges, false, 0, UINT64_MAX);
	assert_int_equal(ranges.items[0].end_ns, UINT64_MAX);
	rpt_time_ranges_release(&ranges);
	assert_int_equal(rpt_time_ranges_parse(&ranges, "5,6", &err), 0);
	rpt_time_ranges_resolve_at(&ranges, true, UINT64_MAX - 5, UINT64_MAX);
	assert_int_equal(ranges.items[0].start_ns, UINT64_MAX);
	rpt_time_ranges_release(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_range__seconds),
		cmocka_unit_test(
			test_time_range__seconds_since_the_first_sample),
		cmocka_unit_test(test_time_range__parts),
		cmocka_unit_test(test_time_range__errors_say_what_is_wrong),
		cmocka_unit_test(
			test_time_range__both_ends_are_in_and_no_time_is),
		cmocka_unit_test(
			test_time_range__times_without_end_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
