/* carried_names.h: which carried names are whose. */
#include "format/carried/carried.h"
#include "report/symbols/carried_names.h"

#include "report/symbols/dso.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KERNEL_ADDR UINT64_C(0xffffffff81000000)
#define MODULE_ADDR UINT64_C(0xffffffffc0100000)
#define FUNC	    ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)

static struct pd_carried_name name_of(uint64_t start, uint64_t len,
				      const char *text,
				      enum pd_carried_source source,
				      uint8_t info)
{
	return (struct pd_carried_name){ .start = start,
					 .len = len,
					 .text = { text, strlen(text) },
					 .source = (uint8_t)source,
					 .info = info };
}

/* Symbols of a recording that carries these files. */
static void carried_of(const struct pd_carried_file *files, uint32_t nr,
		       struct pd_carried *ret)
{
	struct pd_carried_sections sections;
	const struct pd_carried_account account = { .sample_nr = 1 };
	struct pd_trailer trailer = { .sections = sections.items };
	struct pd_buf b = PD_BUF_INIT;

	pd_carried_write(&b, 0, files, nr, &account, &sections);
	trailer.section_nr = sections.nr;
	assert_int_equal(pd_buf_status(&b), 0);
	assert_int_equal(pd_carried_read(b.data, b.len, &trailer, ret, NULL),
			 0);
	pd_buf_release(&b);
}

static struct rpt_symbols *carry(const struct pd_carried_file *files,
				 uint32_t nr)
{
	struct rpt_symbols_conf conf = { .symfs = "/nowhere",
					 .buildid_dir = "" };
	struct rpt_symbols *symbols = rpt_symbols_new(&conf);
	struct pd_carried carried;

	carried_of(files, nr, &carried);
	rpt_symbols_set_carried(symbols, &carried);
	return symbols;
}

static struct rpt_dso *dso_of(struct rpt_symbols *symbols,
			      enum rpt_dso_kind kind, const char *name,
			      uint8_t id)
{
	struct rpt_dso_key key = { .kind = kind,
				   .name = name,
				   .name_len = strlen(name),
				   .build_id = { id },
				   .build_id_len = id ? 20 : 0 };

	return rpt_symbols_dso(symbols, &key);
}

/* What the carried names have at an address; "": nothing. */
static const char *name_at(struct rpt_dso *dso, uint64_t addr)
{
	struct rpt_addr_range range = RPT_RANGE_ALL;
	const struct rpt_symbol *sym =
		rpt_dso_carried_symbol(dso, addr, &range);

	assert_true(range.first <= addr && addr <= range.last);
	return sym ? sym->name : "";
}

static struct pd_carried_file file_of(const char *path, uint8_t id,
				      const struct pd_carried_name *names,
				      uint32_t nr)
{
	return (struct pd_carried_file){ .path = { path, strlen(path) },
					 .build_id = { id },
					 .build_id_len = id ? 20 : 0,
					 .is_64 = true,
					 .names = names,
					 .name_nr = nr };
}

static void test_carried_names__of_the_same_file_only(void **state)
{
	const struct pd_carried_name names[] = {
		name_of(0x1000, 0x20, "work", PD_CARRIED_SYMTAB, FUNC),
	};
	const struct pd_carried_file files[] = {
		file_of("/bin/a", 1, names, 1),
		file_of("/bin/noid", 0, names, 1),
	};
	struct rpt_symbols *symbols = carry(files, 2);

	(void)state;
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/a", 1), 0x1010),
		"work");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/a", 2), 0x1010),
		"");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/a", 0), 0x1010),
		"work");
	/* the same file at another path */
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/b", 1), 0x1010),
		"work");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/b", 0), 0x1010),
		"");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/noid", 3), 0x1010),
		"work");
	rpt_symbols_free(symbols);
}

static void test_carried_names__of_two_files_neither(void **state)
{
	const struct pd_carried_name names[] = {
		name_of(0x1000, 0x20, "work", PD_CARRIED_SYMTAB, FUNC),
	};
	const struct pd_carried_file files[] = {
		file_of("/bin/a", 1, names, 1),
		file_of("/bin/a", 2, names, 1),
	};
	struct rpt_symbols *symbols = carry(files, 2);
	struct rpt_dso *dso = dso_of(symbols, RPT_DSO_USER, "/bin/a", 0);

	(void)state;
	assert_string_equal(name_at(dso, 0x1010), "");
	assert_false(rpt_dso_has_carried(dso));
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/a", 2), 0x1010),
		"work");
	rpt_symbols_free(symbols);
}

