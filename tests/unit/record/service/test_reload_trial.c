#include "record/service/reload_trial.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* A shell script instead of the program. */
struct fixture {
	char dir[64];
	char program[80];
	struct rec_reload_trial trial;
	struct pd_err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/perfpair-trial-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->program, sizeof(f->program), "%s/program", f->dir);
	f->trial.fd = -1;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rec_reload_trial_close(&f->trial);
	unlink(f->program);
	rmdir(f->dir);
	free(f);
	return 0;
}

static void put_program(const struct fixture *f, const char *script)
{
	FILE *file = fopen(f->program, "we");

	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", script);
	fclose(file);
	chmod(f->program, 0700);
}

static void open_words(struct fixture *f, int argc, char **argv,
		       const char *config, uint64_t limit_ns)
{
	struct rec_args args = { .argc = argc, .argv = argv, .config = config };

	argv[0] = f->program;
	assert_int_equal(
		rec_reload_trial_open(&f->trial, &args, limit_ns, &f->err), 0);
	assert_false(f->trial.runs);
}

static void open_trial(struct fixture *f, uint64_t limit_ns)
{
	char config[] = "--config=c";
	char *argv[] = { NULL, config, NULL };

	open_words(f, 2, argv, config + 9, limit_ns);
}

/* Return what came out. */
static int try(struct fixture *f)
{
	int rc;

	f->err = (struct pd_err)PD_ERR_INIT;
	rec_reload_trial_start(&f->trial);
	assert_true(f->trial.runs);
	while ((rc = rec_reload_trial_poll(&f->trial, &f->err)) == 1)
		usleep(1000);
	assert_false(f->trial.runs);
	assert_int_equal(f->err.code, rc);
	return rc;
}

static const uint64_t long_ns = 60000000000;

static void test_reload_trial__options_that_can_be_used(void **state)
{
	struct fixture *f = *state;

	put_program(f, "echo this is not wrong >&2");
	open_trial(f, long_ns);
	assert_int_equal(try(f), 0);
}

static void test_reload_trial__what_it_said_is_the_reason(void **state)
{
	struct fixture *f = *state;

	put_program(f, "echo 'perfpair-record: no such thing: x' >&2\n"
		       "echo 'perfpair-record: look with ps' >&2\n"
		       "echo more >&2; exit 2");
	open_trial(f, long_ns);
	assert_int_equal(try(f), -ECANCELED);
	assert_string_equal(f->err.text, "no such thing: x");
	assert_string_equal(f->err.hint, "look with ps");
}

static void test_reload_trial__each_one_is_asked_anew(void **state)
{
	struct fixture *f = *state;

	open_trial(f, long_ns);
	assert_int_equal(try(f), -ECANCELED);
	assert_string_equal(f->err.text,
			    "the program cannot be executed again");
	put_program(f, "echo first >&2; exit 1");
	assert_int_equal(try(f), -ECANCELED);
	assert_string_equal(f->err.text, "first");
	put_program(f, "exit 3");
	assert_int_equal(try(f), -ECANCELED);
	assert_string_equal(f->err.text,
			    "the process that tried the options ended with 3");
	put_program(f, "exit 0");
	assert_int_equal(try(f), 0);
}

/* More than a pipe holds. */
static void test_reload_trial__one_that_says_too_much(void **state)
{
	struct fixture *f = *state;

	put_program(f, "yes 12345678 | head -c 1000000 >&2; exit 1");
	open_trial(f, long_ns);
	assert_int_equal(try(f), -ECANCELED);
	assert_string_equal(f->err.text, "12345678");
	assert_string_equal(f->err.hint, "12345678");
}

static void test_reload_trial__one_that_leaves_something_running(void **state)
{
	struct fixture *f = *state;
	time_t begin = time(NULL);

	put_program(f, "sleep 5 >&2 & echo wrong >&2; exit 1");
	open_trial(f, long_ns);
	assert_int_equal(try(f), -ECANCELED);
	assert_string_equal(f->err.text, "wrong");
	assert_true(time(NULL) - begin < 4);
}

static void test_reload_trial__one_that_a_signal_ends(void **state)
{
	struct fixture *f = *state;

	put_program(f, "echo said >&2; kill -9 $$");
	open_trial(f, long_ns);
	assert_int_equal(try(f), -ECANCELED);
	assert_string_equal(
		f->err.text,
		"signal 9 ended the process that tried the options");
}

