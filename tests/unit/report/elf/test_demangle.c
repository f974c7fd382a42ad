#include "report/elf/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(const char *mangled, const char *want)
{
	char *got = rpt_demangle(mangled, false);

	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
	free(got);
}

static void test_demangle__cxx_without_parameters(void **state)
{
	(void)state;
	expect("_ZNK2ns3FooIiLi3EE3barERKSt6vectorIiSaIiEEPFiiE",
	       "ns::Foo<int, 3>::bar");
	expect("_Z1fv", "f");
	expect("_ZlsRKN2ns3FooIiLi3EEEl", "operator<<");
	expect("_ZTVSt9exception", "vtable for std::exception");
}

static void test_demangle__cxx_with_parameters(void **state)
{
	char *got =
		rpt_demangle("_ZN2ns3FooIiLi3EE3barERKSt6vectorIiSaIiEE", true);

	(void)state;
	assert_string_equal(got, "ns::Foo<int, 3>::bar(std::vector<int, "
				 "std::allocator<int> > const&)");
	free(got);
}

static void test_demangle__rust_of_both_schemes(void **state)
{
	(void)state;
	expect("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
	       "core::fmt::Formatter::pad");
	expect("_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example");
}

/* "f<A<int, int>, ...>" with nr more arguments "A<S, S>", S being the one
 * before. */
static char *doubled(unsigned nr)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMN";
	static char name[512];
	int len = snprintf(name, sizeof(name), "_Z1fI1AIiiE");

	for (unsigned i = 1; i <= nr; i++)
		len += snprintf(name + len, sizeof(name) - (size_t)len,
				"S0_IS%c_S%c_E", digits[i], digits[i]);
	snprintf(name + len, sizeof(name) - (size_t)len, "EvT_");
	return name;
}

static void test_demangle__a_name_that_doubles(void **state)
{
	char *got = rpt_demangle(doubled(9), false);

	(void)state;
	assert_non_null(got);
	assert_in_range(strlen(got), 16 << 10, 32 << 10);
	free(got);
	expect(doubled(17), NULL);
}

static void test_demangle__other_names_stay(void **state)
{
	(void)state;
	expect("main", NULL);
	expect("_start", NULL);
	expect("", NULL);
	expect("_Z", NULL);
	expect("_R", NULL);
	expect("_ZN", NULL);
	expect("_ZN99999999999999999999a", NULL);
	expect("Z", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangle__cxx_without_parameters),
		cmocka_unit_test(test_demangle__cxx_with_parameters),
		cmocka_unit_test(test_demangle__rust_of_both_schemes),
		cmocka_unit_test(test_demangle__a_name_that_doubles),
		cmocka_unit_test(test_demangle__other_names_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
