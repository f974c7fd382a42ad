#include "record/service/control_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Two pipes, and what is given to --control for them. */
struct fixture {
	int command[2];
	int ack[2];
	struct rec_control_fd control;
};

static void open_fixture(struct fixture *f)
{
	char spec[64];

	assert_int_equal(pipe2(f->command, O_CLOEXEC), 0);
	assert_int_equal(pipe2(f->ack, O_CLOEXEC), 0);
	snprintf(spec, sizeof(spec), "fd:%d,%d", f->command[0], f->ack[1]);
	assert_int_equal(rec_control_fd_open(&f->control, spec, NULL), 0);
}

static void close_fixture(struct fixture *f)
{
	rec_control_fd_close(&f->control);
	for (int i = 0; i < 2; i++) {
		close(f->command[i]);
		close(f->ack[i]);
	}
}

static void tell(const struct fixture *f, const char *text)
{
	assert_int_equal(write(f->command[1], text, strlen(text)),
			 strlen(text));
}

static void test_control_fd__lines_come_one_by_one(void **state)
{
	struct fixture f;
	char line[16];

	(void)state;
	open_fixture(&f);
	assert_int_equal(rec_control_fd_read(&f.control, line, 16), 0);
	tell(&f, "enable\n\nping\nlast");
	assert_int_equal(rec_control_fd_read(&f.control, line, 16), 1);
	assert_string_equal(line, "enable");
	assert_int_equal(rec_control_fd_read(&f.control, line, 16), 1);
	assert_string_equal(line, "");
	assert_int_equal(rec_control_fd_read(&f.control, line, 16), 1);
	assert_string_equal(line, "ping");
	/* as perf: what came without a newline is a command too */
	assert_int_equal(rec_control_fd_read(&f.control, line, 16), 1);
	assert_string_equal(line, "last");
	assert_int_equal(rec_control_fd_read(&f.control, line, 16), 0);
	close_fixture(&f);
}

static void test_control_fd__long_lines_are_cut(void **state)
{
	struct fixture f;
	char line[5];

	(void)state;
	open_fixture(&f);
	tell(&f, "disable cpu-clock\nping\n");
	assert_int_equal(rec_control_fd_read(&f.control, line, 5), 1);
	assert_string_equal(line, "disa");
	assert_int_equal(rec_control_fd_read(&f.control, line, 5), 1);
	assert_string_equal(line, "ping");
	close_fixture(&f);
}

static void test_control_fd__returns_epipe_at_the_end(void **state)
{
	struct fixture f;
	char line[16];

	(void)state;
	open_fixture(&f);
	tell(&f, "stop");
	close(f.command[1]);
	f.command[1] = -1;
	assert_int_equal(rec_control_fd_read(&f.control, line, 16), 1);
	assert_string_equal(line, "stop");
	assert_int_equal(rec_control_fd_read(&f.control, line, 16), -EPIPE);
	close_fixture(&f);
}

static void test_control_fd__ack_is_five_bytes(void **state)
{
	struct fixture f;
	char got[16];

	(void)state;
	open_fixture(&f);
	assert_int_equal(rec_control_fd_ack(&f.control, true), 0);
	assert_int_equal(read(f.ack[0], got, sizeof(got)), 5);
	assert_memory_equal(got, "ack\n\0", 5);
	assert_int_equal(rec_control_fd_ack(&f.control, false), 0);
	assert_int_equal(read(f.ack[0], got, sizeof(got)), 5);
	assert_memory_equal(got, "nak\n\0", 5);
	close_fixture(&f);
}

static void test_control_fd__what_is_neither_is_refused(void **state)
{
	static const char *const specs[] = {
		"",	 "fd",	  "fd:",    "fd:x",	    "fd:1,",
		"fd:,1", "fd:1x", "fd:-1",  "fd:999999999", "fd:1,999999999",
		"foo:1", "fifo:", "fifo:,", "pipe:/tmp/x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct rec_control_fd control = REC_CONTROL_FD_INIT;
		struct pd_err err = PD_ERR_INIT;

		assert_int_equal(rec_control_fd_open(&control, specs[i], &err),
				 -EINVAL);
		assert_true(err.hint[0]);
		assert_int_equal(control.fd, -1);
		assert_int_equal(rec_control_fd_check(specs[i], NULL), -EINVAL);
	}
}

static void test_control_fd__fifo_that_is_not_there(void **state)
{
	struct rec_control_fd control = REC_CONTROL_FD_INIT;
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	assert_int_equal(
		rec_control_fd_open(&control, "fifo:/nonexistent/x", &err),
		-ENOENT);
	assert_int_equal(rec_control_fd_check("fifo:/nonexistent/x", NULL),
			 -ENOENT);
	assert_string_equal(err.text, "--control: /nonexistent/x: No such file "
				      "or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_control_fd__lines_come_one_by_one),
		cmocka_unit_test(test_control_fd__long_lines_are_cut),
		cmocka_unit_test(test_control_fd__returns_epipe_at_the_end),
		cmocka_unit_test(test_control_fd__ack_is_five_bytes),
		cmocka_unit_test(test_control_fd__what_is_neither_is_refused),
		cmocka_unit_test(test_control_fd__fifo_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
