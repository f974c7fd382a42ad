/* Answers are those of perf 6.1 for the same file (elf/names.c). */
#include "report/elf/elf_symbols.h"
#include "report/base/file_map.h"
#include "report/elf/plt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct rpt_elf *file;
static struct rpt_symbol_table table;

static void open_table(const char *path)
{
	struct pd_err err = PD_ERR_INIT;

	file = rpt_elf_open_for(&(struct sup_name){ .path = path }, &err);
	assert_non_null(file);
	rpt_symbol_table_init(&table, false);
	assert_true(rpt_elf_symbols_read(&table, file, PD_ELF_SPACE_FILE));
	rpt_plt_symbols_read(&table, file);
}

static void close_table(void)
{
	rpt_symbol_table_release(&table);
	rpt_elf_close(file);
}

static const char *name_at(uint64_t addr)
{
	const struct rpt_symbol *sym = rpt_symbol_table_find(&table, addr);

	return sym ? sym->name : "none";
}

static void test_elf_symbols__choice_and_ends(void **state)
{
	static const struct {
		uint64_t off; /* in .text */
		const char *name;
	} expected[] = {
		{ 0x00, "_start" },   { 0x0f, "_start" },
		{ 0x10, "longer1" },  { 0x2f, "longer1" },
		{ 0x30, "strong2" },  { 0x4f, "strong2" },
		{ 0x50, "label3" },   { 0x6f, "label3" },
		{ 0x70, "unsized4" }, { 0xb0, "unsized4" },
		{ 0xbf, "unsized4" }, { 0xc0, "object6" },
		{ 0xd0, "label7" },   { 0x100, "sized8" },
		{ 0x11f, "sized8" },  { 0x120, "none" },
		{ 0x13f, "none" },    { 0x140, "outer9" },
		{ 0x150, "inner9" },  { 0x17f, "outer9" },
		{ 0x180, "last10" },
	};
	struct rpt_elf_section text;
	size_t i;

	(void)state;
	open_table(ELF_NAMES);
	assert_true(rpt_elf_section(file, ".text", &text));
	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_string_equal(
			name_at(text.shdr.sh_offset + expected[i].off),
			expected[i].name);
	for (i = 0; i < table.nr; i++)
		assert_string_not_equal(table.syms[i].name, "label11");
	close_table();
}

static void test_elf_symbols__plt_slots(void **state)
{
	struct rpt_elf_section plt, behind;
	size_t i, slots_nr = 0;
	bool has_rand = false, has_plain = false;

	(void)state;
	open_table(ELF_CALLS);
	assert_true(rpt_elf_section(file, ".plt", &plt));
	rpt_symbol_table_index(&table);
	for (i = 0; i < table.nr; i++) {
		const struct rpt_symbol *sym = &table.syms[i];

		if (!sym->is_plt)
			continue;
		slots_nr++;
		assert_in_range(sym->start, plt.shdr.sh_offset + 16,
				plt.shdr.sh_offset + plt.shdr.sh_size - 16);
		sym = rpt_symbol_table_find(&table, sym->start);
		has_rand |= strcmp(sym->name, "rand@plt") == 0;
		has_plain |= strcmp(sym->name, "operator delete@plt") == 0;
	}
	assert_int_equal(slots_nr,
			 3); /* of 4: the first is _init, as in perf */
	assert_true(has_rand);
	assert_true(has_plain);
	/* nor does _init reach over the slots into what follows */
	assert_true(rpt_elf_section(file, ".plt.got", &behind));
	assert_null(rpt_symbol_table_find(&table, behind.shdr.sh_offset));
	assert_string_equal(name_at(plt.shdr.sh_offset + 20), "_init");
	close_table();
}

static void test_elf_symbols__addresses_and_offsets(void **state)
{
	struct rpt_elf_section text;
	uint64_t off, addr;

	(void)state;
	open_table(ELF_NAMES);
	assert_true(rpt_elf_section(file, ".text", &text));
	assert_true(rpt_elf_addr_to_off(file, text.shdr.sh_addr + 5, &off));
	assert_int_equal(off, text.shdr.sh_offset + 5);
	assert_true(rpt_elf_off_to_addr(file, off, &addr));
	assert_int_equal(addr, text.shdr.sh_addr + 5);
	assert_false(rpt_elf_addr_to_off(file, UINT64_MAX, &off));
	assert_false(rpt_elf_off_to_addr(file, UINT64_MAX, &addr));
	close_table();
}

static void test_elf_symbols__other_files_are_refused(void **state)
{
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	assert_null(
		rpt_elf_open_for(&(struct sup_name){ .path = PERFPAIR_SOURCE_DIR
						     "/CMakeLists.txt" },
				 &err));
	assert_int_equal(err.code, -EBADMSG);
	assert_string_equal(err.text, "not an ELF file");
	err.code = 0;
	assert_null(rpt_elf_open_for(&(struct sup_name){ .path = "/dev/null" },
				     &err));
	assert_int_equal(err.code, -EINVAL);
	err.code = 0;
	assert_null(rpt_elf_open_for(
		&(struct sup_name){ .path = "/nonexistent/file" }, &err));
	assert_int_equal(err.code, -ENOENT);
}

static const char *cut_name;

static void note(const char *name, const struct pd_err *err)
{
	assert_non_null(strstr(err->text, "was cut while it was read"));
	cut_name = name;
}

static void test_elf_symbols__none_if_the_file_is_cut(void **state)
{
	char path[] = "/tmp/perfpair-test-XXXXXX";
	int fd = mkstemp(path);
	struct pd_err err = PD_ERR_INIT;
	char command[128];
	Dwarf *debug;

	(void)state;
	assert_true(fd >= 0);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", (int)getpid(),
		 path);
	assert_int_equal(system(command), 0);
	file = rpt_elf_open_for(&(struct sup_name){ .path = path }, &err);
	assert_non_null(file);
	assert_int_equal(ftruncate(fd, 64), 0);
	rpt_symbol_table_init(&table, false);
	rpt_elf_symbols_read(&table, file, PD_ELF_SPACE_FILE);
	assert_int_equal(table.nr, 0);
	debug = rpt_elf_dwarf(file);
	dwarf_end(debug);
	close_table();
	assert_int_equal(rpt_file_maps_report(note), 1);
	assert_string_equal(cut_name, path);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* first: its map puts the handler behind cmocka's own */
		cmocka_unit_test(test_elf_symbols__none_if_the_file_is_cut),
		cmocka_unit_test(test_elf_symbols__choice_and_ends),
		cmocka_unit_test(test_elf_symbols__plt_slots),
		cmocka_unit_test(test_elf_symbols__addresses_and_offsets),
		cmocka_unit_test(test_elf_symbols__other_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
