/* perf_map_line.h: which paths are perf maps, and which lines of them count. */
#include "format/symtab/perf_map_line.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct pd_str str(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
}

static void test_is_perf_map__by_the_pid(void **state)
{
	static const char *const others[] = {
		"/tmp/perf-.map",
		"/tmp/perf-x.map",
		"/tmp/perf-1.maps",
		"/tmp/perf-1.map ",
		"/tmp/perf-01.map",
		"/tmp/perf- 1.map",
		"/tmp/perf-+1.map",
		"/tmp/perf-4294967296.map",
		"/tmp/perf-42949672950.map",
		"tmp/perf-1.map",
		"/tmp/perf-",
		"",
	};
	uint32_t pid;

	(void)state;
	assert_true(pd_is_perf_map(str("/tmp/perf-12.map"), &pid));
	assert_int_equal(pid, 12);
	assert_true(pd_is_perf_map(str("/tmp/perf-0.map"), &pid));
	assert_int_equal(pid, 0);
	assert_true(pd_is_perf_map(str("/tmp/perf-4294967295.map"), &pid));
	assert_int_equal(pid, UINT32_MAX);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(pd_is_perf_map(str(others[i]), NULL));
}

static void test_perf_map_line__files_of_code_that_was_made(void **state)
{
	static const char *const paths[] = { "/memfd:doublemapper (deleted)",
					     "/memfd:x",
					     "/tmp/ffi (deleted)",
					     "/dev/shm/jit",
					     "/a/b.dll",
					     "/a/b.exe" };
	static const char *const others[] = { "/lib/a.so", "/memfd",
					      "memfd:x",   "/dev/shm",
					      "/a.dll/b",  "/a (deleted)b",
					      "(deleted)", "" };
	const size_t unlinked_nr = 3;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_true(pd_may_be_jit_file(str(paths[i])));
		assert_true(pd_is_unlinked(str(paths[i])) == (i < unlinked_nr));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(pd_may_be_jit_file(str(others[i])));
}

static void test_perf_map_line__of_functions(void **state)
{
	static const struct {
		const char *text;
		uint64_t start, len;
		const char *name;
	} lines[] = {
		{ "1000 20 one", 0x1000, 0x20, "one" },
		{ "7fFf 0 two words", 0x7fff, 0, "two words" },
		{ "0x1000 0X20 java", 0x1000, 0x20, "java" },
		{ "1000 20 cr\r", 0x1000, 0x20, "cr" },
		{ "1000 20 in\rside", 0x1000, 0x20, "in\rside" },
		{ " 1000  20  x ", 0x1000, 0x20, " x " },
		{ "0 ffffffffffffffff all", 0, UINT64_MAX, "all" },
	};
	struct pd_perf_map_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_true(pd_perf_map_line_read(str(lines[i].text), &line));
		assert_int_equal(line.start, lines[i].start);
		assert_int_equal(line.len, lines[i].len);
		assert_true(pd_str_eq(line.name, lines[i].name));
		assert_int_equal(pd_perf_map_symbol(&line).rank, line.len != 0);
	}
}

static void test_perf_map_line__of_nothing(void **state)
{
	static const char *const lines[] = {
		"",
		"\r",
		"1000",
		"1000 20",
		"1000 20 ",
		"1000 20 \r",
		"1000 zz x",
		"zz 20 x",
		"-1000 20 x",
		"0x 20 x",
		"1000\t20 x",
		"1000 20\tx",
		"2 ffffffffffffffff wraps",
		"10000000000000000 20 beyond",
	};
	static const char nul[] = "1000 20 a\0b";
	struct pd_perf_map_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(pd_perf_map_line_read(str(lines[i]), &line));
	assert_false(pd_perf_map_line_read(
		(struct pd_str){ nul, sizeof(nul) - 1 }, &line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_perf_map__by_the_pid),
		cmocka_unit_test(
			test_perf_map_line__files_of_code_that_was_made),
		cmocka_unit_test(test_perf_map_line__of_functions),
		cmocka_unit_test(test_perf_map_line__of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
