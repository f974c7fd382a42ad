#include "report/symbols/symbols.h"

#include "report/symbols/dso.h"
#include "report/elf/elf_file.h"
#include "report/symbols/inline_frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char self_path[4096];

static void set_self_path(void)
{
	ssize_t len =
		readlink("/proc/self/exe", self_path, sizeof(self_path) - 1);

	assert_true(len > 0);
	self_path[len] = '\0';
}

static struct rpt_symbols *new_symbols(const char *symfs)
{
	struct rpt_symbols_conf conf = { .symfs = symfs, .buildid_dir = "" };
	struct rpt_symbols *symbols = rpt_symbols_new(&conf);

	assert_non_null(symbols);
	return symbols;
}

static struct rpt_dso *user_dso(struct rpt_symbols *symbols, const char *name)
{
	struct rpt_dso_key key = { .kind = RPT_DSO_USER,
				   .name = name,
				   .name_len = strlen(name) };

	return rpt_symbols_dso(symbols, &key);
}

static int first_object(struct dl_phdr_info *info, size_t len, void *ctx)
{
	(void)len;
	*(uint64_t *)ctx = info->dlpi_addr;
	return 1;
}

/* Offset in this program's file of one of its addresses. */
static uint64_t file_off(uintptr_t addr)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_elf *file =
		rpt_elf_open_for(&(struct sup_name){ .path = self_path }, &err);
	uint64_t base = 0, off = 0;

	assert_non_null(file);
	dl_iterate_phdr(first_object, &base);
	assert_true(rpt_elf_addr_to_off(file, addr - base, &off));
	rpt_elf_close(file);
	return off;
}

static void test_symbols__own_function(void **state)
{
	struct rpt_symbols *symbols = new_symbols("");
	struct rpt_dso *dso = user_dso(symbols, self_path);
	uint64_t off = file_off((uintptr_t)test_symbols__own_function);
	const struct rpt_symbol *sym = rpt_dso_symbol(dso, off + 1);

	(void)state;
	assert_non_null(sym);
	assert_string_equal(sym->name, "test_symbols__own_function");
	assert_int_equal(sym->start, off);
	assert_int_equal(sym->binding, STB_LOCAL);
	assert_null(rpt_dso_problem(dso));
	assert_null(rpt_dso_symbol(dso, UINT64_MAX));
	rpt_symbols_free(symbols);
}

static void test_symbols__dsos_are_interned(void **state)
{
	struct rpt_symbols *symbols = new_symbols("");
	struct rpt_dso_key key = { .kind = RPT_DSO_USER,
				   .name = "/lib/a.so",
				   .name_len = 9 };
	struct rpt_dso *plain = rpt_symbols_dso(symbols, &key);
	struct rpt_dso *with_id;
	uint8_t len;

	(void)state;
	key.build_id_len = 20;
	key.build_id[0] = 7;
	with_id = rpt_symbols_dso(symbols, &key);
	assert_ptr_not_equal(plain, with_id);
	assert_ptr_equal(with_id, rpt_symbols_dso(symbols, &key));
	rpt_dso_set_build_id(plain, (const uint8_t *)"abc", 3);
	assert_ptr_equal(plain, user_dso(symbols, "/lib/a.so"));
	assert_memory_equal(rpt_dso_build_id(plain, &len), "abc", 3);
	assert_int_equal(len, 3);
	assert_ptr_equal(rpt_symbols_dso_at(symbols, 0), plain);
	assert_ptr_equal(rpt_symbols_dso_at(symbols, 1), with_id);
	assert_null(rpt_symbols_dso_at(symbols, 2));
	rpt_symbols_free(symbols);
}

static void test_symbols__another_build_id_gives_no_names(void **state)
{
	static const char end[] =
		", recorded was 0102030405060708090a0b0c0d0e0f1011121314: "
		"names left out";
	struct rpt_symbols *symbols = new_symbols("");
	struct rpt_dso *dso = user_dso(symbols, self_path);
	uint64_t off = file_off((uintptr_t)test_symbols__own_function);
	uint8_t id[20];
	const char *problem;
	uint8_t i;

	(void)state;
	for (i = 0; i < 20; i++)
		id[i] = (uint8_t)(i + 1);
	rpt_dso_set_build_id(dso, id, 20);
	assert_null(rpt_dso_symbol(dso, off));
	assert_null(rpt_dso_problem(dso)); /* only data, for all we know */
	rpt_dso_note_run(dso);
	problem = rpt_dso_problem(dso);
	assert_non_null(problem);
	assert_memory_equal(problem, "has build-id ", 13);
	assert_string_equal(problem + strlen(problem) - strlen(end), end);
	rpt_symbols_free(symbols);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) < 0, 0);
	assert_int_equal(fclose(file), 0);
}

