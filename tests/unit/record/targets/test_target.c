#include "record/targets/target.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_cpus(const char *text, const int *want, size_t want_nr)
{
	struct rec_cpu_list list;

	assert_int_equal(rec_cpu_list_parse(text, &list, NULL), 0);
	assert_int_equal(list.nr, want_nr);
	assert_memory_equal(list.cpus, want, want_nr * sizeof(*want));
	rec_cpu_list_release(&list);
}

static void test_target__cpu_lists_come_sorted_and_once(void **state)
{
	(void)state;
	assert_cpus("0", (int[]){ 0 }, 1);
	assert_cpus("0-3\n", (int[]){ 0, 1, 2, 3 }, 4);
	assert_cpus("8,2-3,3,0", (int[]){ 0, 2, 3, 8 }, 4);
}

static void assert_stat_cpus(const char *text, const int *want, size_t want_nr,
			     int want_code)
{
	char path[] = "/tmp/test_target.XXXXXX";
	int fd = mkstemp(path);
	struct rec_cpu_list list = { NULL, 0 };

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(rec_proc_stat_cpus(path, &list), want_code);
	unlink(path);
	assert_int_equal(list.nr, want_nr);
	if (want_nr)
		assert_memory_equal(list.cpus, want, want_nr * sizeof(*want));
	rec_cpu_list_release(&list);
}

static void test_target__cpus_of_proc_stat(void **state)
{
	(void)state;
	assert_stat_cpus("cpu  1 2 3\ncpu0 1 2\ncpu3 1 2\nintr 5\nctxt 1\n",
			 (int[]){ 0, 3 }, 2, 0);
	assert_stat_cpus("cpu  1 2 3\nintr 5\n", NULL, 0, -ENODATA);
	assert_stat_cpus("", NULL, 0, -ENODATA);
}

static void test_target__what_is_no_cpu_list_is_refused(void **state)
{
	static const char *const texts[] = {
		"",   "-1",  "3-1", "1,",    "a",
		"1-", "0x1", "1 2", "1-2-3", "99999999999999999999"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct pd_err err = PD_ERR_INIT;
		struct rec_cpu_list list;

		assert_int_equal(rec_cpu_list_parse(texts[i], &list, &err),
				 -EINVAL);
		assert_non_null(strstr(err.text, "is not a list of CPUs"));
	}
}

static void test_target__users_by_name_and_number(void **state)
{
	char path[] = "/tmp/perfpair-passwd-XXXXXX";
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");
	uid_t uid = 99;

	(void)state;
	fputs("root:x:0:0::/:/bin/sh\nann:x:1000:1000::/:\nannette:x:1001:1::/"
	      ":\nbroken\nbad:x:y:\n",
	      file);
	fclose(file);
	assert_int_equal(rec_user_id(path, "root", &uid), 0);
	assert_int_equal(uid, 0);
	assert_int_equal(rec_user_id(path, "ann", &uid), 0);
	assert_int_equal(uid, 1000);
	assert_int_equal(rec_user_id(path, "annette", &uid), 0);
	assert_int_equal(uid, 1001);
	assert_int_equal(rec_user_id(path, "4242", &uid), 0);
	assert_int_equal(uid, 4242);
	assert_int_equal(rec_user_id(path, "an", &uid), -ENOENT);
	assert_int_equal(rec_user_id(path, "broken", &uid), -ENOENT);
	assert_int_equal(rec_user_id(path, "bad", &uid), -ENOENT);
	unlink(path);
}

static void test_target__own_process_with_its_name(void **state)
{
	struct rec_target target;
	char pid[16];
	struct rec_target_spec spec = { .pid_list = pid };

	(void)state;
	snprintf(pid, sizeof(pid), "%d", getpid());
	assert_int_equal(rec_target_init(&target, &spec, NULL), 0);
	assert_int_equal(target.thread_nr, 1);
	assert_int_equal(target.threads[0].tid, getpid());
	assert_string_equal(target.threads[0].comm, "test_target");
	assert_false(target.system_wide);
	rec_target_release(&target);
}

static void test_target__per_thread_is_on_no_cpu(void **state)
{
	struct rec_target_spec spec = { .has_workload = true,
					.per_thread = true };
	struct rec_target target;

	(void)state;
	assert_int_equal(rec_target_init(&target, &spec, NULL), 0);
	assert_true(target.any_cpu);
	assert_int_equal(target.cpu_nr, 1);
	assert_int_equal(target.cpus[0], -1);
	assert_int_equal(target.threads[0].tid, 0);
	rec_target_set_workload(&target, 77);
	assert_int_equal(target.threads[0].tid, 77);
	rec_target_release(&target);
}

static void test_target__all_cpus_watch_any_thread(void **state)
{
	struct rec_target_spec spec = { .system_wide = true,
					.has_workload = true };
	struct rec_target target;

	(void)state;
	assert_int_equal(rec_target_init(&target, &spec, NULL), 0);
	assert_int_equal(target.cpu_nr, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(target.thread_nr, 1);
	assert_int_equal(target.threads[0].tid, -1);
	rec_target_set_workload(&target, 77);
	assert_int_equal(target.threads[0].tid, -1);
	rec_target_release(&target);
}

static void test_target__tasks_are_tracked_on_cpus_not_listed(void **state)
{
	struct rec_target_spec spec = { .cpu_list = "0" };
	struct rec_target target;
	long nr = sysconf(_SC_NPROCESSORS_ONLN);
	char all[32];

	(void)state;
	assert_int_equal(rec_target_init(&target, &spec, NULL), 0);
	assert_int_equal(target.cpu_nr, 1);
	assert_int_equal(target.tracking.nr, nr > 1 ? nr : 0);
	rec_target_release(&target);
	/* of these tasks nothing happens elsewhere that is not recorded */
	spec.pid_list = "1";
	assert_int_equal(rec_target_init(&target, &spec, NULL), 0);
	assert_int_equal(target.tracking.nr, 0);
	rec_target_release(&target);
	snprintf(all, sizeof(all), "0-%ld", nr - 1);
	spec = (struct rec_target_spec){ .cpu_list = all };
	if (rec_target_init(&target, &spec, NULL))
		skip(); /* some CPU in between is offline */
	assert_int_equal(target.tracking.nr, 0);
	rec_target_release(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_target__cpu_lists_come_sorted_and_once),
		cmocka_unit_test(test_target__cpus_of_proc_stat),
		cmocka_unit_test(test_target__what_is_no_cpu_list_is_refused),
		cmocka_unit_test(test_target__users_by_name_and_number),
		cmocka_unit_test(test_target__own_process_with_its_name),
		cmocka_unit_test(test_target__per_thread_is_on_no_cpu),
		cmocka_unit_test(test_target__all_cpus_watch_any_thread),
		cmocka_unit_test(
			test_target__tasks_are_tracked_on_cpus_not_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