enum { FILE_NR = 5000, TEXT_LEN = 32 };

static const char *path_of(char *text, uint32_t i)
{
	snprintf(text, TEXT_LEN, "/opt/%u/lib.so", i);
	return text;
}

/* The DSO of a map whose record has that inode and generation 7, or a build-id
 * if ino is 0. */
static struct rpt_dso *mapped(struct rpt_symbols *symbols, const char *path,
			      uint64_t ino, uint8_t id)
{
	const struct pd_mmap mmap = { .filename = { path, strlen(path) },
				      .build_id = { id },
				      .build_id_len = id ? 20 : 0,
				      .maj = 8,
				      .ino = ino,
				      .ino_generation = ino ? 7 : 0 };
	struct rpt_dso_key key = { .kind = RPT_DSO_USER,
				   .name = path,
				   .name_len = strlen(path),
				   .build_id = { id },
				   .build_id_len = mmap.build_id_len };
	struct rpt_dso *dso;

	rpt_symbols_identify(symbols, &mmap, &key);
	dso = rpt_symbols_dso(symbols, &key);
	rpt_dso_set_mapper(dso, 1, ino);
	return dso;
}

/* Files of one path: two of build-id 1, root's and another's, which disagree,
 * one of build-id 2 and one that was gone. */
static struct rpt_symbols *carry_namesakes(void)
{
	static const char *const words[] = { "honest", "forged", "next" };
	static struct pd_file_key keys[] = { { 8, 0, 10, 7 },
					     { 8, 0, 11, 7 },
					     { 8, 0, 12, 7 },
					     { 8, 0, 13, 7 },
					     { 8, 0, 14, 7 } };
	struct pd_carried_name names[3];
	struct pd_carried_file files[4];

	for (uint32_t i = 0; i < 4; i++) {
		if (i < 3)
			names[i] = name_of(0x1000, 0x20, words[i],
					   PD_CARRIED_SYMTAB, FUNC);
		files[i] = file_of("/bin/app", i < 3 ? (uint8_t)(1 + i / 2) : 0,
				   &names[i % 3], i < 3);
		files[i].owner =
			(struct pd_file_owner){ .is_known = i < 3,
						.uid = i == 1 ? 65534 : 0 };
		files[i].keys = &keys[i];
		files[i].key_nr = 1;
	}
	/* in a container of the same image */
	files[3].keys = &keys[4];
	files[0].keys = (struct pd_file_key[]){ keys[0], keys[3] };
	files[0].key_nr = 2;
	return carry(files, 4);
}

static void test_carried_names__by_the_key_of_the_record(void **state)
{
	struct rpt_symbols *symbols = carry_namesakes();
	char *text;

	(void)state;
	assert_string_equal(name_at(mapped(symbols, "/bin/app", 10, 0), 0x1010),
			    "honest");
	assert_ptr_equal(mapped(symbols, "/bin/app", 10, 0),
			 mapped(symbols, "/bin/app", 13, 0));
	assert_string_equal(name_at(mapped(symbols, "/bin/app", 11, 0), 0x1010),
			    "forged");
	assert_string_equal(name_at(mapped(symbols, "/bin/app", 12, 0), 0x1010),
			    "next");
	/* it was gone, another key, another path */
	assert_string_equal(name_at(mapped(symbols, "/bin/app", 14, 0), 0x1010),
			    "");
	assert_string_equal(name_at(mapped(symbols, "/bin/app", 15, 0), 0x1010),
			    "");
	assert_string_equal(name_at(mapped(symbols, "/bin/b", 10, 0), 0x1010),
			    "");
	/* build-ids alone: root's */
	assert_string_equal(name_at(mapped(symbols, "/bin/app", 0, 1), 0x1010),
			    "honest");
	assert_string_equal(name_at(mapped(symbols, "/bin/app", 0, 2), 0x1010),
			    "next");
	assert_string_equal(name_at(mapped(symbols, "/bin/b", 0, 1), 0x1010),
			    "honest");
	assert_false(rpt_dso_is_contested(mapped(symbols, "/bin/app", 10, 0)));
	assert_true(rpt_dso_is_contested(mapped(symbols, "/bin/app", 11, 0)));
	assert_false(rpt_dso_is_contested(mapped(symbols, "/bin/app", 12, 0)));
	text = rpt_symbols_dispute(symbols);
	assert_string_equal(
		text,
		"build-id 0100000000000000000000000000000000000000 is in two "
		"files with other names, of user 0 /bin/app, and of user 65534 "
		"/bin/app: what has no more than the build-id is named by the "
		"first");
	free(text);
	rpt_symbols_free(symbols);
}

