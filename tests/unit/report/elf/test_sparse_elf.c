#include "report/elf/sparse_elf.h"

#include "report/elf/elf_symbols.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT(s)                  \
	{                        \
		s, sizeof(s) - 1 \
	}
#define FUNC(bind) ELF64_ST_INFO(bind, STT_FUNC)

static struct pd_elf_segment segments[] = {
	{ 0, 0x400000, 0x800 },
	{ 0x1000, 0x402000, 0x2000 },
	{ 0x5000, 0x409000, 0x100000 },
};

static const struct pd_carried_name names[] = {
	{ 0x1000, 0x20, TEXT("outer"), PD_CARRIED_SYMTAB, FUNC(STB_GLOBAL) },
	{ 0x1020, 0, TEXT("alias"), PD_CARRIED_SYMTAB, FUNC(STB_WEAK) },
	{ 0x1020, 0x10, TEXT("inner"), PD_CARRIED_SYMTAB, FUNC(STB_LOCAL) },
	{ 0x1040, 0x10, TEXT("puts"), PD_CARRIED_PLT, 0 },
	{ 0x1050, 0x10, TEXT(""), PD_CARRIED_PLT, 0 },
	{ 0x1060, 0x10, TEXT(""), PD_CARRIED_FDE, 0 },
	{ 0x1070, 0x10, TEXT("\x1b[2J"), PD_CARRIED_SYMTAB, FUNC(STB_GLOBAL) },
	{ 0x4000, 0x10, TEXT("nowhere"), PD_CARRIED_SYMTAB, FUNC(STB_GLOBAL) },
};

static struct pd_carried_file made_file(void)
{
	return (struct pd_carried_file){
		.kind = PD_CARRIED_ELF,
		.build_id = { 1, 2, 3, 4, 5 },
		.build_id_len = 5,
		.is_64 = true,
		.machine = EM_X86_64,
		.type = ET_DYN,
		.segments = segments,
		.segment_nr = 3,
		.names = names,
		.name_nr = sizeof(names) / sizeof(names[0]),
	};
}

static const struct rpt_sparse_code no_code;

static struct rpt_elf *written(const struct pd_carried_file *file,
			       uint32_t expected_nr)
{
	struct pd_err err = PD_ERR_INIT;
	int fd = memfd_create("sparse", MFD_CLOEXEC);
	struct rpt_elf *elf;
	uint32_t nr;

	assert_true(fd >= 0);
	assert_int_equal(rpt_sparse_elf_write(fd, file, &no_code, &nr, &err),
			 0);
	assert_int_equal(nr, expected_nr);
	elf = rpt_elf_open_fd(fd, &err);
	assert_non_null(elf);
	return elf;
}

static void assert_name(struct rpt_symbol_table *table, uint64_t off,
			const char *name)
{
	const struct rpt_symbol *sym = rpt_symbol_table_find(table, off);

	if (!name)
		assert_null(sym);
	else
		assert_string_equal(sym ? sym->name : "none", name);
}

static void assert_names(const struct rpt_elf *elf)
{
	struct rpt_symbol_table table;

	rpt_symbol_table_init(&table, false);
	assert_true(rpt_elf_symbols_read(&table, elf, PD_ELF_SPACE_FILE));
	assert_name(&table, 0xfff, NULL);
	assert_name(&table, 0x101f, "outer");
	assert_name(&table, 0x1020, "inner");
	assert_name(&table, 0x104f, "puts@plt");
	assert_name(&table, 0x1050, "@plt");
	assert_name(&table, 0x1060, NULL);
	assert_name(&table, 0x1070, NULL);
	assert_name(&table, 0x4000, NULL);
	rpt_symbol_table_release(&table);
}

static void test_sparse_elf__has_names_where_they_were(void **state)
{
	(void)state;
	/* both classes, both byte orders */
	for (unsigned i = 0; i < 4; i++) {
		struct pd_carried_file file = made_file();
		struct rpt_elf_section section;
		struct rpt_elf *elf;
		uint8_t id[20];

		file.is_64 = i & 1;
		file.is_big_endian = i & 2;
		elf = written(&file, 5);
		assert_true(rpt_elf_is_sparse(elf));
		assert_names(elf);
		assert_int_equal(rpt_elf_build_id(elf, id), 5);
		assert_memory_equal(id, file.build_id, 5);
		assert_int_equal(elf->ehdr.e_machine, EM_X86_64);
		assert_int_equal(elf->ehdr.e_type, ET_DYN);
		assert_int_equal(elf->ehdr.e_ident[EI_CLASS],
				 i & 1 ? ELFCLASS64 : ELFCLASS32);
		assert_int_equal(elf->ehdr.e_ident[EI_DATA],
				 i & 2 ? ELFDATA2MSB : ELFDATA2LSB);
		assert_int_equal(elf->loads_nr, 3);
		assert_int_equal(elf->loads[1].p_vaddr, 0x402000);
		assert_int_equal(elf->loads[1].p_flags, PF_R | PF_X);
		assert_int_equal(elf->loads[2].p_flags, PF_R);
		assert_true(rpt_elf_section(elf, ".text", &section));
		assert_int_equal(section.shdr.sh_type, SHT_NOBITS);
		assert_int_equal(section.shdr.sh_addr, 0x402000);
		assert_true(rpt_elf_section(elf, ".symtab", &section));
		assert_int_equal(section.shdr.sh_info, 2); /* one is local */
		assert_true(section.shdr.sh_offset >= 0x105000);
		rpt_elf_close(elf);
	}
}

