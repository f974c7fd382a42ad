#include "report/elf/function_stem.h"

#include "report/elf/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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
		{ "<a::Table<i16>>::sum", "<a::Table>::sum" },
		{ "<a::V<u8> as b::Write<(u8, T)>>::flush::<C>",
		  "<a::V as b::Write>::flush::" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(RPT_NAME_TEMPLATE, rows[i][0], rows[i][1]);
}

/* Linker names that two builds of a source have for a function: what
 * gcc 12.2, clang 14 (ThinLTO, -funique-internal-linkage-names) and rustc 1.95
 * (both manglings) emitted. */
static void test_diff_symbol__real_builds_match(void **state)
{
	static const struct {
		enum rpt_name_match level;
		const char *old;
		const char *new;
	} rows[] = {
		{ RPT_NAME_STEM, "_ZL5modalPKlii.constprop.0",
		  "_ZL5modalPKlii" },
		{ RPT_NAME_STEM, "_ZL4partPli.part.0.constprop.0",
		  "_ZL4partPli" },
		{ RPT_NAME_STEM, "_Z7coldishl.cold", "_Z7coldishl" },
		{ RPT_NAME_STEM, "_ZN3acc12_GLOBAL__N_16hiddenEl.constprop.0",
		  "_ZN3acc12_GLOBAL__N_16hiddenEl" },
		{ RPT_NAME_STEM, "_ZL5fieldPK3recll.constprop.0.isra.0",
		  "_ZL5fieldPK3recll" },
		{ RPT_NAME_STEM, "helper.constprop.1", "helper.lto_priv.0" },
		{ RPT_NAME_STEM, "helper.llvm.16409396439103206820",
		  "helper.llvm.8194481235865006647" },
		{ RPT_NAME_STEM,
		  "_ZL6helperll.__uniq."
		  "232818973525641295132665984908393694007",
		  "_ZL6helperll.__uniq."
		  "41368990541884478838111216808559485450" },
		{ RPT_NAME_STEM, "_ZN1r4spin17h3da4c85e8f6d7568E",
		  "_ZN1r4spin17h90bbd1d4c01f4937E" },
		{ RPT_NAME_STEM,
		  "_ZN1r5inner14Table$LT$T$GT$3sum17h62945ba16c9942dfE",
		  "_ZN1r5inner14Table$LT$T$GT$3sum17hc2df869d40894514E" },
		{ RPT_NAME_TEMPLATE, "_RINvCseXFi7XyEBWz_1r4spinsEB2_",
		  "_RINvCsf6efTk4ddCo_1r4spinlEB2_" },
		{ RPT_NAME_TEMPLATE,
		  "_RNvMNtCseXFi7XyEBWz_1r5innerINtB2_5TablesE3sumB4_",
		  "_RNvMNtCsf6efTk4ddCo_1r5innerINtB2_5TablelE3sumB4_" },
		{ RPT_NAME_TEMPLATE, "_ZN3acc4foldIiLi4EE3runEl",
		  "_ZN3acc4foldIlLi8EE3runEl" },
		{ RPT_NAME_TEMPLATE, "_ZN3acc3sumIiEElRSt6vectorIT_SaIS2_EEl",
		  "_ZN3acc3sumIlEElRSt6vectorIT_SaIS2_EEl" },
	};
	char old[128], new[128];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *a = rpt_demangle(rows[i].old, false);
		char *b = rpt_demangle(rows[i].new, false);

		rpt_diff_symbol(a ? a : rows[i].old, rows[i].level, old,
				sizeof(old));
		rpt_diff_symbol(b ? b : rows[i].new, rows[i].level, new,
				sizeof(new));
		assert_string_equal(old, new);
		assert_null(strchr(old, '.'));
		assert_true(strlen(old) > 3);
		free(a);
		free(b);
	}
}

static void test_diff_symbol__cuts_long_names(void **state)
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
		{ "libx.so.1.2.3 (deleted)", "libx.so" },
		{ "libx.so (deleted)", "libx.so" },
		{ "libx.sofa", "libx.sofa" },
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

static void test_diff_name__code_that_a_process_made(void **state)
{
	static const char *const made[] = {
		"/tmp/perf-12.map",
		"/tmp/jitted-12-3.so",
		"jitted-1-10.so",
	};
	static const char *const other[] = {
		"/tmp/perf-12.maps",
		"/tmp/perf-.map",
		"/usr/bin/jitted-12.so",
		"/usr/lib/libjit.so",
		"",
		"[JIT]",
	};
	static const char *const names[][2] = {
		{ "JS:*fib w.js:1:13", "JS:fib w.js:1:13" },
		{ "JS:~fib w.js:1:13", "JS:fib w.js:1:13" },
		{ "JS:^fib w.js:1:13", "JS:fib w.js:1:13" },
		{ "LazyCompile:*fib w.js:1", "JS:fib w.js:1" },
		{ "Function:fib w.js:1", "JS:fib w.js:1" },
		{ "JS:", "JS:" },
		{ "Builtin:~f", "Builtin:~f" },
		{ "py::f:/x.py", "py::f:/x.py" },
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		assert_true(rpt_diff_is_jit(made[i]));
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		assert_false(rpt_diff_is_jit(other[i]));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(
			rpt_diff_jit_symbol(names[i][0], buf, sizeof(buf)),
			names[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_diff_symbol__stem_has_no_suffix_of_compilers),
		cmocka_unit_test(test_diff_symbol__template_has_no_arguments),
		cmocka_unit_test(test_diff_symbol__real_builds_match),
		cmocka_unit_test(test_diff_symbol__cuts_long_names),
		cmocka_unit_test(test_diff_dso__has_no_version),
		cmocka_unit_test(test_diff_name__code_that_a_process_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