/* A file that was read takes no names of another user's; one that was not takes
 * root's. */
static void test_carried_names__who_may_lend(void **state)
{
	static struct pd_file_key keys[] = { { 8, 0, 10, 7 },
					     { 8, 0, 11, 7 },
					     { 8, 0, 12, 7 } };
	const struct pd_carried_name honest =
		name_of(0x1000, 0x20, "honest", PD_CARRIED_SYMTAB, FUNC);
	struct pd_carried_file files[] = {
		file_of("/bin/app", 1, &honest, 1),
		file_of("/tmp/broken", 1, NULL, 0),
		file_of("/mnt/gone", 1, NULL, 0),
	};
	struct rpt_symbols *symbols;

	(void)state;
	for (uint32_t uid = 0; uid <= 1000; uid += 1000) {
		for (uint32_t i = 0; i < 3; i++) {
			files[i].keys = &keys[i];
			files[i].key_nr = 1;
			files[i].owner.is_known = i < 2;
			files[i].owner.uid = i ? 65534 : uid;
		}
		symbols = carry(files, 3);
		assert_string_equal(
			name_at(mapped(symbols, "/bin/app", 10, 0), 0x1010),
			"honest");
		assert_string_equal(
			name_at(mapped(symbols, "/tmp/broken", 11, 0), 0x1010),
			"");
		assert_string_equal(
			name_at(mapped(symbols, "/mnt/gone", 12, 0), 0x1010),
			uid ? "" : "honest");
		assert_null(rpt_symbols_dispute(symbols));
		rpt_symbols_free(symbols);
	}
}

/* Of many files, in no order: each path has two of different build-ids, every
 * third one more without; and as many perf maps. */
static void test_carried_names__of_many_files(void **state)
{
	struct pd_carried_file *files = calloc(4 * FILE_NR, sizeof(*files));
	char(*texts)[TEXT_LEN] = calloc(FILE_NR, sizeof(*texts));
	struct rpt_symbols *symbols;
	char text[TEXT_LEN];
	uint32_t nr = 0;

	(void)state;
	for (uint32_t k = 0; k < FILE_NR; k++) {
		uint32_t i = (uint32_t)((uint64_t)k * 2741 % FILE_NR);
		uint32_t odd = i % 200;

		path_of(texts[i], i);
		files[nr++] = file_of(texts[i], (uint8_t)(odd + 2), NULL, 0);
		files[nr++] = file_of(texts[i], (uint8_t)(odd + 1), NULL, 0);
		if (i % 3 == 0)
			files[nr++] = file_of(texts[i], 0, NULL, 0);
		files[nr] = file_of("", 0, NULL, 0);
		files[nr].kind = PD_CARRIED_PERF_MAP;
		files[nr++].pid = i;
	}
	symbols = carry(files, nr);
	for (uint32_t i = 0; i < FILE_NR; i++) {
		uint8_t id = (uint8_t)(i % 200 + 1);
		const char *path = path_of(text, i);
		const struct pd_carried_file *f = rpt_dso_carried_file(
			dso_of(symbols, RPT_DSO_USER, path, id));

		/* the one without a build-id could be meant, too */
		assert_true(!f == (i % 3 == 0));
		if (f)
			assert_int_equal(f->build_id[0], id);
		assert_null(rpt_dso_carried_file(
			dso_of(symbols, RPT_DSO_USER, path, 0)));
		f = rpt_dso_carried_file(
			dso_of(symbols, RPT_DSO_USER, path, 255));
		assert_true(!f == (i % 3 != 0));
		if (f)
			assert_int_equal(f->build_id_len, 0);
		snprintf(text, sizeof(text), "/tmp/perf-%u.map", i);
		f = rpt_dso_carried_file(
			dso_of(symbols, RPT_DSO_USER, text, 0));
		assert_int_equal(f->pid, i);
		snprintf(text, sizeof(text), "/tmp/perf-0%u.map", i);
		assert_null(rpt_dso_carried_file(
			dso_of(symbols, RPT_DSO_USER, text, 0)));
	}
	rpt_symbols_free(symbols);
	free(texts);
	free(files);
}

