/* Windows give the answers of a table of all symbols. */
#include "report/elf/symbol_windows.h"

#include "report/base/memory.h"
#include "report/elf/elf_symbols.h"
#include "report/elf/plt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#define SYMS_NR	  2000u
#define NAMES_NR  100u
#define NAME_LEN  16u
#define SLOTS_MAX 100u
#define SLOT_LEN  16u
#define TEXT_LEN  0x20000u
#define TEXT_ADDR 0x400000u
#define PLT_START 0x7fe8u /* its first slot is across a page */
#define STEP	  61u	  /* between addresses that are asked for */

enum { TEXT = 1, SYMTAB, STRTAB, DYNSYM, PLT, RELAS, SECTIONS_NR };

static const char *const section_names[SECTIONS_NR] = {
	"", ".text", ".symtab", ".strtab", ".dynsym", ".plt", ".rela.plt",
};

/* A file in memory; what .text and .plt have is never read. */
struct image {
	Elf64_Ehdr ehdr;
	Elf64_Phdr load;
	Elf64_Shdr sections[SECTIONS_NR];
	Elf64_Sym syms[SYMS_NR];
	Elf64_Sym dynsyms[2];
	Elf64_Rela relas[SLOTS_MAX];
	char names[NAMES_NR + SECTIONS_NR][NAME_LEN];
};

struct shape {
	uint64_t start_mask; /* of symbols: what bits of their starts differ */
	uint64_t size_mask;
	uint32_t long_one_in; /* reaches over others; 0: none does */
	uint32_t slots_nr;
};

static uint32_t seed;

static uint32_t some(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}

static void set_section(struct image *image, unsigned idx, Elf64_Word type,
			Elf64_Shdr section)
{
	section.sh_type = type;
	section.sh_name = (NAMES_NR + idx) * NAME_LEN;
	image->sections[idx] = section;
}

static void set_sections(struct image *image, const struct shape *shape)
{
	set_section(image, TEXT, SHT_NOBITS,
		    (Elf64_Shdr){ .sh_addr = TEXT_ADDR, .sh_size = TEXT_LEN });
	set_section(image, SYMTAB, SHT_SYMTAB,
		    (Elf64_Shdr){ .sh_offset = offsetof(struct image, syms),
				  .sh_size = sizeof(image->syms),
				  .sh_link = STRTAB,
				  .sh_entsize = sizeof(Elf64_Sym) });
	set_section(image, STRTAB, SHT_STRTAB,
		    (Elf64_Shdr){ .sh_offset = offsetof(struct image, names),
				  .sh_size = sizeof(image->names) });
	set_section(image, DYNSYM, SHT_DYNSYM,
		    (Elf64_Shdr){ .sh_offset = offsetof(struct image, dynsyms),
				  .sh_size = sizeof(image->dynsyms),
				  .sh_link = STRTAB,
				  .sh_entsize = sizeof(Elf64_Sym) });
	set_section(
		image, PLT, SHT_NOBITS,
		(Elf64_Shdr){ .sh_offset = PLT_START, .sh_entsize = SLOT_LEN });
	set_section(
		image, RELAS, SHT_RELA,
		(Elf64_Shdr){ .sh_offset = offsetof(struct image, relas),
			      .sh_size = shape->slots_nr * sizeof(Elf64_Rela),
			      .sh_link = DYNSYM,
			      .sh_entsize = sizeof(Elf64_Rela) });
}

static void set_names(struct image *image)
{
	for (unsigned i = 1; i < NAMES_NR; i++)
		snprintf(image->names[i], NAME_LEN,
			 i % 3 ? "%.*sf%u" : "_ZN%.*s1f%uC%uEv",
			 (int)(i % 3 ? some() % 3 : 0), "__",
			 i % 3 ? i : 4 + i % 2, i % 3 ? 0 : 1 + some() % 2);
	for (unsigned i = 0; i < SECTIONS_NR; i++)
		snprintf(image->names[NAMES_NR + i], NAME_LEN, "%s",
			 section_names[i]);
}

