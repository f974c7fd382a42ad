/* output.h: what was written is read back; nothing behind a gap. */
#include "record/ring/output.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include <cmocka.h>

static void add(struct rec_output_copy *copy, const char *a, const char *b)
{
	const struct iovec parts[] = {
		{ (char *)(uintptr_t)a, strlen(a) },
		{ (char *)(uintptr_t)b, strlen(b) },
	};

	rec_output_copy_add(copy, parts, 2);
}

static void holds(const struct rec_output_copy *copy, const char *text)
{
	char found[64];
	ssize_t len = pread(copy->fd, found, sizeof(found), 0);

	assert_int_equal(copy->len, strlen(text));
	assert_int_equal(len, strlen(text));
	assert_memory_equal(found, text, strlen(text));
}

static void open_in_tmp(struct rec_output_copy *copy, uint64_t len_max)
{
	int dir_fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	assert_int_equal(rec_output_copy_open(copy, dir_fd, len_max), 0);
	assert_int_equal(fstat(copy->fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	close(dir_fd);
}

static void test_output_copy__holds_what_fits(void **state)
{
	struct rec_output_copy copy;

	(void)state;
	open_in_tmp(&copy, 12);
	add(&copy, "one", "two");
	add(&copy, "", "three");
	assert_false(copy.is_cut);
	holds(&copy, "onetwothree");
	add(&copy, "f", "our");
	assert_true(copy.is_cut);
	add(&copy, "", "5"); /* fits, but what it follows does not */
	holds(&copy, "onetwothree");
	rec_output_copy_close(&copy);
	rec_output_copy_close(&copy);
}

/* The file system takes the first half of a piece only. */
static void test_output_copy__has_no_halves(void **state)
{
	struct rlimit before, less;
	struct rec_output_copy copy;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	open_in_tmp(&copy, UINT64_MAX);
	add(&copy, "one", "two");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	less = before;
	less.rlim_cur = 8;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
	add(&copy, "three", "four");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_true(copy.is_cut);
	holds(&copy, "onetwo");
	rec_output_copy_close(&copy);
}

static void test_output_copy__needs_a_folder(void **state)
{
	struct rec_output_copy copy;

	(void)state;
	assert_true(rec_output_copy_open(&copy, -1, 1) < 0);
	rec_output_copy_close(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output_copy__holds_what_fits),
		cmocka_unit_test(test_output_copy__has_no_halves),
		cmocka_unit_test(test_output_copy__needs_a_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
