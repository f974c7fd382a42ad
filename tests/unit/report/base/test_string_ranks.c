#include "report/base/string_ranks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_name_ranks__order_is_that_of_strcmp(void **state)
{
	static const char *const names[] = { "main", "a", "zero", "a\xc3",
					     "B" };
	struct rpt_string_ranks ranks = { 0 };
	uint32_t numbers[5];

	(void)state;
	for (int i = 0; i < 5; i++)
		numbers[i] = rpt_string_ranks_number(&ranks, names[i]);
	rpt_string_ranks_compute(&ranks);
	for (int i = 0; i < 5; i++)
		for (int k = 0; k < 5; k++)
			assert_int_equal(
				rpt_string_ranks_of(&ranks, numbers[i]) <
					rpt_string_ranks_of(&ranks, numbers[k]),
				strcmp(names[i], names[k]) < 0);
	rpt_string_ranks_release(&ranks);
}

static void test_name_ranks__equal_names_and_none(void **state)
{
	struct rpt_string_ranks ranks = { 0 };
	char again[] = "b";
	uint32_t a, b, c, none;

	(void)state;
	b = rpt_string_ranks_number(&ranks, "b");
	c = rpt_string_ranks_number(&ranks, again);
	a = rpt_string_ranks_number(&ranks, "a");
	none = rpt_string_ranks_number(&ranks, NULL);
	rpt_string_ranks_compute(&ranks);
	assert_int_equal(rpt_string_ranks_of(&ranks, a), 0);
	assert_int_equal(rpt_string_ranks_of(&ranks, b), 1);
	assert_int_equal(rpt_string_ranks_of(&ranks, c), 1);
	assert_int_equal(rpt_string_ranks_of(&ranks, none), RPT_NO_RANK);
	rpt_string_ranks_release(&ranks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name_ranks__order_is_that_of_strcmp),
		cmocka_unit_test(test_name_ranks__equal_names_and_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
