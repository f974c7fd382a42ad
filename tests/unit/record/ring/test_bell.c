#include "record/ring/bell.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

static void test_bell__rings_are_looked_at_for_a_while(void **state)
{
	struct rec_bell bell = { .fd = -1 };

	(void)state;
	assert_true(rec_bell_due_ns(&bell, 5000 * MS) == UINT64_MAX);
	assert_false(rec_bell_is_over(&bell, 9000 * MS));
	/* once it has mapped its files */
	rec_bell_note(&bell, 6000 * MS);
	assert_true(rec_bell_due_ns(&bell, 5000 * MS) == 6020 * MS);
	/* not oftener than four times a second */
	assert_true(rec_bell_due_ns(&bell, 5900 * MS) == 6150 * MS);
	assert_true(rec_bell_due_ns(&bell, 7900 * MS) == 8150 * MS);
	assert_false(rec_bell_is_over(&bell, 7999 * MS));
	assert_true(rec_bell_is_over(&bell, 8000 * MS));
	assert_true(rec_bell_due_ns(&bell, 8000 * MS) == UINT64_MAX);
}

static void run_program(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_bell__a_program_rings_it(void **state)
{
	const struct rec_target_spec spec = { .system_wide = true };
	struct rec_target target;
	struct pollfd fd = { .events = POLLIN };
	struct rec_bell bell;
	int rc;

	(void)state;
	assert_int_equal(rec_target_init(&target, &spec, NULL), 0);
	rc = rec_bell_open(&bell, &target);
	if (rc == -EACCES || rc == -EPERM) {
		rec_target_release(&target);
		skip();
	}
	assert_int_equal(rc, 0);
	fd.fd = bell.fd;
	run_program();
	assert_int_equal(poll(&fd, 1, 60000), 1);
	/* it has rung since it was heard the last time */
	rec_bell_note(&bell, MS);
	run_program();
	assert_false(rec_bell_is_over(&bell, 5000 * MS));
	assert_true(bell.rung_ns == 5000 * MS);
	rec_bell_close(&bell);
	rec_bell_close(&bell);
	rec_target_release(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bell__rings_are_looked_at_for_a_while),
		cmocka_unit_test(test_bell__a_program_rings_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
