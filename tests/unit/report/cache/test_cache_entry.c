/* Each test has a cache of its own below a folder in $TMPDIR or /tmp. */
#include "report/cache/cache_entry.h"
#include "report/cache/cache_tree.h"

#include "report/elf/sparse_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define ID   "0102030405060708"
#define LINK ".build-id/01/02030405060708"

static char top[PATH_MAX];
static int dir_fd; /* of the folder "cache" there */

static int set_up(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(top, sizeof(top), "%s/perfpair-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(top) || chdir(top))
		return -1;
	dir_fd = rpt_cache_open("cache", true, &err);
	return dir_fd < 0;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	close(dir_fd);
	return chdir("/") || nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct pd_elf_segment segment = { 0, 0x1000, 0x10000 };

static struct pd_carried_name named(uint64_t start, const char *text)
{
	return (struct pd_carried_name){
		.start = start,
		.len = 0x10,
		.text = { text, strlen(text) },
		.info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
	};
}

static const struct rpt_sparse_code no_code;

/* Write a file of one name; return the outcome. */
static enum rpt_cache_outcome write_path(const char *path, uint64_t start,
					 bool replace, uint32_t *ret_nr)
{
	const struct rpt_cache_entry_conf conf = { dir_fd, replace };
	struct pd_carried_name name = named(start, "work");
	struct pd_err err = PD_ERR_INIT;
	const struct pd_carried_file file = {
		.path = { path, strlen(path) },
		.build_id = { 1, 2, 3, 4, 5, 6, 7, 8 },
		.build_id_len = 8,
		.is_64 = true,
		.segments = &segment,
		.segment_nr = 1,
		.names = &name,
		.name_nr = 1,
	};

	return rpt_cache_entry_write(&conf, &file, &no_code, ret_nr, &err);
}

static void assert_link(const char *expected)
{
	char text[PATH_MAX] = "";

	assert_true(readlinkat(dir_fd, LINK, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, expected);
}

static bool is_there(const char *path)
{
	struct stat st;

	return !fstatat(dir_fd, path, &st, AT_SYMLINK_NOFOLLOW);
}

static void test_cache_entry__names_add_up(void **state)
{
	uint32_t nr;

	(void)state;
	assert_int_equal(write_path("/usr/bin/a", 0x10, false, &nr),
			 RPT_CACHE_MADE);
	assert_int_equal(nr, 1);
	assert_link("../../usr/bin/a/" ID);
	assert_true(is_there(LINK "/elf"));
	assert_int_equal(write_path("/usr/bin/a", 0x10, false, &nr),
			 RPT_CACHE_ADDED);
	assert_int_equal(nr, 1);
	/* under another path, too */
	assert_int_equal(write_path("/other/a", 0x20, false, &nr),
			 RPT_CACHE_ADDED);
	assert_int_equal(nr, 2);
	assert_false(is_there("other"));
	assert_int_equal(write_path("/usr/bin/a", 0x30, true, &nr),
			 RPT_CACHE_REPLACED);
	assert_int_equal(nr, 1);
}

static void test_cache_entry__vdso(void **state)
{
	uint32_t nr;

	(void)state;
	assert_int_equal(write_path("[vdso]", 0x10, false, &nr),
			 RPT_CACHE_MADE);
	assert_link("../../[vdso]/" ID);
	assert_true(is_there(LINK "/vdso"));
}

static void test_cache_entry__paths_stay_below(void **state)
{
	char longer[PATH_MAX + 2], part[NAME_MAX + 3];
	const char *const bad[] = {
		"",
		"/",
		"relative",
		"/..",
		"/../a",
		"/a/../b",
		"/a/..",
		"//a",
		"/a//b",
		"/a/",
		"/./a",
		"/a/\x1b[2J",
		"/a\n/b",
		"/a\x7f",
		"/.build-id",
		"/.build-id/01/a",
		"[vdso]/../a",
		longer,
		part,
	};
	uint32_t nr;

	(void)state;
	memset(longer, 'a', sizeof(longer));
	for (size_t i = 0; i < sizeof(longer); i += 100)
		longer[i] = '/';
	longer[sizeof(longer) - 1] = 0;
	memset(part, 'a', sizeof(part));
	part[0] = '/';
	part[sizeof(part) - 1] = 0;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(write_path(bad[i], 0x10, false, &nr),
				 RPT_CACHE_BAD_PATH);
	assert_false(is_there(".build-id"));
	assert_false(rpt_cache_takes("a/../../b"));
}

/* What leads out of the cache is not followed. */
static void test_cache_entry__links_are_not_followed(void **state)
{
	uint32_t nr;

	(void)state;
	assert_int_equal(mkdir("victim", 0755), 0);
	assert_int_equal(symlinkat("../victim", dir_fd, "usr"), 0);
	assert_int_equal(write_path("/usr/a", 0x10, false, &nr),
			 RPT_CACHE_FAILED);
	assert_int_equal(rmdir("victim"), 0); /* it is still empty */
	assert_false(is_there(LINK));
	/* the entry of a build-id */
	assert_int_equal(mkdir("victim", 0755), 0);
	assert_int_equal(symlinkat("../../../victim", dir_fd, LINK), 0);
	assert_int_equal(write_path("/b", 0x10, false, &nr), RPT_CACHE_FOREIGN);
	assert_int_equal(write_path("/b", 0x10, true, &nr), RPT_CACHE_FOREIGN);
	assert_int_equal(rmdir("victim"), 0);
}

static void test_cache_entry__full_files_stay(void **state)
{
	uint32_t nr;
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(write_path("/a", 0x10, false, &nr), RPT_CACHE_MADE);
	assert_int_equal(unlinkat(dir_fd, LINK "/elf", 0), 0);
	assert_int_equal(write_path("/a", 0x10, true, &nr), RPT_CACHE_FOREIGN);
	fd = openat(dir_fd, LINK "/elf", O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_int_equal(write(fd, "other", 5), 5);
	close(fd);
	assert_int_equal(write_path("/a", 0x10, true, &nr), RPT_CACHE_FOREIGN);
	assert_int_equal(fstatat(dir_fd, LINK "/elf", &st, 0), 0);
	assert_int_equal(st.st_size, 5);
	/* not linked, either */
	assert_int_equal(unlinkat(dir_fd, LINK, 0), 0);
	assert_int_equal(write_path("/a", 0x10, true, &nr), RPT_CACHE_FOREIGN);
	assert_int_equal(fstatat(dir_fd, "a/" ID "/elf", &st, 0), 0);
	assert_int_equal(st.st_size, 5);
	/* nobody waits for a FIFO */
	assert_int_equal(unlinkat(dir_fd, "a/" ID "/elf", 0), 0);
	assert_int_equal(mkfifoat(dir_fd, "a/" ID "/elf", 0600), 0);
	assert_int_equal(write_path("/a", 0x10, true, &nr), RPT_CACHE_FOREIGN);
}

static void test_cache_entry__perf_map(void **state)
{
	struct pd_carried_name names[] = { named(0x7f0000, "a b"),
					   named(0x7f0010, "c\nd") };
	const struct pd_carried_file file = {
		.kind = PD_CARRIED_PERF_MAP,
		.pid = 12,
		.names = names,
		.name_nr = 2,
	};
	char text[64] = "";
	uint32_t nr;
	int fd;

	(void)state;
	assert_int_equal(rpt_cache_map_write(dir_fd, &file, &nr), 0);
	assert_int_equal(nr, 1);
	fd = openat(dir_fd, "perf-12.map", O_RDONLY);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	assert_string_equal(text, "7f0000 10 a b\n");
	assert_int_equal(rpt_cache_map_write(dir_fd, &file, &nr), -EEXIST);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cache_entry__names_add_up),
		TEST(test_cache_entry__vdso),
		TEST(test_cache_entry__paths_stay_below),
		TEST(test_cache_entry__links_are_not_followed),
		TEST(test_cache_entry__full_files_stay),
		TEST(test_cache_entry__perf_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
