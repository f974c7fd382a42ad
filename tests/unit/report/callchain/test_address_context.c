#include "report/callchain/address_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SPACES_NR 300u

static struct rpt_frame_space space_at(uint32_t i)
{
	return (struct rpt_frame_space){ i % 10, i / 10 % 6, i / 60 };
}

static void test_frame_scopes__each_part_tells_apart(void **state)
{
	struct rpt_address_context scopes = { 0 };
	uint32_t number;

	(void)state;
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < SPACES_NR; i++) {
			struct rpt_frame_space space = space_at(i);

			assert_int_equal(rpt_address_context_number(
						 &scopes, &space, &number),
					 0);
			assert_int_equal(number, i + 1);
			assert_int_equal(
				rpt_address_context_lately(&scopes, &space),
				i + 1);
		}
	}
	rpt_address_context_release(&scopes);
}

static void test_frame_scopes__what_came_long_ago_is_not_lately(void **state)
{
	struct rpt_address_context scopes = { 0 };
	struct rpt_frame_space none = { 0 };
	uint32_t number, known_nr = 0;

	(void)state;
	assert_int_equal(rpt_address_context_lately(&scopes, &none), 0);
	for (uint32_t i = 0; i < SPACES_NR; i++) {
		struct rpt_frame_space space = space_at(i);

		assert_int_equal(
			rpt_address_context_number(&scopes, &space, &number),
			0);
	}
	for (uint32_t i = 0; i < SPACES_NR; i++) {
		struct rpt_frame_space space = space_at(i);

		number = rpt_address_context_lately(&scopes, &space);
		assert_true(!number || number == i + 1);
		known_nr += number > 0;
	}
	assert_in_range(known_nr, 1, RPT_ADDRESS_CONTEXT_LATELY);
	rpt_address_context_release(&scopes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_scopes__each_part_tells_apart),
		cmocka_unit_test(
			test_frame_scopes__what_came_long_ago_is_not_lately),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