static void test_carried_names__symbols_and_slots(void **state)
{
	const struct pd_carried_name names[] = {
		name_of(0x1000, 0, "_init", PD_CARRIED_SYMTAB, FUNC),
		name_of(0x1020, 0x10, "read", PD_CARRIED_PLT, FUNC),
		name_of(0x1030, 0x10, "write", PD_CARRIED_PLT, FUNC),
		name_of(0x1100, 0x20, "local", PD_CARRIED_SYMTAB,
			ELF64_ST_INFO(STB_LOCAL, STT_FUNC)),
		name_of(0x1100, 0x20, "global", PD_CARRIED_SYMTAB, FUNC),
		name_of(0x1200, 0x20, "", PD_CARRIED_FDE, 0),
		/* what has a symbol needs no name of Go's */
		name_of(0x1110, 0x20, "main.main", PD_CARRIED_GO, 0),
		name_of(0x1220, 0x20, "main.Sum[...]", PD_CARRIED_GO, 0),
		/* past the end of all addresses */
		name_of(UINT64_MAX - 8, 0x20, "wraps", PD_CARRIED_SYMTAB, FUNC),
		name_of(UINT64_MAX - 8, 0x20, "wraps", PD_CARRIED_PLT, FUNC),
	};
	const struct pd_carried_file file = file_of("/bin/a", 1, names, 10);
	struct rpt_symbols *symbols = carry(&file, 1);
	struct rpt_dso *dso = dso_of(symbols, RPT_DSO_USER, "/bin/a", 1);

	(void)state;
	assert_string_equal(name_at(dso, 0xfff), "");
	assert_string_equal(name_at(dso, 0x1024), "read@plt");
	assert_string_equal(name_at(dso, 0x103f), "write@plt");
	assert_string_equal(name_at(dso, 0x1110), "global");
	assert_string_equal(name_at(dso, 0x1120), "main.main");
	assert_string_equal(name_at(dso, 0x1130), "");
	assert_string_equal(name_at(dso, 0x1210), "");
	assert_string_equal(name_at(dso, 0x1220), "main.Sum[...]");
	assert_string_equal(name_at(dso, UINT64_MAX - 4), "");
	assert_string_equal(name_at(dso, 4), "");
	rpt_symbols_free(symbols);
}

static void test_carried_names__kernel_and_modules(void **state)
{
	const struct pd_carried_name names[] = {
		name_of(KERNEL_ADDR, 0, "_text", PD_CARRIED_LINE, 'T'),
		name_of(KERNEL_ADDR + 0x100, 0x80, "schedule", PD_CARRIED_LINE,
			'T'),
		name_of(KERNEL_ADDR + 0x900, 0x1700, "last", PD_CARRIED_LINE,
			't'),
		name_of(MODULE_ADDR + 0x10, 0x40, "ext4_sync\t[ext4]",
			PD_CARRIED_LINE, 't'),
		name_of(MODULE_ADDR + 0x5000, 0x40, "other\t[xfs]",
			PD_CARRIED_LINE, 't'),
	};
	struct pd_carried_file file = file_of("[kernel.kallsyms]", 7, names, 5);
	struct rpt_symbols *symbols;
	struct rpt_dso *kernel, *module;

	(void)state;
	file.kind = PD_CARRIED_KERNEL;
	symbols = carry(&file, 1);
	kernel = dso_of(symbols, RPT_DSO_KERNEL, "[kernel.kallsyms]", 7);
	assert_string_equal(name_at(kernel, KERNEL_ADDR + 0x110), "schedule");
	assert_string_equal(name_at(kernel, KERNEL_ADDR + 0x1f00), "last");
	assert_string_equal(name_at(kernel, KERNEL_ADDR + 0x2000), "");
	module = dso_of(symbols, RPT_DSO_MODULE, "[ext4]", 0);
	rpt_dso_set_range(module, MODULE_ADDR, MODULE_ADDR + 0x1000);
	assert_string_equal(name_at(module, 0x20), "ext4_sync");
	assert_string_equal(name_at(module, 0x5020), "");
	assert_string_equal(name_at(module, MODULE_ADDR + 0x20), "");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_KERNEL, "[kernel.kallsyms]", 8),
			KERNEL_ADDR + 0x110),
		"");
	/* A program that calls itself so is no kernel. */
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "[kernel.kallsyms]", 7),
			KERNEL_ADDR + 0x110),
		"");
	rpt_symbols_free(symbols);
}