static void test_symbols__perf_map_of_a_jit(void **state)
{
	char root[] = "/tmp/perfpair-test-XXXXXX", path[128];
	struct rpt_symbols *symbols;
	struct rpt_dso *dso;

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/tmp", root);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/tmp/perf-77.map", root);
	write_file(path, "7f0000001000 40 first function\n"
			 "broken\n"
			 "7f0000001040 20 second\n");
	symbols = new_symbols(root);
	dso = user_dso(symbols, "/tmp/perf-77.map");
	assert_string_equal(rpt_dso_symbol(dso, 0x7f000000103f)->name,
			    "first function");
	assert_string_equal(rpt_dso_symbol(dso, 0x7f0000001040)->name,
			    "second");
	assert_null(rpt_dso_symbol(dso, 0x7f0000001060));
	rpt_symbols_free(symbols);
	unlink(path);
	snprintf(path, sizeof(path), "%s/tmp", root);
	rmdir(path);
	rmdir(root);
}

static void test_symbols__kernel_moved_since(void **state)
{
	char path[] = "/tmp/perfpair-test-XXXXXX";
	struct rpt_symbols_conf conf = { .kallsyms = path, .buildid_dir = "" };
	struct rpt_dso_key key = { .kind = RPT_DSO_KERNEL,
				   .name = "[kernel.kallsyms]",
				   .name_len = 17 };
	struct rpt_kernel kernel = { .ref_name = "_text",
				     .ref_addr = 0xffffffff90000000 };
	struct rpt_symbols *symbols;
	const struct rpt_symbol *sym;
	struct rpt_dso *dso;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	write_file(path, "ffffffff81000000 T _text\n"
			 "ffffffff81000100 T do_it\n"
			 "ffffffffc0000010 t in_module\t[my_mod]\n");
	symbols = rpt_symbols_new(&conf);
	rpt_symbols_set_kernel(symbols, &kernel);
	dso = rpt_symbols_dso(symbols, &key);
	sym = rpt_dso_symbol(dso, 0xffffffff90000104);
	assert_non_null(sym);
	assert_string_equal(sym->name, "do_it");
	assert_int_equal(sym->start, 0xffffffff90000100);
	key.kind = RPT_DSO_MODULE;
	key.name = "/lib/modules/6.1/my-mod.ko.xz";
	key.name_len = strlen(key.name);
	dso = rpt_symbols_dso(symbols, &key);
	/* modules are put where they are on their own */
	rpt_dso_set_range(dso, 0xffffffffc0000000, 0xffffffffc0001000);
	assert_string_equal(rpt_dso_symbol(dso, 0x10)->name, "in_module");
	rpt_symbols_free(symbols);
	unlink(path);
}

static void test_symbols__names_in_the_recording(void **state)
{
	struct rpt_symbols *symbols = new_symbols("");
	struct rpt_dso_key key = { .kind = RPT_DSO_MODULE,
				   .name = "bpf_prog_1",
				   .name_len = 10 };
	struct rpt_dso *dso = rpt_symbols_dso(symbols, &key);

	(void)state;
	rpt_dso_add_symbol(dso, 0x100, 0x140, "bpf_prog_1xx", 10);
	assert_string_equal(rpt_dso_symbol(dso, 0x13f)->name, "bpf_prog_1");
	assert_null(rpt_dso_symbol(dso, 0x140));
	rpt_symbols_free(symbols);
}

#if defined(__x86_64__)
static inline __attribute__((always_inline)) uintptr_t merged(void)
{
	uintptr_t ip;

	__asm__ volatile("lea 0(%%rip), %0\n nop" : "=r"(ip));
	return ip;
}

static __attribute__((noinline)) uintptr_t holder(void)
{
	return merged() + 0;
}

static void test_symbols__inlined_function(void **state)
{
	struct rpt_symbols *symbols = new_symbols("");
	struct rpt_dso *dso = user_dso(symbols, self_path);
	const struct rpt_inline_frame *frames;
	uint64_t off = file_off(holder());
	int round;

	(void)state;
	for (round = 0; round < 2; round++) {
		assert_int_equal(rpt_dso_inline_frames(dso, off, &frames), 2);
		assert_string_equal(frames[0].name, "merged");
		assert_true(frames[0].is_inlined);
		assert_string_equal(frames[1].name, "holder");
		assert_false(frames[1].is_inlined);
	}
	off = file_off((uintptr_t)test_symbols__own_function);
	assert_int_equal(rpt_dso_inline_frames(dso, off, &frames), 0);
	rpt_symbols_free(symbols);
}
#else
static void test_symbols__inlined_function(void **state)
{
	(void)state;
	skip(); /* the address of inlined code takes assembly */
}
#endif

