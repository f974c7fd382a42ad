#include "record/targets/online.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* CPUs 0 to 3 are recorded. */
struct fixture {
	char sysfs[64];
	int cpus[4];
	struct rec_target target;
	struct rec_online online;
	char *said;
	size_t said_len;
};

static void put_online(struct fixture *f, const char *list)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "mkdir -p %s/devices/system/cpu && "
		 "echo %s >%s/devices/system/cpu/online",
		 f->sysfs, list, f->sysfs);
	assert_int_equal(system(command), 0);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->sysfs, "/tmp/perfpair-online-XXXXXX");
	assert_non_null(mkdtemp(f->sysfs));
	for (int i = 0; i < 4; i++)
		f->cpus[i] = i;
	f->target = (struct rec_target){ .cpus = f->cpus,
					 .cpu_nr = 4,
					 .system_wide = true };
	assert_int_equal(
		rec_online_init(&f->online, &f->target, f->sysfs, true), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	rec_online_release(&f->online);
	snprintf(command, sizeof(command), "rm -r %s", f->sysfs);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

/* What is said when these are online; something has changed if anything is. */
static void check(struct fixture *f, const char *list, const char *want)
{
	FILE *say = open_memstream(&f->said, &f->said_len);

	put_online(f, list);
	assert_int_equal(rec_online_look(&f->online, say), *want != '\0');
	fclose(say);
	assert_string_equal(f->said, want);
	free(f->said);
}

static void test_online__reports_nothing_without_changes(void **state)
{
	check(*state, "0-3", "");
	check(*state, "0,1-2,3", "");
}

static void test_online__reports_an_offline_cpu_once(void **state)
{
	struct fixture *f = *state;

	check(f, "0-1,3",
	      "[ perfpair-record: CPU 2 went offline: it is not recorded from "
	      "now on, not even when it is back ]\n");
	check(f, "0-1,3", "");
	check(f, "0-3", "");
	check(f, "0-2",
	      "[ perfpair-record: CPU 3 went offline: it is not recorded from "
	      "now on, not even when it is back ]\n");
}

static void test_online__events_that_follow_tasks_go_on(void **state)
{
	struct fixture *f = *state;

	f->target.system_wide = false;
	check(f, "0", "");
	f->target.any_cpu = true;
	check(f, "0-7", "");
}

static void test_online__reports_a_new_cpu_once(void **state)
{
	struct fixture *f = *state;

	check(f, "0-4",
	      "[ perfpair-record: CPU 4 came online: only a new recording has "
	      "it ]\n");
	check(f, "0-3", "");
	check(f, "0-5",
	      "[ perfpair-record: CPU 5 came online: only a new recording has "
	      "it ]\n");
	f->online.wants_new = false; /* -C */
	check(f, "0-7", "");
}

static void
test_online__a_recorder_that_reloads_takes_what_changed(void **state)
{
	struct fixture *f = *state;

	f->online.is_reload = true;
	check(f, "0-4",
	      "[ perfpair-record: CPU 4 came online: recording again on those "
	      "that are online ]\n");
	check(f, "0-2,4",
	      "[ perfpair-record: CPU 3 went offline: recording again on those "
	      "that are online ]\n");
	assert_false(rec_online_look(&f->online, NULL));
}

/* CPUs are offline meanwhile, and nobody can look. */
static void test_online__a_sleep_is_noticed_by_who_reloads(void **state)
{
	struct fixture *f = *state;
	int64_t slept_ns = f->online.asleep_ns;

	/* as if the last look had been before a sleep of a second */
	f->online.asleep_ns = slept_ns - 1000000000;
	check(f, "0-3", "");
	assert_true(f->online.has_slept);
	f->online.is_reload = true;
	check(f, "0-3", "");
	f->online.asleep_ns = slept_ns - 1000000000;
	check(f, "0-3",
	      "[ perfpair-record: the machine has slept: recording again, "
	      "since CPUs may have lost their events ]\n");
	check(f, "0-3", "");
}

static void test_online__a_list_that_is_none_changes_nothing(void **state)
{
	struct fixture *f = *state;

	check(f, "x", "");
	check(f, "", "");
	f->online.sysfs = "/nonexistent";
	check(f, "0", "");
}

#define ONLINE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ONLINE_TEST(test_online__reports_nothing_without_changes),
		ONLINE_TEST(test_online__reports_an_offline_cpu_once),
		ONLINE_TEST(test_online__events_that_follow_tasks_go_on),
		ONLINE_TEST(test_online__reports_a_new_cpu_once),
		ONLINE_TEST(
			test_online__a_recorder_that_reloads_takes_what_changed),
		ONLINE_TEST(test_online__a_sleep_is_noticed_by_who_reloads),
		ONLINE_TEST(test_online__a_list_that_is_none_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
