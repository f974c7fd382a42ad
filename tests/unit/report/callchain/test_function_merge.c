#include "report/callchain/function_merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* A function of DSO 1. */
static struct rpt_place function(uint32_t name, uint64_t start, uint32_t build)
{
	return (struct rpt_place){
		.start = start,
		.end = start + 16,
		.dso = 1,
		.name = name,
		.build = build,
	};
}

static uint32_t number(struct rpt_function_merge *merge, struct rpt_place place,
		       uint32_t input)
{
	place.input = input;
	return rpt_function_merge_number(merge, &place);
}

static void test_function_merge__equal_names_of_two_recordings_are_one(void **s)
{
	struct rpt_function_merge merge = { .nr = 0 };
	struct rpt_place other_dso = function(7, 0x100, 0);
	struct rpt_place inlined = function(7, 0x100, 0);
	uint32_t place;

	(void)s;
	other_dso.dso = 2;
	inlined.inlined = 3;
	place = number(&merge, function(7, 0x100, 0), 0);
	assert_int_equal(number(&merge, function(7, 0x100, 0), 0), place);
	assert_int_equal(number(&merge, function(7, 0x900, 0), 1), place);
	assert_int_equal(number(&merge, function(7, 0x100, 0), 2), place);
	assert_int_not_equal(number(&merge, function(8, 0x100, 0), 1), place);
	assert_int_not_equal(number(&merge, other_dso, 1), place);
	assert_int_not_equal(number(&merge, inlined, 1), place);
	rpt_function_merge_release(&merge);
}

static void test_function_merge__functions_of_one_recording_stay_apart(void **s)
{
	struct rpt_function_merge merge = { .nr = 0 };
	uint32_t first, second;

	(void)s;
	first = number(&merge, function(7, 0x100, 0), 0);
	second = number(&merge, function(7, 0x200, 0), 0);
	assert_int_not_equal(first, second);
	/* each of the other one's two finds one of them, whichever */
	assert_int_equal(number(&merge, function(7, 0x110, 0), 1) +
				 number(&merge, function(7, 0x210, 0), 1),
			 first + second);
	assert_true(number(&merge, function(7, 0x310, 0), 1) > second);
	rpt_function_merge_release(&merge);
}

static void test_function_merge__order_of_functions_does_not_matter(void **s)
{
	struct rpt_function_merge merge = { .nr = 0 };
	struct rpt_place a = function(7, 0x100, 0);
	struct rpt_place b = function(7, 0x200, 0);
	uint32_t first, second;

	(void)s;
	first = number(&merge, a, 0);
	assert_int_equal(number(&merge, b, 1), first);
	second = number(&merge, a, 1);
	assert_int_not_equal(second, first);
	assert_int_equal(number(&merge, b, 1), first);
	assert_int_equal(number(&merge, b, 0), second);
	/* where there is one of the same addresses, that one */
	assert_int_equal(number(&merge, function(7, 0x300, 0), 1), 2);
	assert_int_equal(number(&merge, function(7, 0x300, 0), 0), 2);
	rpt_function_merge_release(&merge);
}

static void test_function_merge__addresses_decide_within_a_build(void **s)
{
	struct rpt_function_merge merge = { .nr = 0 };
	uint32_t first;

	(void)s;
	first = number(&merge, function(7, 0x100, 5), 0);
	assert_int_not_equal(number(&merge, function(7, 0x200, 5), 1), first);
	assert_int_equal(number(&merge, function(7, 0x100, 5), 1), first);
	assert_true(number(&merge, function(7, 0x300, 6), 2) < 2);
	rpt_function_merge_release(&merge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_function_merge__equal_names_of_two_recordings_are_one),
		cmocka_unit_test(
			test_function_merge__functions_of_one_recording_stay_apart),
		cmocka_unit_test(
			test_function_merge__order_of_functions_does_not_matter),
		cmocka_unit_test(
			test_function_merge__addresses_decide_within_a_build),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
