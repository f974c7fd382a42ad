#include "report/events/time_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const struct rpt_time_blocks blocks = {
	.nr = 4,
	.len_ns = 10,
	.first_ns = 100,
	.span_ns = 39,
};

static void test_time_blocks__all_times_are_in_one(void **state)
{
	static const struct {
		uint64_t time_ns;
		uint32_t block;
	} cases[] = {
		{ 0, 0 },   { 99, 0 },	       { 100, 0 }, { 109, 0 },
		{ 110, 1 }, { 129, 2 },	       { 130, 3 }, { 139, 3 },
		{ 140, 3 }, { UINT64_MAX, 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(rpt_time_block_at(&blocks, cases[i].time_ns),
				 cases[i].block);
}

static void test_time_blocks__a_span_is_the_times_of_a_block(void **state)
{
	(void)state;
	for (uint32_t b = 0; b < blocks.nr; b++) {
		struct rpt_span span = rpt_time_block_span(&blocks, b);

		for (uint64_t t = 0; t < 200; t++) {
			struct rpt_timestamp when = { t, 5 };

			assert_int_equal(rpt_span_has(&span, when),
					 rpt_time_block_at(&blocks, t) == b);
		}
	}
}

static void test_time_blocks__none_where_there_are_no_times(void **state)
{
	struct rpt_time_question q = {
		.spans[0] = { 100, 900 },
		.is_timeless = true,
	};

	(void)state;
	assert_int_equal(rpt_time_blocks_of(&q, 8).nr, 0);
	q.is_timeless = false;
	assert_int_equal(rpt_time_blocks_of(&q, 8).nr, 8);
	assert_int_equal(rpt_time_blocks_of(&q, 8).len_ns, 101);
	assert_int_equal(rpt_time_blocks_of(&q, 8).span_ns, 800);
	q.spans[0].last_ns = 100;
	assert_int_equal(rpt_time_blocks_of(&q, 8).nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_blocks__all_times_are_in_one),
		cmocka_unit_test(
			test_time_blocks__a_span_is_the_times_of_a_block),
		cmocka_unit_test(
			test_time_blocks__none_where_there_are_no_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
