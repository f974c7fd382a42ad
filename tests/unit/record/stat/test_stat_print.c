/* Sheets of counts that this machine cannot have: shared counters, several
 * sockets; and names that would disturb a terminal or JSON. */
#include "record/stat/stat_print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { PLACE_NR = 2 };

struct fixture {
	struct rec_event_list events;
	struct pd_err refused[3];
	int cpus[PLACE_NR];
	struct rec_thread thread;
	struct rec_target target;
	struct rec_stat_groups groups;
	struct rec_counts counts;
	struct rec_stat_sheet sheet;
	char *text;
	size_t text_len;
	struct rec_stat_print print;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	rec_event_list_init(&f->events);
	assert_non_null(rec_event_append(&f->events, "cycles"));
	assert_non_null(rec_event_append(&f->events, "task-clock"));
	f->events.events[0].attr.sys.type = PERF_TYPE_RAW;
	f->events.events[1].attr.sys.type = PERF_TYPE_SOFTWARE;
	f->events.events[1].attr.sys.config = PERF_COUNT_SW_TASK_CLOCK;
	f->cpus[1] = 1;
	f->thread.tid = -1;
	f->target = (struct rec_target){ .cpus = f->cpus,
					 .cpu_nr = PLACE_NR,
					 .threads = &f->thread,
					 .thread_nr = 1 };
	assert_int_equal(rec_counts_init(&f->counts, 2, PLACE_NR, 1), 0);
	for (size_t i = 0; i < PLACE_NR; i++) {
		*rec_counts_at(&f->counts, 0, i, 0) =
			(struct rec_count){ 3000, 30000000, 10000000, true };
		*rec_counts_at(&f->counts, 1, i, 0) =
			(struct rec_count){ 30000000, 30000000, 30000000,
					    true };
	}
	f->print.out = open_memstream(&f->text, &f->text_len);
	f->print.title = "'sleep 1'";
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	fclose(f->print.out);
	free(f->text);
	rec_stat_sheet_release(&f->sheet);
	rec_stat_groups_release(&f->groups);
	rec_counts_release(&f->counts);
	rec_event_list_release(&f->events);
	free(f);
	return 0;
}

static void make_sheet(struct fixture *f, enum rec_stat_mode mode,
		       const char *sysfs)
{
	struct rec_stat_sheet_conf conf = { .events = &f->events,
					    .refused = f->refused,
					    .groups = &f->groups,
					    .run_cap = 3 };

	assert_int_equal(
		rec_stat_groups_init(&f->groups, mode, &f->target, sysfs), 0);
	assert_int_equal(rec_stat_sheet_init(&f->sheet, &conf), 0);
}

static const char *printed(struct fixture *f,
			   int (*print)(const struct rec_stat_print *,
					const struct rec_stat_sheet *))
{
	assert_int_equal(print(&f->print, &f->sheet), 0);
	fflush(f->print.out);
	return f->text;
}

/* The layout of a shared counter was seen with perf 6.1's stat report of a
 * recording whose STAT record was changed so. */
static void test_stat_text__a_shared_counter_is_scaled_and_marked(void **state)
{
	struct fixture *f = *state;

	make_sheet(f, REC_STAT_GLOBAL, "/nowhere");
	rec_stat_sheet_add(&f->sheet, &f->counts, 30000000);
	assert_string_equal(
		printed(f, rec_stat_print_text),
		"\n Performance counter stats for 'sleep 1':\n\n"
		"             18000      cycles                           #"
		"  300.000 K/sec                    (33.33%)\n"
		"             60.00 msec task-clock                       #"
		"    2.000 CPUs utilized          \n"
		"\n       0.030000000 seconds time elapsed\n\n");
}

static void test_stat_csv__without_scaling(void **state)
{
	struct fixture *f = *state;

	make_sheet(f, REC_STAT_GLOBAL, "/nowhere");
	f->sheet.conf.no_scale = true;
	f->print.sep = ",";
	rec_stat_sheet_add(&f->sheet, &f->counts, 30000000);
	assert_string_equal(printed(f, rec_stat_print_csv),
			    "6000,,cycles,20000000,33.33,100.000,K/sec\n"
			    "60.00,msec,task-clock,60000000,100.00,2.000,CPUs "
			    "utilized\n");
}

