#include "record/snapshot/kernel_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */

#define FIXTURES PERFPAIR_SOURCE_DIR "/fixtures"

static const struct rec_sysroots roots = {
	.proc = FIXTURES "/procfs",
	.sys = FIXTURES "/sysfs",
	.modules = FIXTURES "/modules",
};

static struct rec_text_scan scan_of(const char *text)
{
	return (struct rec_text_scan){ text, text + strlen(text) };
}

static void test_kernel_map__from_text_to_edata_with_build_id(void **state)
{
	struct rec_kernel_map map;

	(void)state;
	assert_int_equal(rec_kernel_map_read(&roots, &map), 0);
	assert_string_equal(map.symbol, "_text");
	assert_int_equal(map.start, 0xffffffff9b800000);
	assert_int_equal(map.end, 0xffffffff9d2abcc0);
	assert_int_equal(map.build_id.len, 8);
	assert_memory_equal(map.build_id.bytes,
			    "\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8", 8);
}

static void put_file(const char *dir, const char *name, const char *text)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* A tree of its own with these texts; 0 or the error. */
static int map_of_texts(const char *kallsyms, const char *iomem,
			struct rec_kernel_map *map)
{
	char dir[] = "/tmp/test_kernel_map.XXXXXX";
	char path[64];
	struct rec_sysroots own = { .sys = dir, .modules = dir };
	int rc;

	own.proc = mkdtemp(dir);
	assert_non_null(own.proc);
	put_file(dir, "kallsyms", kallsyms);
	put_file(dir, "iomem", iomem);
	rc = rec_kernel_map_read(&own, map);
	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/iomem", dir);
	unlink(path);
	rmdir(dir);
	return rc;
}

static int map_of_text(const char *text, struct rec_kernel_map *map)
{
	return map_of_texts(text, "", map);
}

/* What stands behind _text is not looked at: it would say otherwise. */
static void test_kernel_map__ends_where_iomem_says(void **state)
{
	static const char kallsyms[] = "ffffffff81000000 T _stext\n"
				       "ffffffff81000000 T _text\n"
				       "ffffffff81000001 T _etext\n";
	static const char iomem[] = "00000000-00000fff : Reserved\n"
				    "  01000000-022090c7 : Kernel code\n"
				    "  02400000-02e08fff : Kernel rodata\n"
				    "  03000000-0327c03f : Kernel data\n"
				    "  03b34000-03c57fff : Kernel bss\n";
	static const char hidden[] = "  00000000-00000000 : Kernel code\n"
				     "  00000000-00000000 : Kernel data\n";
	static const char odd[] = "  05000000-05000001 : Kernel code\n"
				  "  01000000-0327c03f : Kernel data\n";
	struct rec_kernel_map map;

	(void)state;
	assert_int_equal(map_of_texts(kallsyms, iomem, &map), 0);
#ifdef __x86_64__
	assert_int_equal(map.end, 0xffffffff8327c040);
#else
	assert_int_equal(map.end, 0xffffffff81000001);
#endif
	assert_string_equal(map.symbol, "_text");
	assert_int_equal(map_of_texts(kallsyms, hidden, &map), 0);
	assert_int_equal(map.end, 0xffffffff81000001);
	assert_int_equal(map_of_texts(kallsyms, odd, &map), 0);
	assert_int_equal(map.end, 0xffffffff81000001);
}

static void test_kernel_map__without_edata_ends_at_etext(void **state)
{
	struct rec_kernel_map map;

	(void)state;
	assert_int_equal(map_of_text("c0008000 T _stext\n"
				     "c08b8000 D _etext\n"
				     "c08b9000 T _sinittext\n",
				     &map),
			 0);
	assert_string_equal(map.symbol, "_stext");
	assert_int_equal(map.start, 0xc0008000);
	assert_int_equal(map.end, 0xc08b8000);
	assert_int_equal(map.build_id.len, 0);
}

static void test_kernel_map__reports_hidden_addresses(void **state)
{
	struct rec_kernel_map map;

	(void)state;
	assert_int_equal(map_of_text("0000000000000000 T _text\n"
				     "0000000000000000 D _edata\n",
				     &map),
			 -EACCES);
	assert_int_equal(map_of_text("ffffffff81000000 T other\n", &map),
			 -ENOENT);
	assert_int_equal(map_of_text("", &map), -ENOENT);
	assert_int_equal(map_of_text("ffffffff81000000 T _text\n"
				     "ffffffff80000000 D _edata\n",
				     &map),
			 -ENOENT);
}

static void test_module__broken_lines_are_refused(void **state)
{
	static const char *const lines[] = {
		"",
		"ext4",
		"ext4 x 1 - Live 0xffffffffc0320000",
		"ext4 831488 1 - Live",
		"ext4 831488 1 - Live ffffffffc0320000",
		"ext4 831488 1 - Live 0x",
		"ext4 18446744073709551615 1 - Live 0xffffffffc0320000",
	};
	struct rec_module module;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(rec_module_parse(scan_of(lines[i]), &module));
}

struct seen {
	char text[1024];
	size_t len;
};

static int note_module(void *ctx, const struct rec_module *module,
		       const char *path, const struct rec_build_id *id)
{
	struct seen *seen = ctx;
	const char *below = strstr(path, "/fixtures/modules/");

	seen->len += (size_t)snprintf(
		seen->text + seen->len, sizeof(seen->text) - seen->len,
		"%lx-%lx %s %u\n", (unsigned long)module->start,
		(unsigned long)module->end,
		below ? below + strlen("/fixtures/modules/") : path, id->len);
	return 0;
}

static void test_modules__by_address_with_file_and_build_id(void **state)
{
	struct seen seen = { .len = 0 };

	(void)state;
	assert_int_equal(rec_modules_walk(&roots, note_module, &seen), 0);
	assert_string_equal(
		seen.text,
		"ffffffffc0300000-ffffffffc030d000 "
		"6.1.0-test/kernel/sound/pci/hda/snd-hda-intel.ko.zst 0\n"
		"ffffffffc0320000-ffffffffc03eb000 "
		"6.1.0-test/kernel/fs/ext4/ext4.ko.xz 20\n"
		"ffffffffc0400000-ffffffffc0428000 "
		"6.1.0-test/kernel/fs/jbd2/jbd2.ko 0\n"
		"ffffffffc0500000-ffffffffc0501000 [own] 0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_kernel_map__from_text_to_edata_with_build_id),
		cmocka_unit_test(test_kernel_map__without_edata_ends_at_etext),
		cmocka_unit_test(test_kernel_map__ends_where_iomem_says),
		cmocka_unit_test(test_kernel_map__reports_hidden_addresses),
		cmocka_unit_test(test_module__broken_lines_are_refused),
		cmocka_unit_test(
			test_modules__by_address_with_file_and_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
