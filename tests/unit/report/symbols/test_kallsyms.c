/* Answers are those of perf 6.1 for the same text (--kallsyms). */
#include "report/symbols/kallsyms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "0000000000000000 A fixed_percpu_data\n"
			   "ffffffff81000000 T startup_64\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000100 t local_a\n"
			   "ffffffff81000100 T global_a\n"
			   "ffffffff81000180 t next_a\n"
			   "ffffffff81000200 t pair_b\n"
			   "ffffffff81000200 W weak_b\n"
			   "ffffffff81000200 t __local_b\n"
			   "ffffffff81000300 T SyS_abcd\n"
			   "ffffffff81000300 T sys_abcd\n"
			   "ffffffff81000500 r rodata\n"
			   "ffffffff81000600 V vsym\n"
			   "ffffffff81000800 d data\n"
			   "ffffffff81000900 b bss\n"
			   "ffffffff81000a00 t $x\n"
			   "not a line\n"
			   "ffffffff82000000 T _etext\n"
			   "ffffffffc0000000 t mod_init\t[ext4]\n"
			   "ffffffffc0000010 t mod_f\t[ext4]\n"
			   "ffffffffc0000010 T mod_alias_long\t[ext4]\n"
			   "ffffffffc0000900 t mod_last\t[ext4]\n"
			   "ffffffffc0004000 t jbd_a\t[jbd2]\n";

static void parse(struct rpt_kallsyms *kallsyms, const char *from)
{
	char *copy = strdup(from);

	assert_non_null(copy);
	rpt_kallsyms_parse(kallsyms, copy, strlen(copy), true);
}

static const char *name_at(struct rpt_symbol_table *table, uint64_t addr)
{
	const struct rpt_symbol *sym = rpt_symbol_table_find(table, addr);

	return sym ? sym->name : "none";
}

static void test_kallsyms__kernel(void **state)
{
	static const struct {
		uint64_t addr;
		const char *name;
	} expected[] = {
		{ 0xffffffff80ffffff, "none" },
		/* the last in the file has an end, the others no length */
		{ 0xffffffff81000000, "_text" },
		{ 0xffffffff810000ff, "_text" },
		{ 0xffffffff81000100, "global_a" },
		{ 0xffffffff81000180, "next_a" },
		{ 0xffffffff81000200, "__local_b" },
		{ 0xffffffff81000300, "sys_abcd" },
		{ 0xffffffff81000500, "sys_abcd" },
		{ 0xffffffff810007ff, "sys_abcd" },
		{ 0xffffffff81000800, "data" },
		{ 0xffffffff81000900, "bss" },
		{ 0xffffffff81000a00, "bss" },
		{ 0xffffffff82000000, "_etext" },
		{ 0xffffffff82000fff, "_etext" },
		{ 0xffffffff82001000, "none" },
		{ 0xffffffffc0000000, "none" },
	};
	struct rpt_kallsyms kallsyms;
	size_t i;

	(void)state;
	parse(&kallsyms, text);
	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_string_equal(name_at(&kallsyms.kernel, expected[i].addr),
				    expected[i].name);
	rpt_kallsyms_release(&kallsyms);
}

static void test_kallsyms__modules(void **state)
{
	struct rpt_symbol_table *ext4, *jbd2;
	struct rpt_kallsyms kallsyms;

	(void)state;
	parse(&kallsyms, text);
	ext4 = rpt_kallsyms_module(&kallsyms, "[ext4]");
	jbd2 = rpt_kallsyms_module(&kallsyms, "[jbd2]");
	assert_non_null(ext4);
	assert_non_null(jbd2);
	assert_null(rpt_kallsyms_module(&kallsyms, "[xfs]"));
	assert_int_equal(ext4->nr, 3);
	assert_string_equal(name_at(ext4, 0xffffffffc000000f), "mod_init");
	assert_string_equal(name_at(ext4, 0xffffffffc0000010),
			    "mod_alias_long");
	/* up to the next module, as far as that is */
	assert_string_equal(name_at(ext4, 0xffffffffc0003fff), "mod_last");
	assert_string_equal(name_at(ext4, 0xffffffffc0004000), "none");
	assert_string_equal(name_at(jbd2, 0xffffffffc0004fff), "jbd_a");
	assert_string_equal(name_at(jbd2, 0xffffffffc0005000), "none");
	rpt_kallsyms_release(&kallsyms);
}

static void test_kallsyms__hidden_addresses(void **state)
{
	struct rpt_kallsyms kallsyms;

	(void)state;
	parse(&kallsyms, "0000000000000000 T _text\n"
			 "0000000000000000 T do_it\n");
	assert_true(kallsyms.is_hidden);
	assert_int_equal(kallsyms.kernel.nr, 0);
	rpt_kallsyms_release(&kallsyms);
	parse(&kallsyms, "");
	assert_false(kallsyms.is_hidden);
	assert_int_equal(kallsyms.kernel.nr, 0);
	rpt_kallsyms_release(&kallsyms);
}

static void test_kallsyms__look_for_a_function(void **state)
{
	char path[] = "/tmp/perfpair-test-XXXXXX";
	int fd = mkstemp(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	uint64_t addr = 1;

	(void)state;
	assert_non_null(file);
	for (unsigned i = 0; i < 100000; i++)
		assert_int_equal(fputc('x', file), 'x');
	fprintf(file, "\n%s", text);
	assert_int_equal(fflush(file), 0);
	assert_true(rpt_kallsyms_look_for(path, "_text", &addr));
	assert_int_equal(addr, 0xffffffff81000000);
	assert_true(rpt_kallsyms_look_for(path, "fixed_percpu_data", &addr));
	assert_int_equal(addr, 0);
	assert_false(rpt_kallsyms_look_for(path, "data", &addr));
	assert_false(rpt_kallsyms_look_for(path, "mod_f", &addr));
	assert_false(rpt_kallsyms_look_for(path, "_stext", &addr));
	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
	assert_false(rpt_kallsyms_look_for(path, "_text", &addr));
	fclose(file);
	unlink(path);
	assert_false(rpt_kallsyms_look_for(path, "_text", &addr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kallsyms__kernel),
		cmocka_unit_test(test_kallsyms__modules),
		cmocka_unit_test(test_kallsyms__hidden_addresses),
		cmocka_unit_test(test_kallsyms__look_for_a_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