static void test_sparse_elf__has_code_where_it_was(void **state)
{
	static const uint8_t bytes[] = { 0x55, 0x90, 0xc3, 0xcc };
	const struct pd_carried_run runs[] = {
		{ .off = 0x10, .data = bytes, .len = 4 }, /* in the head */
		{ .off = 0x2100, .data = bytes, .len = 4 },
		{ .off = 0x2200, .data = bytes, .len = 2 },
		{ .off = 0x900000, .data = bytes, .len = 4 }, /* in none */
	};
	const struct rpt_sparse_code code = { runs, 4 };
	struct pd_carried_file file = made_file();
	int fd = memfd_create("sparse", MFD_CLOEXEC);
	struct pd_err err = PD_ERR_INIT;
	struct rpt_elf_section section;
	uint32_t nr, found_nr = 0;
	struct rpt_elf *elf;

	(void)state;
	assert_int_equal(rpt_sparse_elf_write(fd, &file, &code, &nr, &err), 0);
	elf = rpt_elf_open_fd(fd, &err);
	assert_non_null(elf);
	for (size_t i = 1; rpt_elf_section_at(elf, i, &section); i++) {
		const Elf_Data *data;

		if (section.shdr.sh_type != SHT_PROGBITS)
			continue;
		data = elf_rawdata(section.scn, NULL);
		assert_int_equal(section.shdr.sh_offset,
				 runs[1 + found_nr].off);
		assert_int_equal(data->d_size, runs[1 + found_nr].len);
		assert_memory_equal(data->d_buf, bytes, data->d_size);
		found_nr++;
	}
	assert_int_equal(found_nr, 2);
	assert_true(rpt_elf_is_sparse(elf));
	rpt_elf_close(elf);
}

static void test_sparse_elf__is_a_hole(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct pd_carried_file file = made_file();
	int fd = memfd_create("sparse", MFD_CLOEXEC);
	struct stat st;
	uint32_t nr;

	(void)state;
	assert_int_equal(rpt_sparse_elf_write(fd, &file, &no_code, &nr, &err),
			 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_size > 0x105000);
	assert_true(st.st_blocks * 512 <= 4 * 4096);
	close(fd);
}

static void test_sparse_elf__segments_out_of_reach(void **state)
{
	static const struct pd_elf_segment bad[] = {
		{ UINT64_MAX - 5, 0, 10 },
		{ 0, 0, UINT64_MAX },
		{ UINT64_C(1) << 40, 0x1000, 0x1000 },
	};
	struct pd_carried_file file = made_file();

	(void)state;
	file.segment_nr = 1;
	for (unsigned i = 0; i < 3; i++) {
		struct pd_elf_segment segment = bad[i];
		struct pd_err err = PD_ERR_INIT;
		int fd = memfd_create("sparse", MFD_CLOEXEC);
		struct stat st;
		uint32_t nr;

		file.segments = &segment;
		assert_int_equal(
			rpt_sparse_elf_write(fd, &file, &no_code, &nr, &err),
			-EFBIG);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_size, 0);
		close(fd);
	}
	/* 32 bits do not reach so far */
	segments[2].off = UINT64_C(5) << 30;
	file = made_file();
	file.is_64 = false;
	{
		struct pd_err err = PD_ERR_INIT;
		int fd = memfd_create("sparse", MFD_CLOEXEC);
		uint32_t nr;

		assert_int_equal(
			rpt_sparse_elf_write(fd, &file, &no_code, &nr, &err),
			-EFBIG);
		close(fd);
	}
	segments[2].off = 0x5000;
}

static void test_sparse_elf__without_segments(void **state)
{
	struct pd_carried_file file = made_file();

	(void)state;
	file.segment_nr = 0;
	rpt_elf_close(written(&file, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sparse_elf__has_names_where_they_were),
		cmocka_unit_test(test_sparse_elf__has_code_where_it_was),
		cmocka_unit_test(test_sparse_elf__is_a_hole),
		cmocka_unit_test(test_sparse_elf__segments_out_of_reach),
		cmocka_unit_test(test_sparse_elf__without_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
