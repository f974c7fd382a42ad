#include "format/records/callchain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define UNKNOWN_MARK PD_CONTEXT_GUEST

static const uint64_t words[] = {
	10, PD_CONTEXT_KERNEL, 20, UNKNOWN_MARK, 21, PD_CONTEXT_USER, 30,
};
static const struct pd_u64s chain = {
	.raw = (const uint8_t *)words,
	.nr = sizeof(words) / sizeof(words[0]),
};

static void check_address(struct pd_callchain *it, uint64_t ip, uint8_t cpumode)
{
	assert_int_equal(pd_callchain_next(it), PD_CALLCHAIN_ADDRESS);
	assert_int_equal(it->ip, ip);
	assert_int_equal(it->cpumode, cpumode);
}

static void test_callchain__marks_set_the_cpumode(void **state)
{
	struct pd_callchain it = pd_callchain_start(&chain);

	(void)state;
	check_address(&it, 10, PD_CPUMODE_USER);
	check_address(&it, 20, PD_CPUMODE_KERNEL);
	assert_int_equal(pd_callchain_next(&it), PD_CALLCHAIN_UNKNOWN_MARK);
	assert_int_equal(it.ip, UNKNOWN_MARK);
	check_address(&it, 21, PD_CPUMODE_KERNEL);
	check_address(&it, 30, PD_CPUMODE_USER);
	assert_int_equal(pd_callchain_next(&it), PD_CALLCHAIN_END);
}

static void test_callchain__without_marks_all_are_addresses(void **state)
{
	struct pd_callchain it = pd_callchain_start(&chain);
	size_t nr = 0;

	(void)state;
	it.has_no_marks = true;
	while (pd_callchain_next(&it) == PD_CALLCHAIN_ADDRESS)
		assert_int_equal(it.ip, words[nr++]);
	assert_int_equal(nr, chain.nr);
}

static void test_callchain__user_part_is_found_within_a_limit(void **state)
{
	(void)state;
	assert_true(pd_callchain_has_user(&chain, UINT32_MAX));
	assert_true(pd_callchain_has_user(&chain, 6));
	assert_false(pd_callchain_has_user(&chain, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callchain__marks_set_the_cpumode),
		cmocka_unit_test(
			test_callchain__without_marks_all_are_addresses),
		cmocka_unit_test(
			test_callchain__user_part_is_found_within_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
