/* Rates and metrics of counts of a PMU.  The text was seen with perf 6.1's stat
 * report of a recording whose attrs and STAT records were changed so. */
#include "record/stat/stat_print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CLOCK_NS = 598984 };

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
	uint64_t value;
} given[] = {
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
	  CLOCK_NS },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 2000000 },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
	  3000000 },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  400000 },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
	  9000 },
	{ "cache-references", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CACHE_REFERENCES, 50000 },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
	  4000 },
	{ "L1-dcache-loads", PERF_TYPE_HW_CACHE, 0, 700000 },
	{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, 7000 },
};

enum { EVENT_NR = sizeof(given) / sizeof(given[0]) };

struct fixture {
	struct rec_event_list events;
	int cpu;
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
	struct rec_stat_sheet_conf conf = { .events = &f->events,
					    .groups = &f->groups,
					    .host = &f->host,
					    .run_cap = 1 };

	rec_event_list_init(&f->events);
	f->target = (struct rec_target){ .cpus = &f->cpu,
					 .cpu_nr = 1,
					 .threads = &f->thread,
					 .thread_nr = 1 };
	rec_metric_host_read(&f->host, "/nowhere");
	assert_int_equal(rec_counts_init(&f->counts, EVENT_NR, 1, 1), 0);
	for (size_t i = 0; i < EVENT_NR; i++) {
		struct rec_event *event =
			rec_event_append(&f->events, given[i].name);

		event->attr.sys.type = given[i].type;
		event->attr.sys.config = given[i].config;
		*rec_counts_at(&f->counts, i, 0, 0) =
			(struct rec_count){ given[i].value, CLOCK_NS, CLOCK_NS,
					    true };
	}
	assert_int_equal(rec_stat_groups_init(&f->groups, REC_STAT_GLOBAL,
					      &f->target, "/nowhere"),
			 0);
	assert_int_equal(rec_stat_sheet_init(&f->sheet, &conf), 0);
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

/* Make an event share its counter: it ran half the time. */
static void share(struct fixture *f, size_t event)
{
	struct rec_count *count = rec_counts_at(&f->counts, event, 0, 0);

	count->value /= 2;
	count->running_ns /= 2;
}

static const char *printed(struct fixture *f,
			   int (*print)(const struct rec_stat_print *,
					const struct rec_stat_sheet *))
{
	rec_stat_sheet_add(&f->sheet, &f->counts, 2453);
	assert_int_equal(print(&f->print, &f->sheet), 0);
	fflush(f->print.out);
	return f->text;
}

static void test_stat_rate__text_is_perfs(void **state)
{
	static const char rows[] =
		"              0.60 msec task-clock                       #"
		"  244.184 CPUs utilized          \n"
		"           2000000      cycles                           #"
		"    3.339 GHz                    \n"
		"           3000000      instructions                     #"
		"    1.50  insn per cycle         \n"
		"            400000      branches                         #"
		"  667.797 M/sec                  \n"
		"              9000      branch-misses                    #"
		"    2.25% of all branches        \n"
		"             50000      cache-references                 #"
		"   83.475 M/sec                  \n"
		"              4000      cache-misses                     #"
		"    8.00% of all cache refs      \n" /* not "8.000 %" */
		"            700000      L1-dcache-loads                  #"
		"    1.169 G/sec                  \n"
		"              7000      L1-dcache-load-misses            #"
		"    1.00% of all L1-dcache accesses\n";

	assert_non_null(strstr(printed(*state, rec_stat_print_text), rows));
}

static void test_stat_rate__fields_are_perfs(void **state)
{
	static const char rows[] =
		"2000000,,cycles,598984,100.00,3.339,GHz\n"
		"3000000,,instructions,598984,100.00,1.50,insn per cycle\n"
		"400000,,branches,598984,100.00,667.797,M/sec\n"
		"9000,,branch-misses,598984,100.00,2.25,of all branches\n"
		"50000,,cache-references,598984,100.00,83.475,M/sec\n"
		"4000,,cache-misses,598984,100.00,8.00,of all cache refs\n";
	struct fixture *f = *state;

	f->print.sep = ",";
	assert_non_null(strstr(printed(f, rec_stat_print_csv), rows));
}

/* Of events that took turns there is no ratio. */
static void test_stat_rate__turns_make_no_ratio(void **state)
{
	struct fixture *f = *state;

	share(f, 2);
	share(f, 4);
	/* Branches and their misses are one group: they ran together. */
	share(f, 3);
	f->events.events[4].leader_idx = 3;
	printed(f, rec_stat_print_text);
	assert_non_null(strstr(
		f->text,
		"           3000000      instructions              "
		"       # not counted together              (50.00%)\n"));
	assert_non_null(strstr(
		f->text,
		"              9000      branch-misses             "
		"       #    2.25% of all branches          (50.00%)\n"));
	rec_stat_sheet_clear(&f->sheet);
	assert_null(strstr(printed(f, rec_stat_print_json), "refused"));
	rec_stat_sheet_clear(&f->sheet);
	f->print.details = true;
	assert_non_null(strstr(printed(f, rec_stat_print_json),
			       "\"refused\" : \"not counted together\""));
}

/* -M: a metric has a line of its own. */
static void test_stat_rate__metrics_that_were_asked_for(void **state)
{
	struct fixture *f = *state;
	const struct rec_metric *metrics[2] = { NULL, NULL };
	const struct rec_metric *metric = NULL;

	while ((metric = rec_metric_next(&f->host, metric))) {
		if (rec_metric_is_named(metric, "ipc"))
			metrics[0] = metric;
		if (rec_metric_is_named(metric, "dtlb_miss_rate"))
			metrics[1] = metric;
	}
	f->sheet.conf.metrics = metrics;
	f->sheet.conf.metric_nr = 2;
	printed(f, rec_stat_print_text);
	assert_non_null(strstr(f->text,
			       "\n                        ipc       "
			       "                       #    1.50  \n"));
	assert_non_null(strstr(f->text, "dtlb_miss_rate                   # "
					"not counted\n"));
	rec_stat_sheet_clear(&f->sheet);
	f->print.sep = ",";
	printed(f, rec_stat_print_csv);
	assert_non_null(strstr(f->text, "\n,,,,,1.50,ipc\n,,,,,<not counted>,"
					"dtlb_miss_rate\n"));
	rec_stat_sheet_clear(&f->sheet);
	assert_null(strstr(printed(f, rec_stat_print_json), "refused"));
	rec_stat_sheet_clear(&f->sheet);
	f->print.details = true;
	printed(f, rec_stat_print_json);
	assert_non_null(strstr(f->text, "\n{\"metric-value\" : 1.500000, "
					"\"metric-unit\" : \"ipc\", "));
	assert_non_null(strstr(f->text,
			       "\n{\"refused\" : \"not counted\", "
			       "\"metric-unit\" : \"dtlb_miss_rate\""));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_stat_rate__text_is_perfs),
		TEST(test_stat_rate__fields_are_perfs),
		TEST(test_stat_rate__turns_make_no_ratio),
		TEST(test_stat_rate__metrics_that_were_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
