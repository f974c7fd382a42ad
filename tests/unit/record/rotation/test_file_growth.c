#include "record/rotation/file_growth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

static void test_growth__is_foreseen_by_the_last_rate(void **state)
{
	struct rec_file_growth growth = { 0 };

	(void)state;
	rec_file_growth_see(&growth, 100, 1000 * MS);
	assert_false(rec_file_growth_reaches(&growth, 101, 1000 * MS));
	rec_file_growth_see(&growth, 1100, 1010 * MS); /* 100 bytes a ms */
	assert_true(rec_file_growth_reaches(&growth, 2100, 10 * MS));
	assert_false(rec_file_growth_reaches(&growth, 2101, 10 * MS));
	rec_file_growth_see(&growth, 1110, 1020 * MS);
	assert_false(rec_file_growth_reaches(&growth, 2100, 10 * MS));
	rec_file_growth_see(&growth, 1110, 2020 * MS);
	assert_false(rec_file_growth_reaches(&growth, 1111, 1000000 * MS));
	assert_true(rec_file_growth_reaches(&growth, 1110, 0));
}

static void test_growth__short_times_are_put_together(void **state)
{
	struct rec_file_growth growth = { 0 };

	(void)state;
	rec_file_growth_see(&growth, 0, 1 * MS);
	for (uint64_t i = 1; i <= 4; i++)
		rec_file_growth_see(&growth, 1000, (1 + i) * MS);
	assert_int_equal(growth.len, 0);
	rec_file_growth_see(&growth, 1000, 6 * MS);
	assert_true(rec_file_growth_reaches(&growth, 2000, 5 * MS));
	assert_false(rec_file_growth_reaches(&growth, 2001, 5 * MS));
}

static void test_growth__another_file_grows_like_the_one_before(void **state)
{
	struct rec_file_growth growth = { 0 };

	(void)state;
	rec_file_growth_see(&growth, 0, 10 * MS);
	rec_file_growth_see(&growth, 1000, 20 * MS);
	rec_file_growth_see(&growth, 50, 21 * MS);
	assert_true(rec_file_growth_reaches(&growth, 1050, 10 * MS));
	assert_false(rec_file_growth_reaches(&growth, 1051, 10 * MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth__is_foreseen_by_the_last_rate),
		cmocka_unit_test(test_growth__short_times_are_put_together),
		cmocka_unit_test(
			test_growth__another_file_grows_like_the_one_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
