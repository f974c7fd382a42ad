#include "report/cache/name_union.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void add(struct rpt_name_union *names, uint64_t start, const char *text,
		enum pd_carried_source source)
{
	const struct pd_carried_name name = {
		.start = start,
		.len = 16,
		.text = { text, strlen(text) },
		.source = (uint8_t)source,
		.info = 2,
	};

	rpt_name_union_add(names, &name);
}

static void expect(const struct pd_carried_name *name, uint64_t start,
		   const char *text, enum pd_carried_source source)
{
	assert_int_equal(name->start, start);
	assert_int_equal(name->text.len, strlen(text));
	assert_memory_equal(name->text.ptr, text, strlen(text));
	assert_int_equal(name->source, source);
}

/* A slot is demangled, whether a recording has it or an entry that has the
 * demangled text already; a function is left to whoever reads it. */
static void test_name_union__slots_are_demangled(void **state)
{
	static const char mangled[] = "_ZNSs4_Rep9_S_createEmmRKSaIcE";
	struct rpt_name_union names = { 0 };

	(void)state;
	add(&names, 0x200, mangled, PD_CARRIED_SYMTAB);
	add(&names, 0x100, mangled, PD_CARRIED_PLT);
	add(&names, 0x100, "std::string::_Rep::_S_create", PD_CARRIED_PLT);
	add(&names, 0x110, "puts", PD_CARRIED_PLT);
	rpt_name_union_sort(&names);
	assert_int_equal(names.nr, 3);
	expect(&names.items[0], 0x100, "std::string::_Rep::_S_create",
	       PD_CARRIED_PLT);
	expect(&names.items[1], 0x110, "puts", PD_CARRIED_PLT);
	expect(&names.items[2], 0x200, mangled, PD_CARRIED_SYMTAB);
	rpt_name_union_release(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name_union__slots_are_demangled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
