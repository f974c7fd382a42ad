#include "record/snapshot/proc_maps.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */

static bool parse(const char *text, struct rec_map *map)
{
	return rec_map_parse(
		(struct rec_text_scan){ text, text + strlen(text) }, map);
}

static void test_proc_maps__all_fields_of_a_line(void **state)
{
	struct rec_map map;

	(void)state;
	assert_true(parse("7f82406a9000-7f82406cb000 r-xs 0000f000 fe:1a "
			  "18446744073709551615        /a b\\012c (deleted)",
			  &map));
	assert_int_equal(map.start, 0x7f82406a9000);
	assert_int_equal(map.end, 0x7f82406cb000);
	assert_int_equal(map.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(map.flags, MAP_SHARED);
	assert_int_equal(map.pgoff, 0xf000);
	assert_int_equal(map.maj, 0xfe);
	assert_int_equal(map.min, 0x1a);
	assert_true(map.ino == UINT64_MAX);
	assert_true(pd_str_eq(map.name, "/a b\\012c (deleted)"));
}

static void test_proc_maps__anonymous_has_an_empty_name(void **state)
{
	struct rec_map map;

	(void)state;
	assert_true(parse("1000-2000 -w-p 00000000 00:00 0 ", &map));
	assert_int_equal(map.prot, PROT_WRITE);
	assert_int_equal(map.flags, MAP_PRIVATE);
	assert_int_equal(map.name.len, 0);
	assert_true(parse("ffffffffff600000-ffffffffff601000 --xp 00000000 "
			  "00:00 0                  [vsyscall]",
			  &map));
	assert_true(map.start == UINT64_C(0xffffffffff600000));
	assert_true(pd_str_eq(map.name, "[vsyscall]"));
}

static void test_proc_maps__broken_lines_are_refused(void **state)
{
	static const char *const lines[] = {
		"",
		"-",
		"1000",
		"1000-",
		"1000-2000",
		"1000-2000 r-x",
		"1000-2000 r-xq 00000000 00:00 0",
		"1000-2000r-xp 00000000 00:00 0",
		"1000-2000 r-xp",
		"1000-2000 r-xp 0000000g 00:00 0",
		"1000-2000 r-xp 00000000 00 0",
		"1000-2000 r-xp 00000000 00: 0",
		"1000-2000 r-xp 00000000 100000000:00 0",
		"1000-2000 r-xp 00000000 00:00",
		"1000-2000 r-xp 00000000 00:00 x",
		"1000-2000 r-xp 00000000 00:00 18446744073709551616",
		"10000000000000000-20000000000000000 r-xp 00000000 00:00 0",
		"2000-1000 r-xp 00000000 00:00 0", /* ends before it starts */
		"1000-1000 r-xp 00000000 00:00 0",
	};
	struct rec_map map;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(parse(lines[i], &map));
}

/* The executable mappings of our own text, without the vsyscall page. */
static size_t own_maps(char *text, size_t cap, struct rec_map *ret,
		       size_t ret_cap)
{
	const int fd = open("/proc/self/maps", O_RDONLY);
	struct rec_text_scan all = { text, text };
	struct rec_text_scan line;
	size_t nr = 0;
	ssize_t n;

	assert_true(fd >= 0);
	while ((n = read(fd, text + (all.end - text),
			 cap - (size_t)(all.end - text))) > 0)
		all.end += n;
	close(fd);
	while (nr < ret_cap && rec_text_scan_line(&all, &line)) {
		assert_true(rec_map_parse(line, &ret[nr]));
		nr += (ret[nr].prot & PROT_EXEC) &&
		      !pd_str_eq(ret[nr].name, "[vsyscall]");
	}
	return nr;
}

static void test_proc_maps__query_tells_what_the_text_tells(void **state)
{
	enum { MAP_NR = 64 };
	static char text[1 << 16];
	static struct rec_map maps[MAP_NR + 1];
	const size_t nr = own_maps(text, sizeof(text), maps, MAP_NR);
	const int fd = open("/proc/self/maps", O_RDONLY);
	struct rec_map map = { 0 };
	char name[4096];

	(void)state;
	if (rec_map_query(fd, 0, name, sizeof(name), &map) == -ENOTTY) {
		close(fd);
		skip(); /* before Linux 6.11 */
	}
	map.end = 0;
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(
			rec_map_query(fd, map.end, name, sizeof(name), &map),
			1);
		assert_int_equal(map.start, maps[i].start);
		assert_int_equal(map.end, maps[i].end);
		assert_int_equal(map.pgoff, maps[i].pgoff);
		assert_int_equal(map.prot, maps[i].prot);
		assert_int_equal(map.flags, maps[i].flags);
		assert_int_equal(map.maj, maps[i].maj);
		assert_int_equal(map.min, maps[i].min);
		assert_int_equal(map.ino, maps[i].ino);
		assert_int_equal(map.name.len, maps[i].name.len);
		assert_memory_equal(map.name.ptr, maps[i].name.ptr,
				    map.name.len);
	}
	assert_int_equal(rec_map_query(fd, map.end, name, sizeof(name), &map),
			 0);
	close(fd);
}

static void test_proc_maps__query_of_another_file_returns_enotty(void **state)
{
	const int fd = open("/dev/null", O_RDONLY);
	struct rec_map map;
	char name[64];

	(void)state;
	assert_int_equal(rec_map_query(fd, 0, name, sizeof(name), &map),
			 -ENOTTY);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_proc_maps__all_fields_of_a_line),
		cmocka_unit_test(test_proc_maps__anonymous_has_an_empty_name),
		cmocka_unit_test(test_proc_maps__broken_lines_are_refused),
		cmocka_unit_test(
			test_proc_maps__query_tells_what_the_text_tells),
		cmocka_unit_test(
			test_proc_maps__query_of_another_file_returns_enotty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
