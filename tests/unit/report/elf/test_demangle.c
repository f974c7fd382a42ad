#include "report/elf/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

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
		cmocka_unit_test(test_demangle__other_names_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