static void set_symbols(struct image *image, const struct shape *shape)
{
	static const uint8_t bindings[] = { STB_LOCAL, STB_GLOBAL, STB_WEAK };
	static const uint8_t types[] = { STT_FUNC, STT_FUNC, STT_OBJECT,
					 STT_NOTYPE, STT_SECTION };

	for (unsigned i = 1; i < SYMS_NR; i++) {
		bool is_long =
			shape->long_one_in && some() % shape->long_one_in == 0;
		uint64_t start = some() & shape->start_mask;

		image->syms[i] = (Elf64_Sym){
			/* the first name is empty */
			.st_name = some() % NAMES_NR * NAME_LEN,
			.st_info = (uint8_t)ELF64_ST_INFO(
				bindings[some() % sizeof(bindings)],
				types[some() % sizeof(types)]),
			.st_shndx = TEXT,
			.st_value = TEXT_ADDR + start,
			.st_size = is_long ? some() % TEXT_LEN
					   : some() & shape->size_mask,
		};
	}
	image->dynsyms[1].st_name = NAME_LEN;
	for (unsigned i = 0; i < SLOTS_MAX; i++)
		image->relas[i].r_info = ELF64_R_INFO(1, R_X86_64_JUMP_SLOT);
}

static struct rpt_elf *open_image(const struct shape *shape)
{
	struct image *image = rpt_alloc_zeroed(1, sizeof(*image));
	struct pd_err err = PD_ERR_INIT;
	struct rpt_elf *file;

	image->ehdr = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = offsetof(struct image, load),
		.e_shoff = offsetof(struct image, sections),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS_NR,
		.e_shstrndx = STRTAB,
	};
	image->load = (Elf64_Phdr){ .p_type = PT_LOAD,
				    .p_vaddr = TEXT_ADDR,
				    .p_filesz = TEXT_LEN,
				    .p_memsz = TEXT_LEN };
	set_sections(image, shape);
	set_names(image);
	set_symbols(image, shape);
	file = rpt_elf_open_memory((char *)image, sizeof(*image), &err);
	assert_non_null(file);
	return file;
}

static void read_all(struct rpt_symbol_table *table, const struct rpt_elf *file)
{
	rpt_symbol_table_init(table, false);
	assert_true(rpt_elf_symbols_read(table, file, PD_ELF_SPACE_FILE));
	if (table->nr)
		rpt_plt_symbols_read(table, file);
}

static struct rpt_symbol_windows *windows_of(const struct rpt_elf *file)
{
	const struct rpt_symbol_windows_conf conf = { .sources = { file },
						      .runtime = file };
	struct pd_err err = PD_ERR_INIT;
	struct rpt_symbol_windows *windows =
		rpt_symbol_windows_new(&conf, &err);

	assert_non_null(windows);
	return windows;
}

static void check_symbol(const struct rpt_symbol *sym,
			 const struct rpt_symbol *expected)
{
	assert_int_equal(!sym, !expected);
	if (!sym || !expected)
		return;
	assert_int_equal(sym->start, expected->start);
	assert_int_equal(sym->end, expected->end);
	assert_string_equal(sym->name, expected->name);
	assert_int_equal(sym->binding, expected->binding);
	assert_int_equal(sym->is_plt, expected->is_plt);
}

/* Ask for one address. */
static void check(struct rpt_symbol_windows *windows,
		  struct rpt_symbol_table *table, uint64_t addr)
{
	struct rpt_addr_range range = RPT_RANGE_ALL;
	const struct rpt_symbol *sym =
		rpt_symbol_windows_find(windows, addr, &range);
	const struct rpt_symbol *expected = rpt_symbol_table_find(table, addr);

	check_symbol(sym, expected);
	assert_true(range.first <= addr && addr <= range.last);
	assert_ptr_equal(expected, rpt_symbol_table_find(table, range.first));
	assert_ptr_equal(expected, rpt_symbol_table_find(table, range.last));
}

/* Ask for some addresses of a file anew each time, then for all of them. */
static void check_file(const struct rpt_elf *file, uint64_t len, uint64_t step)
{
	struct rpt_symbol_windows *windows;
	struct rpt_symbol_table table;

	read_all(&table, file);
	for (uint64_t addr = 0; addr < len; addr += step * 64) {
		windows = windows_of(file);
		for (unsigned i = 0; i < 8; i++)
			check(windows, &table, addr + i * step);
		rpt_symbol_windows_free(windows);
	}
	windows = windows_of(file);
	for (uint64_t addr = 0; addr < len; addr += step)
		check(windows, &table, addr);
	check(windows, &table, UINT64_MAX);
	rpt_symbol_windows_free(windows);
	rpt_symbol_table_release(&table);
}

