#include "record/service/metrics_file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { LONG = 256 * 1024 }; /* more than a pipe holds */

struct fixture {
	char folder[64], path[96];
	struct rec_metrics_file file;
	struct pd_buf text;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->folder, "/tmp/perfpair-metrics-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->path, sizeof(f->path), "%s/m.prom", f->folder);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	assert_int_equal(rmdir(f->folder), 0); /* nothing else is left */
	pd_buf_release(&f->text);
	free(f);
	return 0;
}

static void wait_until_ready(struct fixture *f, struct pd_err *err)
{
	for (int i = 0; !rec_metrics_file_is_ready(&f->file, err); i++) {
		assert_true(i < 60000);
		usleep(1000);
	}
}

static void test_metrics_file__is_replaced_as_a_whole(void **state)
{
	struct fixture *f = *state;
	struct pd_err err = PD_ERR_INIT;
	struct stat first, second;

	assert_int_equal(rec_metrics_file_check(f->path, &err), 0);
	assert_int_equal(stat(f->path, &first), -1);
	pd_buf_bytes(&f->text, "a 1\n", 4);
	assert_int_equal(
		rec_metrics_file_open(&f->file, f->path, &f->text, &err), 0);
	assert_int_equal(stat(f->path, &first), 0);
	assert_int_equal(first.st_mode & 0777, 0644);
	pd_buf_bytes(&f->text, "b 2\n", 4);
	assert_true(rec_metrics_file_is_ready(&f->file, &err));
	rec_metrics_file_put(&f->file, &f->text);
	assert_null(f->text.data);
	wait_until_ready(f, &err);
	assert_int_equal(err.code, 0);
	assert_int_equal(stat(f->path, &second), 0);
	assert_int_equal(second.st_size, 8);
	assert_true(second.st_ino != first.st_ino);
	rec_metrics_file_close(&f->file);
}

/* A pipe that nobody reads is as slow as any disk. */
static void test_metrics_file__waits_for_nobody(void **state)
{
	struct fixture *f = *state;
	struct pd_err err = PD_ERR_INIT;
	char block[4096];
	ssize_t n, len = 0;
	int fd;

	assert_int_equal(mkfifo(f->path, 0600), 0);
	fd = open(f->path, O_RDWR | O_NONBLOCK);
	assert_true(fd >= 0);
	pd_buf_bytes(&f->text, "a 1\n", 4);
	assert_int_equal(
		rec_metrics_file_open(&f->file, f->path, &f->text, &err), 0);
	pd_buf_zero(&f->text, LONG - 4);
	rec_metrics_file_put(&f->file, &f->text);
	usleep(20000);
	assert_false(rec_metrics_file_is_ready(&f->file, &err));
	while (len < LONG + 4) {
		n = read(fd, block, sizeof(block));
		len += n > 0 ? n : 0;
	}
	wait_until_ready(f, &err);
	assert_int_equal(err.code, 0);
	close(fd);
}

static void test_metrics_file__says_why_it_cannot_be(void **state)
{
	struct fixture *f = *state;
	struct pd_err err = PD_ERR_INIT;

	pd_buf_bytes(&f->text, "a 1\n", 4);
	assert_int_equal(symlink("other", f->path), 0);
	assert_int_equal(rec_metrics_file_check(f->path, &err), -EEXIST);
	assert_non_null(strstr(err.text, "is a link"));
	unlink(f->path);
	err = (struct pd_err)PD_ERR_INIT;
	assert_int_equal(
		rec_metrics_file_open(&f->file, f->path, &f->text, &err), 0);
	/* Later failures are told, and it is tried again. */
	assert_int_equal(unlink(f->path), 0);
	assert_int_equal(symlink("other", f->path), 0);
	rec_metrics_file_put(&f->file, &f->text);
	wait_until_ready(f, &err);
	assert_int_equal(err.code, -EEXIST);
	unlink(f->path);
	pd_buf_bytes(&f->text, "b 2\n", 4);
	rec_metrics_file_put(&f->file, &f->text);
	wait_until_ready(f, &err);
	assert_int_equal(access(f->path, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_metrics_file__is_replaced_as_a_whole, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			test_metrics_file__waits_for_nobody, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_metrics_file__says_why_it_cannot_be, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
