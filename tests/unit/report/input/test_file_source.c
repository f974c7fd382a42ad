#include "report/input/file_source.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/perfpair-test-XXXXXX";
static char path[sizeof(folder) + 16];

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/file", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(folder);
}

static void write_file(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void test_file_source__maps_a_file(void **state)
{
	struct rpt_file_source src;
	struct stat st;

	(void)state;
	write_file("some bytes");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(rpt_file_source_open(&src, path, NULL), 0);
	assert_int_equal(src.len, 10);
	assert_memory_equal(src.base, "some bytes", 10);
	assert_false(src.is_piped);
	assert_int_equal(src.mtime_s, st.st_mtim.tv_sec);
	assert_true(rpt_file_source_holds(&src, src.base + 9));
	assert_false(rpt_file_source_holds(&src, src.base + 10));
	rpt_file_source_close(&src);
	rpt_file_source_close(&src); /* again: nothing left to do */
	assert_int_equal(unlink(path), 0);
}

static void test_file_source__copies_a_pipe(void **state)
{
	static const char text[] = "through the pipe";
	struct rpt_file_source src;
	char name[64];
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], text, sizeof(text)), sizeof(text));
	close(fds[1]);
	snprintf(name, sizeof(name), "/dev/fd/%d", fds[0]);
	assert_int_equal(rpt_file_source_open(&src, name, NULL), 0);
	assert_true(src.is_piped);
	assert_int_equal(src.len, sizeof(text));
	assert_memory_equal(src.base, text, sizeof(text));
	assert_int_equal(src.mtime_s, 0);
	rpt_file_source_close(&src);
	close(fds[0]);
}

static void test_file_source__reports_why_it_failed(void **state)
{
	struct rpt_file_source src;
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	assert_int_equal(rpt_file_source_open(&src, path, &err), -ENOENT);
	assert_string_equal(err.text, "No such file or directory");
	write_file("");
	err = (struct pd_err)PD_ERR_INIT;
	assert_int_equal(rpt_file_source_open(&src, path, &err), -ENODATA);
	assert_string_equal(err.text, "the file is empty");
	assert_int_equal(unlink(path), 0);
	/* a folder without "data" in it */
	assert_int_not_equal(rpt_file_source_open(&src, folder, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_source__maps_a_file),
		cmocka_unit_test(test_file_source__copies_a_pipe),
		cmocka_unit_test(test_file_source__reports_why_it_failed),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