static void test_symbol_windows__made_up_files(void **state)
{
	static const struct shape shapes[] = {
		{ TEXT_LEN - 1, 0, 0, 0 },
		{ TEXT_LEN - 1, 0x3f, 0, 0 },
		{ TEXT_LEN - 1, 0x3f, 0, 1 },
		{ TEXT_LEN - 1, 0x7f, 0, 2 },
		{ TEXT_LEN - 1, 0x3f, 0, 100 },
		{ TEXT_LEN - 1, 0x3f, 500, 100 },
		{ TEXT_LEN - 1, 0x1ff, 3, 20 },
		{ 0x1f0f0, 0x3f, 0, 100 },
		{ 0x1f0f0, 0x70, 500, 100 },
		{ 0x10070, 0x3ff, 1000, 0 },
		{ 0, 0x3f, 0, 3 },
		/* none starts behind the first slots */
		{ 0x17fff, 0, 0, 100 },
		{ 0x17fff, 0x3f, 0, 100 },
		{ 0x17fff, 0x3f, 0, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct rpt_elf *file = open_image(&shapes[i]);

		check_file(file, TEXT_LEN + 0x1000, STEP);
		rpt_elf_close(file);
	}
}

static void set_place(struct rpt_elf *file, unsigned idx, uint64_t start,
		      uint64_t size)
{
	Elf64_Sym *sym = &((struct image *)(void *)file->memory)->syms[idx];

	sym->st_name = NAME_LEN;
	sym->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	sym->st_value = TEXT_ADDR + start;
	sym->st_size = size;
}

/* The first slot, and the second of two, has no name if a symbol covers its
 * start, be it one that ends before the addresses that are asked for. */
static void test_symbol_windows__slots_across_buckets(void **state)
{
	static const uint32_t slots_nrs[] = { 1, 2, 3 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const struct shape shape = { 0x17dff, 0x3f, 0, slots_nrs[i] };
		struct rpt_elf *file = open_image(&shape);
		struct rpt_symbol_table table;

		set_place(file, 1, PLT_START - 0x1000, 0x1000 + SLOT_LEN + 4);
		set_place(file, 2, PLT_START - 0x40, 4);
		read_all(&table, file);
		for (unsigned b = 0; b < 5 * SLOT_LEN; b++) {
			struct rpt_symbol_windows *windows = windows_of(file);

			check(windows, &table, PLT_START + b);
			rpt_symbol_windows_free(windows);
		}
		rpt_symbol_table_release(&table);
		rpt_elf_close(file);
	}
}

static void test_symbol_windows__programs(void **state)
{
	static const char *const paths[] = { ELF_NAMES, ELF_CALLS,
					     "/proc/self/exe" };
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct rpt_elf *file = rpt_elf_open_for(
			&(struct sup_name){ .path = paths[i] }, &err);

		assert_non_null(file);
		check_file(file, 0x8000, 1);
		rpt_elf_close(file);
	}
}

/* A long symbol is one, whichever of its addresses is asked for. */
static void test_symbol_windows__a_symbol_is_one(void **state)
{
	static const struct shape shape = { TEXT_LEN - 1, 0x3f, 100, 0 };
	struct rpt_elf *file = open_image(&shape);
	struct rpt_symbol_windows *windows = windows_of(file);
	const struct rpt_symbol *seen[TEXT_LEN] = { NULL };
	struct rpt_addr_range range;

	(void)state;
	for (uint64_t addr = 0; addr < TEXT_LEN; addr += STEP) {
		const struct rpt_symbol *sym;

		range = RPT_RANGE_ALL;
		sym = rpt_symbol_windows_find(windows, addr, &range);
		if (!sym)
			continue;
		if (seen[sym->start])
			assert_ptr_equal(sym, seen[sym->start]);
		seen[sym->start] = sym;
	}
	rpt_symbol_windows_free(windows);
	rpt_elf_close(file);
}

static void test_symbol_windows__no_names_if_damaged(void **state)
{
	static const struct shape shape = { TEXT_LEN - 1, 0x3f, 0, 0 };
	struct rpt_elf *file = open_image(&shape);
	struct rpt_symbol_windows_conf conf = { .sources = { file },
						.runtime = file };
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	file->image.sections[SYMTAB].off = UINT64_MAX / 2;
	assert_null(rpt_symbol_windows_new(&conf, &err));
	assert_int_equal(err.code, -EBADMSG);
	err.code = 0;
	file->image.sections[SYMTAB].len = UINT64_C(24) << 24;
	assert_null(rpt_symbol_windows_new(&conf, &err));
	assert_int_equal(err.code, -EFBIG);
	rpt_elf_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbol_windows__made_up_files),
		cmocka_unit_test(test_symbol_windows__slots_across_buckets),
		cmocka_unit_test(test_symbol_windows__programs),
		cmocka_unit_test(test_symbol_windows__a_symbol_is_one),
		cmocka_unit_test(test_symbol_windows__no_names_if_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