static void test_reload_trial__one_that_hangs(void **state)
{
	struct fixture *f = *state;

	put_program(f, "trap '' TERM; exec 2>&-; exec sleep 1000");
	open_trial(f, 200000000);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(try(f), -ECANCELED);
		assert_string_equal(f->err.text,
				    "trying the options took too long");
	}
}

static pid_t child_of(pid_t pid)
{
	char path[80];
	pid_t ret = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	while (!ret && (file = fopen(path, "re"))) {
		if (fscanf(file, "%d", &ret) != 1)
			usleep(1000);
		fclose(file);
	}
	return ret;
}

static void wait_until_gone(pid_t pid)
{
	while (!kill(pid, 0))
		usleep(1000);
	assert_int_equal(errno, ESRCH);
}

static void test_reload_trial__one_that_is_not_wanted_any_more(void **state)
{
	struct fixture *f = *state;
	pid_t trier, trial;

	put_program(f, "exec sleep 1000");
	open_trial(f, long_ns);
	rec_reload_trial_start(&f->trial);
	assert_int_equal(rec_reload_trial_poll(&f->trial, &f->err), 1);
	trier = f->trial.pid;
	trial = child_of(trier);
	rec_reload_trial_close(&f->trial);
	wait_until_gone(trial);
	wait_until_gone(trier);
	rec_reload_trial_close(&f->trial);
}

static void test_reload_trial__nobody_tries(void **state)
{
	struct fixture *f = *state;

	open_trial(f, long_ns);
	kill(f->trial.pid, SIGHUP); /* is not for it */
	usleep(10000);
	assert_int_equal(kill(f->trial.pid, SIGKILL), 0);
	assert_int_equal(waitpid(f->trial.pid, NULL, 0), f->trial.pid);
	assert_int_equal(try(f), -ECANCELED);
	assert_string_equal(f->err.text,
			    "the process that tries options is gone");
}

/* The two options follow the file's name: behind "--" they would be a command.
 */
static void test_reload_trial__its_options(void **state)
{
	char option[] = "--config", both[] = "--config=a=b", name[] = "a=b";
	char all[] = "-a", end[] = "--";
	char *apart[] = { NULL, option, name, all, end, NULL };
	char *joined[] = { NULL, both, all, end, NULL };
	struct fixture *f = *state;

	put_program(f, "echo \"$@\" >&2; exit 1");
	open_words(f, 5, apart, name, long_ns);
	assert_int_equal(try(f), -ECANCELED);
	assert_string_equal(f->err.text, "--config a=b --dry-run -q -a --");
	rec_reload_trial_close(&f->trial);
	open_words(f, 4, joined, both + 9, long_ns);
	assert_int_equal(try(f), -ECANCELED);
	assert_string_equal(f->err.text, "--config=a=b --dry-run -q -a --");
}

/* As they were at the start, whatever the recorder is now. */
static void test_reload_trial__its_limits_and_signals(void **state)
{
	struct fixture *f = *state;
	struct rlimit limit, first;
	char was[80];

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &first), 0);
	put_program(f, "echo $(ulimit -n) $(grep SigBlk /proc/self/status) "
		       "$(cat /proc/self/oom_score_adj) >&2; exit 1");
	open_trial(f, long_ns);
	limit = first;
	limit.rlim_cur--;
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(try(f), -ECANCELED);
	setrlimit(RLIMIT_NOFILE, &first);
	snprintf(was, sizeof(was), "%llu SigBlk: 0000000000000000 1000",
		 (unsigned long long)first.rlim_cur);
	assert_string_equal(f->err.text, was);
}

#define TRIAL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRIAL_TEST(test_reload_trial__options_that_can_be_used),
		TRIAL_TEST(test_reload_trial__what_it_said_is_the_reason),
		TRIAL_TEST(test_reload_trial__each_one_is_asked_anew),
		TRIAL_TEST(test_reload_trial__one_that_says_too_much),
		TRIAL_TEST(
			test_reload_trial__one_that_leaves_something_running),
		TRIAL_TEST(test_reload_trial__one_that_a_signal_ends),
		TRIAL_TEST(test_reload_trial__one_that_hangs),
		TRIAL_TEST(test_reload_trial__one_that_is_not_wanted_any_more),
		TRIAL_TEST(test_reload_trial__nobody_tries),
		TRIAL_TEST(test_reload_trial__its_options),
		TRIAL_TEST(test_reload_trial__its_limits_and_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