/* As of the file that a recording before this one has loaded. */
static void test_symbols__build_id_of_a_shared_file(void **state)
{
	struct rpt_symbols_conf conf = { .symfs = "", .buildid_dir = "" };
	struct rpt_symbols *owner = new_symbols(""), *symbols;
	struct rpt_dso *shared, *own;
	const uint8_t *id;
	uint8_t own_len, len;

	(void)state;
	shared = user_dso(owner, "/lib/a.so");
	conf.shared_from = owner;
	symbols = rpt_symbols_new(&conf);
	own = user_dso(symbols, "/lib/a.so");
	rpt_dso_find_build_id(shared, (const uint8_t *)"abc", 3);
	rpt_dso_build_id(own, &own_len);
	assert_int_equal(own_len, 0);
	rpt_dso_loaded(own);
	id = rpt_dso_build_id(own, &len);
	assert_int_equal(len, 3);
	assert_memory_equal(id, "abc", 3);
	rpt_symbols_free(symbols);
	rpt_symbols_free(owner);
}

static void test_symbols__why_a_shared_file_has_no_names(void **state)
{
	struct rpt_symbols_conf conf = { .symfs = "", .buildid_dir = "" };
	struct rpt_symbols *owner = new_symbols(""), *symbols;
	uint64_t off = file_off((uintptr_t)test_symbols__own_function);
	struct rpt_dso_key key = { .kind = RPT_DSO_USER,
				   .name = self_path,
				   .name_len = strlen(self_path),
				   .build_id = { 1, 2, 3 },
				   .build_id_len = 20 };
	struct rpt_dso *shared, *own;

	(void)state;
	shared = rpt_symbols_dso(owner, &key);
	conf.shared_from = owner;
	symbols = rpt_symbols_new(&conf);
	own = rpt_symbols_dso(symbols, &key);
	rpt_dso_note_run(own);
	assert_null(rpt_dso_problem(own)); /* nothing was looked up */
	assert_null(rpt_dso_symbol(own, off));
	assert_ptr_equal(rpt_dso_shared(own), shared);
	assert_non_null(rpt_dso_problem(own));
	assert_null(rpt_dso_problem(shared)); /* none of its code was run */
	rpt_dso_note_run(shared);
	assert_string_equal(rpt_dso_problem(own), rpt_dso_problem(shared));
	rpt_symbols_free(symbols);
	rpt_symbols_free(owner);
}

static void test_symbols__names_in_place_of_a_shared_file(void **state)
{
	struct rpt_symbols_conf conf = { .symfs = "", .buildid_dir = "" };
	struct rpt_symbols *owner = new_symbols(""), *symbols;
	struct rpt_dso_key key = { .kind = RPT_DSO_USER,
				   .name = self_path,
				   .name_len = strlen(self_path),
				   .build_id = { 1, 2, 3 },
				   .build_id_len = 20 };
	struct rpt_dso *own;

	(void)state;
	rpt_dso_note_run(rpt_symbols_dso(owner, &key));
	rpt_dso_symbol(rpt_symbols_dso(owner, &key), 0x1000);
	assert_non_null(rpt_dso_problem(rpt_symbols_dso(owner, &key)));
	conf.shared_from = owner;
	symbols = rpt_symbols_new(&conf);
	own = rpt_symbols_dso(symbols, &key);
	rpt_dso_note_run(own);
	rpt_dso_add_symbol(own, 0x1000, 0x1040, "code", 4);
	assert_string_equal(rpt_dso_symbol(own, 0x1000)->name, "code");
	assert_null(rpt_dso_symbol(own, 0x9000));
	assert_null(rpt_dso_problem(own));
	rpt_symbols_free(symbols);
	rpt_symbols_free(owner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols__own_function),
		cmocka_unit_test(test_symbols__dsos_are_interned),
		cmocka_unit_test(test_symbols__build_id_of_a_shared_file),
		cmocka_unit_test(test_symbols__why_a_shared_file_has_no_names),
		cmocka_unit_test(test_symbols__names_in_place_of_a_shared_file),
		cmocka_unit_test(test_symbols__another_build_id_gives_no_names),
		cmocka_unit_test(test_symbols__perf_map_of_a_jit),
		cmocka_unit_test(test_symbols__kernel_moved_since),
		cmocka_unit_test(test_symbols__names_in_the_recording),
		cmocka_unit_test(test_symbols__inlined_function),
	};

	set_self_path();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