static void test_carried_names__perf_map_of_its_process(void **state)
{
	const struct pd_carried_name names[] = {
		name_of(0x7f0000, 0x20, "int Hot.turn(int)", PD_CARRIED_LINE,
			0),
	};
	struct pd_carried_file file = file_of("//anon", 0, names, 1);
	struct rpt_symbols *symbols;

	(void)state;
	file.kind = PD_CARRIED_PERF_MAP;
	file.pid = 12;
	symbols = carry(&file, 1);
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/tmp/perf-12.map", 0),
			0x7f0010),
		"int Hot.turn(int)");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/tmp/perf-13.map", 0),
			0x7f0010),
		"");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "//anon", 0), 0x7f0010),
		"");
	rpt_symbols_free(symbols);
}

/* Symbols of a recording whose own names are none, with names of a file of each
 * kind out of another one. */
static struct rpt_symbols *lend(bool is_own)
{
	const struct pd_carried_name names[] = {
		name_of(0x1000, 0x20, "work", PD_CARRIED_SYMTAB, FUNC),
	};
	const struct pd_carried_name lines[] = {
		name_of(KERNEL_ADDR, 0x20, "start_kernel", PD_CARRIED_LINE,
			'T'),
	};
	struct pd_carried_file files[] = {
		file_of("/bin/a", 1, names, 1),
		file_of("/bin/noid", 0, names, 1),
		file_of("[kernel.kallsyms]", 7, lines, 1),
		file_of("//anon", 0, names, 1),
	};
	struct pd_carried_file none = file_of("/bin/a", 1, NULL, 0);
	struct rpt_symbols *symbols;
	struct pd_carried lent;

	none.reason = PD_CARRIED_GONE;
	files[2].kind = PD_CARRIED_KERNEL;
	files[3].kind = PD_CARRIED_PERF_MAP;
	files[3].pid = 5;
	symbols = carry(&none, 1);
	carried_of(files, 4, &lent);
	rpt_symbols_set_lent(symbols, &lent, is_own);
	assert_true(rpt_symbols_has_carried(symbols));
	assert_true(rpt_symbols_carries_kernel(symbols) == is_own);
	return symbols;
}

static void test_carried_names__lent_by_another_recording(void **state)
{
	struct rpt_symbols *symbols = lend(false);

	(void)state;
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/a", 1), 0x1010),
		"work");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/opt/a", 1), 0x1010),
		"work");
	/* the same paths, but who knows which files */
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/a", 2), 0x1010),
		"");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/a", 0), 0x1010),
		"");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/noid", 0), 0x1010),
		"");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_KERNEL, "[kernel.kallsyms]", 7),
			KERNEL_ADDR),
		"");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/tmp/perf-5.map", 0),
			0x1010),
		"");
	rpt_symbols_free(symbols);
}

static void test_carried_names__lent_of_the_same_recording(void **state)
{
	struct rpt_symbols *symbols = lend(true);

	(void)state;
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/a", 1), 0x1010),
		"work");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/a", 2), 0x1010),
		"");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/bin/noid", 0), 0x1010),
		"work");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_KERNEL, "[kernel.kallsyms]", 7),
			KERNEL_ADDR),
		"start_kernel");
	assert_string_equal(
		name_at(dso_of(symbols, RPT_DSO_USER, "/tmp/perf-5.map", 0),
			0x1010),
		"work");
	rpt_symbols_free(symbols);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_carried_names__of_the_same_file_only),
		cmocka_unit_test(test_carried_names__of_two_files_neither),
		cmocka_unit_test(test_carried_names__by_the_key_of_the_record),
		cmocka_unit_test(test_carried_names__who_may_lend),
		cmocka_unit_test(test_carried_names__of_many_files),
		cmocka_unit_test(test_carried_names__symbols_and_slots),
		cmocka_unit_test(test_carried_names__kernel_and_modules),
		cmocka_unit_test(test_carried_names__perf_map_of_its_process),
		cmocka_unit_test(test_carried_names__lent_by_another_recording),
		cmocka_unit_test(
			test_carried_names__lent_of_the_same_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
