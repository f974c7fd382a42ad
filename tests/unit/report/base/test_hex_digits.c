#include "report/base/hex_digits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>

static void check(uint64_t v)
{
	char want[32], got[64];

	snprintf(want, sizeof(want), "%" PRIx64, v);
	got[rpt_hex_put(got, v)] = '\0';
	assert_string_equal(got, want);
	snprintf(want, sizeof(want), "%16" PRIx64, v);
	rpt_hex_put_wide(got, v);
	got[RPT_HEX_LEN] = '\0';
	assert_string_equal(got, want);
}

static void test_hex_digits__are_printfs(void **state)
{
	(void)state;
	check(0);
	check(UINT64_MAX);
	check(UINT64_C(0xffffffff81000130));
	for (unsigned bit = 0; bit < 64; bit++) {
		check(UINT64_C(1) << bit);
		check((UINT64_C(1) << bit) - 1);
		check(UINT64_C(0x0123456789abcdef) >> bit);
		check(UINT64_C(0xfedcba9876543210) << bit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hex_digits__are_printfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