/* A count that never ran is not 0, nor is it part of a mean. */
static void test_stat_sheet__a_run_that_was_not_counted(void **state)
{
	struct fixture *f = *state;
	struct rec_stat_row row = { 0, 0, 0 };
	struct rec_stat_value value;

	make_sheet(f, REC_STAT_GLOBAL, "/nowhere");
	rec_stat_sheet_add(&f->sheet, &f->counts, 30000000);
	for (size_t i = 0; i < PLACE_NR; i++)
		*rec_counts_at(&f->counts, 0, i, 0) =
			(struct rec_count){ 0, 30000000, 0, true };
	rec_stat_sheet_add(&f->sheet, &f->counts, 30000000);
	rec_stat_sheet_value(&f->sheet, &row, &value);
	assert_int_equal(value.state, REC_STAT_COUNTED);
	assert_int_equal(value.series.nr, 1);
	assert_true(value.series.mean == 18000);
	rec_stat_sheet_clear(&f->sheet);
	rec_stat_sheet_add(&f->sheet, &f->counts, 30000000);
	rec_stat_sheet_value(&f->sheet, &row, &value);
	assert_int_equal(value.state, REC_STAT_NOT_COUNTED);
	f->print.sep = ",";
	assert_non_null(strstr(printed(f, rec_stat_print_csv),
			       "<not counted>,,cycles,0,0.00,,\n"));
}

static void write_id(const char *root, int cpu, const char *name, int id)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/devices", root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/devices/system", root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/devices/system/cpu", root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%d", root, cpu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%d/topology",
		 root, cpu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%d/topology/%s",
		 root, cpu, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%d\n", id);
	fclose(file);
}

static void test_stat_csv__two_sockets(void **state)
{
	struct fixture *f = *state;
	char root[] = "/tmp/perfpair-stat-XXXXXX";
	char command[64];

	assert_non_null(mkdtemp(root));
	/* The first CPU is in the second socket. */
	write_id(root, 0, "physical_package_id", 1);
	write_id(root, 1, "physical_package_id", 0);
	rec_counts_at(&f->counts, 0, 1, 0)->value = 1;
	make_sheet(f, REC_STAT_SOCKET, root);
	f->print.sep = ";";
	rec_stat_sheet_add(&f->sheet, &f->counts, 30000000);
	assert_string_equal(
		printed(f, rec_stat_print_csv),
		"S0;1;3;;cycles;10000000;33.33;100.000;/sec\n"
		"S0;1;30.00;msec;task-clock;30000000;100.00;1.000;CPUs "
		"utilized\n"
		"S1;1;9000;;cycles;10000000;33.33;300.000;K/sec\n"
		"S1;1;30.00;msec;task-clock;30000000;100.00;1.000;CPUs "
		"utilized\n");
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void test_stat_json__names_are_escaped(void **state)
{
	struct fixture *f = *state;

	free(f->events.events[0].name);
	f->events.events[0].name = strdup("a\"\\\n\x1b");
	make_sheet(f, REC_STAT_GLOBAL, "/nowhere");
	rec_stat_sheet_add(&f->sheet, &f->counts, 30000000);
	assert_non_null(strstr(printed(f, rec_stat_print_json),
			       "\"event\" : \"a\\\"\\\\\\n\\u001b\","));
}

static void test_stat_text__names_do_not_reach_the_terminal(void **state)
{
	struct fixture *f = *state;

	free(f->events.events[0].name);
	f->events.events[0].name = strdup("a\x1b[31m");
	memcpy(f->thread.comm, "b\n", 3);
	make_sheet(f, REC_STAT_THREAD, "/nowhere");
	rec_stat_sheet_add(&f->sheet, &f->counts, 30000000);
	printed(f, rec_stat_print_text);
	assert_null(strchr(f->text, 0x1b));
	assert_non_null(strstr(f->text, "b\\x0a--1 "));
}

static void test_stat_json__several_runs(void **state)
{
	struct fixture *f = *state;

	make_sheet(f, REC_STAT_GLOBAL, "/nowhere");
	f->print.has_runs = true;
	for (int i = 0; i < 3; i++) {
		rec_counts_at(&f->counts, 0, 0, 0)->value += 1000;
		rec_stat_sheet_add(&f->sheet, &f->counts, 3e7);
	}
	printed(f, rec_stat_print_json);
	assert_non_null(strstr(f->text, "\"runs\" : [21000, 24000, 27000], "
					"\"low\" : 16547.58"));
	assert_non_null(strstr(f->text, "\n{\"elapsed\" : 0.030000000, "
					"\"runs\" : [0.03, 0.03, 0.03], "
					"\"own-cpu\" : "));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_stat_text__a_shared_counter_is_scaled_and_marked),
		TEST(test_stat_csv__without_scaling),
		TEST(test_stat_sheet__a_run_that_was_not_counted),
		TEST(test_stat_csv__two_sockets),
		TEST(test_stat_json__names_are_escaped),
		TEST(test_stat_text__names_do_not_reach_the_terminal),
		TEST(test_stat_json__several_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
