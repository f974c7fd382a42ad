#include "report/annotate/code_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define START 0xffffffff81000000ull

struct core {
	Elf64_Ehdr head;
	Elf64_Phdr parts[2];
	uint8_t memory[64];
};

static void make(struct core *core)
{
	memset(core, 0, sizeof(*core));
	memcpy(core->head.e_ident, ELFMAG, SELFMAG);
	core->head.e_ident[EI_CLASS] = ELFCLASS64;
	core->head.e_ident[EI_DATA] = ELFDATA2LSB;
	core->head.e_machine = EM_X86_64;
	core->head.e_phoff = offsetof(struct core, parts);
	core->head.e_phentsize = sizeof(core->parts[0]);
	core->head.e_phnum = 2;
	core->parts[0].p_type = PT_NOTE;
	core->parts[1] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_vaddr = START,
		.p_offset = offsetof(struct core, memory),
		.p_filesz = sizeof(core->memory),
	};
	for (size_t i = 0; i < sizeof(core->memory); i++)
		core->memory[i] = (uint8_t)i;
}

static char path[] = "/tmp/test_kernel_bytes.XXXXXX";

static void save(const struct core *core, size_t len)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(core, 1, len, out), len);
	assert_int_equal(fclose(out), 0);
}

static void test_kcore__bytes_of_its_parts(void **state)
{
	struct rpt_code_bytes bytes = { 0 };
	uint16_t machine;
	struct core core;

	(void)state;
	make(&core);
	save(&core, sizeof(core));
	assert_true(rpt_kcore_take(path, START + 8, 4, &bytes, &machine));
	assert_int_equal(machine, EM_X86_64);
	assert_int_equal(bytes.len, 4);
	assert_int_equal(bytes.start, START + 8);
	assert_memory_equal(bytes.data, core.memory + 8, 4);
	free(bytes.data);
	/* a part ends: there is less */
	assert_true(rpt_kcore_take(path, START + 60, 9, &bytes, &machine));
	assert_int_equal(bytes.len, 4);
	free(bytes.data);
	assert_false(rpt_kcore_take(path, START + 64, 1, &bytes, &machine));
	assert_false(rpt_kcore_take(path, START - 1, 1, &bytes, &machine));
}

static void test_kcore__damaged_files_have_nothing(void **state)
{
	struct rpt_code_bytes bytes = { 0 };
	uint16_t machine;
	struct core core;

	(void)state;
	make(&core);
	for (size_t len = 0; len < offsetof(struct core, memory) + 8;
	     len += 8) {
		save(&core, len);
		assert_false(rpt_kcore_take(path, START, 9, &bytes, &machine));
		assert_null(bytes.data);
	}
	core.parts[1].p_offset = UINT64_MAX - 4;
	save(&core, sizeof(core));
	assert_false(rpt_kcore_take(path, START, 9, &bytes, &machine));
	make(&core);
	core.head.e_phoff = UINT64_MAX - 8;
	save(&core, sizeof(core));
	assert_false(rpt_kcore_take(path, START, 9, &bytes, &machine));
}

static void test_kcore__only_regular_files_are_opened(void **state)
{
	struct rpt_code_bytes bytes = { 0 };
	uint16_t machine;

	(void)state;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(rpt_kcore_take(path, START, 1, &bytes, &machine));
}

/* A link leads to what any process had in its memory. */
static void test_kcore__is_no_link(void **state)
{
	struct rpt_code_bytes bytes = { 0 };
	char beside[sizeof(path) + 8];
	uint16_t machine;
	struct core core;

	(void)state;
	make(&core);
	save(&core, sizeof(core));
	snprintf(beside, sizeof(beside), "%s.link", path);
	assert_int_equal(symlink(path, beside), 0);
	assert_false(rpt_kcore_take(beside, START + 8, 4, &bytes, &machine));
	assert_int_equal(unlink(beside), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kcore__bytes_of_its_parts),
		cmocka_unit_test(test_kcore__is_no_link),
		cmocka_unit_test(test_kcore__damaged_files_have_nothing),
		cmocka_unit_test(test_kcore__only_regular_files_are_opened),
	};
	int fd = mkstemp(path), rc;

	if (fd < 0)
		return 1;
	close(fd);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return rc;
}
