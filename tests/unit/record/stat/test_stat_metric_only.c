/* --metric-only of counts of a PMU.  Values were seen with perf 6.1's stat
 * --metric-only report of recordings whose attrs and STAT records were changed
 * so; the table is ours. */
#include "record/stat/stat_print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CLOCK_NS = 1000000, CPU_NR = 2 };

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
	uint64_t value;
} given[] = {
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, CLOCK_NS },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 2000000 },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 7 },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
	  3000000 },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  400000 },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
	  9000 },
};

enum { EVENT_NR = sizeof(given) / sizeof(given[0]) };

struct fixture {
	struct rec_event_list events;
	int cpus[CPU_NR];
	struct rec_thread thread;
	struct rec_target target;
	struct rec_metric_host host;
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
	f->cpus[1] = 1;
	f->target = (struct rec_target){ .cpus = f->cpus,
					 .cpu_nr = CPU_NR,
					 .threads = &f->thread,
					 .thread_nr = 1 };
	rec_metric_host_read(&f->host, "/nowhere");
	assert_int_equal(rec_counts_init(&f->counts, EVENT_NR, CPU_NR, 1), 0);
	for (size_t i = 0; i < EVENT_NR * CPU_NR; i++) {
		size_t event = i / CPU_NR;

		if (i % CPU_NR == 0) {
			struct rec_event *to =
				rec_event_append(&f->events, given[event].name);

			to->attr.sys.type = given[event].type;
			to->attr.sys.config = given[event].config;
		}
		*rec_counts_at(&f->counts, event, i % CPU_NR, 0) =
			(struct rec_count){ given[event].value, CLOCK_NS,
					    CLOCK_NS, true };
	}
	f->print.out = open_memstream(&f->text, &f->text_len);
	f->print.title = "'x'";
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

static const char *printed(struct fixture *f, enum rec_stat_mode mode,
			   enum rec_stat_form form)
{
	struct rec_stat_sheet_conf conf = { .events = &f->events,
					    .groups = &f->groups,
					    .host = &f->host,
					    .run_cap = 1 };

	assert_int_equal(
		rec_stat_groups_init(&f->groups, mode, &f->target, "/nowhere"),
		0);
	assert_int_equal(rec_stat_sheet_init(&f->sheet, &conf), 0);
	rec_stat_sheet_add(&f->sheet, &f->counts, 1000000);
	assert_int_equal(
		rec_stat_print_metric_only(&f->print, &f->sheet, form, true),
		0);
	fflush(f->print.out);
	return f->text;
}

static void test_stat_metric_only__text(void **state)
{
	assert_string_equal(printed(*state, REC_STAT_SOCKET, REC_STAT_TEXT),
			    "\n Performance counter stats for 'x':\n\n"
			    "socket cpus "
			    "                 GHz       insn per cycle "
			    "branch-misses of all branches \n"
			    "S0        2 "
			    "               2.000                 1.50 "
			    "                        2.25% \n"
			    "\n       0.001000000 seconds time elapsed\n\n");
}

static void test_stat_metric_only__each_cpu(void **state)
{
	struct fixture *f = *state;

	f->print.is_interval = true;
	f->print.time_ns = 500000000;
	assert_string_equal(printed(f, REC_STAT_CPU, REC_STAT_TEXT),
			    "#           time CPU        "
			    "                 GHz       insn per cycle "
			    "branch-misses of all branches \n"
			    "     0.500000000 CPU0       "
			    "               2.000                 1.50 "
			    "                        2.25% \n"
			    "     0.500000000 CPU1       "
			    "               2.000                 1.50 "
			    "                        2.25% \n");
}

static void test_stat_metric_only__fields(void **state)
{
	struct fixture *f = *state;

	f->print.sep = ";";
	assert_string_equal(
		printed(f, REC_STAT_SOCKET, REC_STAT_CSV),
		"socket;cpus;GHz;insn per cycle;branch-misses of all "
		"branches;\n"
		"S0;2;2.000;1.50;2.25;\n");
}

static void test_stat_metric_only__json(void **state)
{
	assert_string_equal(
		printed(*state, REC_STAT_CPU, REC_STAT_JSON),
		"{\"cpu\" : \"0\", \"GHz\" : \"2.000\", \"insn per cycle\" : "
		"\"1.50\", \"branch-misses of all branches\" : \"2.25\"}\n"
		"{\"cpu\" : \"1\", \"GHz\" : \"2.000\", \"insn per cycle\" : "
		"\"1.50\", \"branch-misses of all branches\" : \"2.25\"}\n");
}

/* The columns that need it stay, and are empty rather than 0. */
static void test_stat_metric_only__an_event_that_never_ran(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < CPU_NR; i++)
		*rec_counts_at(&f->counts, 1, i, 0) =
			(struct rec_count){ 0, CLOCK_NS, 0, true };
	f->print.sep = ",";
	assert_string_equal(printed(f, REC_STAT_GLOBAL, REC_STAT_CSV),
			    "GHz,insn per cycle,branch-misses of all "
			    "branches,\n,,2.25,\n");
}

static void test_stat_metric_only__chosen_metrics(void **state)
{
	struct fixture *f = *state;
	const struct rec_metric *metric = NULL;

	while ((metric = rec_metric_next(&f->host, metric)))
		if (rec_metric_is_named(metric, "ipc"))
			break;
	assert_non_null(metric);
	assert_int_equal(rec_stat_groups_init(&f->groups, REC_STAT_GLOBAL,
					      &f->target, "/nowhere"),
			 0);
	assert_int_equal(rec_stat_sheet_init(&f->sheet,
					     &(struct rec_stat_sheet_conf){
						     .events = &f->events,
						     .groups = &f->groups,
						     .host = &f->host,
						     .metrics = &metric,
						     .metric_nr = 1,
						     .run_cap = 1 }),
			 0);
	rec_stat_sheet_add(&f->sheet, &f->counts, 1000000);
	f->print.sep = ",";
	assert_int_equal(rec_stat_print_metric_only(&f->print, &f->sheet,
						    REC_STAT_CSV, true),
			 0);
	fflush(f->print.out);
	assert_string_equal(f->text, "ipc,\n1.50,\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_stat_metric_only__text),
		TEST(test_stat_metric_only__each_cpu),
		TEST(test_stat_metric_only__fields),
		TEST(test_stat_metric_only__json),
		TEST(test_stat_metric_only__an_event_that_never_ran),
		TEST(test_stat_metric_only__chosen_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
