#include "report/diff_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void check(enum rpt_name_match level, const char *name,
		  const char *expected)
{
	char buf[128];

	assert_string_equal(rpt_diff_symbol(name, level, buf, sizeof(buf)),
			    expected);
}

static void test_diff_symbol__stem_has_no_suffix_of_compilers(void **state)
{
	static const char *const rows[][2] = {
		{ "parse.constprop.0", "parse" },
		{ "parse.isra.0.cold", "parse" },
		{ "parse.part.12", "parse" },
		{ "parse.llvm.1234567890", "parse" },
		{ "parse(int) [clone .constprop.3]", "parse(int)" },
		{ "core::fmt::write::h0123456789abcdef", "core::fmt::write" },
		{ "a.partial", "a.partial" },
		{ "node.3", "node.3" },
		{ "h::hash", "h::hash" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		check(RPT_NAME_STEM, rows[i][0], rows[i][1]);
		check(RPT_NAME_EXACT, rows[i][0], rows[i][0]);
	}
}

static void test_diff_symbol__template_has_no_arguments(void **state)
{
	static const char *const rows[][2] = {
		{ "std::vector<int>::push_back(int const&)",
		  "std::vector::push_back" },
		{ "map<a, b<c> >::find(a) const", "map::find const" },
		{ "S::operator<(S const&)", "S::operator<" },
		{ "S::operator<< <int>(S&)", "S::operator<< " },
		{ "S::operator()(int)", "S::operator()" },
		{ "S::operator->()", "S::operator->" },
		{ "f<(E)1>(int)", "f" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(RPT_NAME_TEMPLATE, rows[i][0], rows[i][1]);
}

static void test_diff_symbol__cuts_what_does_not_fit(void **state)
{
	char buf[4];

	(void)state;
	assert_string_equal(
		rpt_diff_symbol("abcdef", RPT_NAME_STEM, buf, sizeof(buf)),
		"abc");
	assert_string_equal(
		rpt_diff_symbol("abcdef", RPT_NAME_EXACT, buf, sizeof(buf)),
		"abc");
}

static void test_diff_dso__has_no_version(void **state)
{
	static const char *const rows[][2] = {
		{ "libssl.so.1.1", "libssl.so" },
		{ "libc-2.31.so", "libc.so" },
		{ "libc.so.6", "libc.so" },
		{ "libx.so.debug", "libx.so.debug" },
		{ "[kernel.kallsyms]", "[kernel.kallsyms]" },
		{ "python3.11", "python3.11" },
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(rpt_diff_dso(rows[i][0], RPT_NAME_STEM, buf,
						 sizeof(buf)),
				    rows[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_diff_symbol__stem_has_no_suffix_of_compilers),
		cmocka_unit_test(test_diff_symbol__template_has_no_arguments),
		cmocka_unit_test(test_diff_symbol__cuts_what_does_not_fit),
		cmocka_unit_test(test_diff_dso__has_no_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
