#include "record/ring/thread_plan.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

/* A machine of eight CPUs: cores of two, packages and nodes of four. */
struct fixture {
	char sys[64];
	struct rec_sysroots roots;
	int cpus[8];
	struct rec_target target;
	struct rec_thread_plan plan;
	struct pd_err err;
};

static void put_file(const char *root, const char *name, const char *text)
{
	char path[256], command[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	snprintf(command, sizeof(command), "mkdir -p $(dirname %s)", path);
	assert_int_equal(system(command), 0);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", text);
	fclose(file);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->sys, "/tmp/perfpair-plan-XXXXXX");
	assert_non_null(mkdtemp(f->sys));
	for (int cpu = 0; cpu < 8; cpu++) {
		char name[96], list[16];

		f->cpus[cpu] = cpu;
		snprintf(name, sizeof(name),
			 "devices/system/cpu/cpu%d/topology/core_cpus_list",
			 cpu);
		snprintf(list, sizeof(list), "%d-%d", cpu & ~1, cpu | 1);
		put_file(f->sys, name, list);
		/* the name of older kernels */
		snprintf(name, sizeof(name),
			 "devices/system/cpu/cpu%d/topology/core_siblings_list",
			 cpu);
		put_file(f->sys, name, cpu < 4 ? "0-3" : "4-7");
	}
	put_file(f->sys, "devices/system/node/node0/cpulist", "0,2,4,6");
	put_file(f->sys, "devices/system/node/node1/cpulist", "1,3,5,7");
	f->roots = (struct rec_sysroots){ .proc = f->sys, .sys = f->sys };
	f->target = (struct rec_target){ .cpus = f->cpus, .cpu_nr = 8 };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	rec_thread_plan_release(&f->plan);
	snprintf(command, sizeof(command), "rm -r %s", f->sys);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

static int plan(struct fixture *f, const char *text)
{
	rec_thread_plan_release(&f->plan);
	f->err = (struct pd_err)PD_ERR_INIT;
	return rec_thread_plan_init(&f->plan, text, &f->target, &f->roots,
				    &f->err);
}

static void test_thread_plan__words_go_by_the_machine(void **state)
{
	static const struct {
		const char *word;
		size_t nr;
		size_t of_cpu[8];
	} wants[] = {
		{ "cpu", 8, { 0, 1, 2, 3, 4, 5, 6, 7 } },
		{ "core", 4, { 0, 0, 1, 1, 2, 2, 3, 3 } },
		{ "package", 2, { 0, 0, 0, 0, 1, 1, 1, 1 } },
		{ "numa", 2, { 0, 1, 0, 1, 0, 1, 0, 1 } },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		assert_int_equal(plan(f, wants[i].word), 0);
		assert_int_equal(f->plan.thread_nr, wants[i].nr);
		for (int cpu = 0; cpu < 8; cpu++)
			assert_int_equal(rec_thread_plan_find(&f->plan, cpu),
					 wants[i].of_cpu[cpu]);
	}
}

static void test_thread_plan__only_recorded_cpus_have_threads(void **state)
{
	struct fixture *f = *state;

	f->target.cpus = f->cpus + 3;
	f->target.cpu_nr = 2;
	assert_int_equal(plan(f, "core"), 0);
	assert_int_equal(f->plan.thread_nr, 2);
	assert_int_equal(f->plan.groups[0].bound.nr, 2);
	assert_int_equal(f->plan.groups[0].bound.cpus[0], 2);
}

static void test_thread_plan__a_number_is_for_any_ring(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(plan(f, "5"), 0);
	assert_int_equal(f->plan.thread_nr, 5);
	assert_null(f->plan.groups);
	assert_int_equal(rec_thread_plan_find(&f->plan, 7), 0);
}

static void test_thread_plan__default_is_a_thread_for_eight(void **state)
{
	static const struct {
		size_t cpu_nr, thread_nr;
	} wants[] = { { 1, 1 },	 { 2, 1 },    { 8, 1 },	   { 9, 2 },
		      { 64, 8 }, { 128, 16 }, { 1024, 16 } };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		f->target.cpu_nr = wants[i].cpu_nr;
		assert_int_equal(plan(f, NULL), 0);
		assert_int_equal(f->plan.thread_nr, wants[i].thread_nr);
	}
}

static void test_thread_plan__pairs_are_perfs(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(plan(f, "0,2-4,99/2-4:1,5-6/5-7"), 0);
	assert_int_equal(f->plan.thread_nr, 2);
	assert_int_equal(f->plan.groups[0].cpus.nr, 4);
	assert_int_equal(f->plan.groups[1].bound.nr, 3);
	assert_int_equal(rec_thread_plan_find(&f->plan, 4), 0);
	assert_int_equal(rec_thread_plan_find(&f->plan, 5), 1);
	/* in none of the masks: the first thread has it */
	assert_int_equal(rec_thread_plan_find(&f->plan, 7), 0);
}

static void test_thread_plan__what_is_wrong_is_named(void **state)
{
	static const struct {
		const char *text, *says;
	} wants[] = {
		{ "0", "--threads '0' is not understood" },
		{ "5000", "--threads '5000' is not understood" },
		{ "socket", "--threads 'socket' is not understood" },
		{ "0/0:1", "--threads '1' is not understood" },
		{ "x/0", "'x' is not a list of CPUs" },
		{ "98-99/0", "--threads: none of the CPUs 98-99 is recorded" },
		{ "0-3/0:3-4/1",
		  "--threads: 3-4/1 has a CPU that another thread has" },
		{ "0/0:1/0",
		  "--threads: 1/0 has a CPU that another thread has" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		assert_int_equal(plan(f, wants[i].text), -EINVAL);
		assert_string_equal(f->err.text, wants[i].says);
	}
	f->target.any_cpu = true;
	assert_int_equal(plan(f, "cpu"), -EINVAL);
	assert_int_equal(plan(f, "2"), 0);
}

#define PLAN_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAN_TEST(test_thread_plan__words_go_by_the_machine),
		PLAN_TEST(test_thread_plan__only_recorded_cpus_have_threads),
		PLAN_TEST(test_thread_plan__a_number_is_for_any_ring),
		PLAN_TEST(test_thread_plan__default_is_a_thread_for_eight),
		PLAN_TEST(test_thread_plan__pairs_are_perfs),
		PLAN_TEST(test_thread_plan__what_is_wrong_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
