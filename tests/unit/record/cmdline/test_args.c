#include "record/cmdline/args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "record/ring/ring_set.h"
#include "record/snapshot/snapshot.h"

enum { ARGC_MAX = 16 };

/* Splits line at blanks into argv and parses it. */
static int parse(struct rec_args *args, char *line, struct pd_err *err)
{
	static char *argv[ARGC_MAX];
	int argc = 0;

	argv[argc++] = line;
	while ((line = strchr(line, ' ')) && argc < ARGC_MAX - 1) {
		*line++ = '\0';
		argv[argc++] = line;
	}
	argv[argc] = NULL;
	return rec_args_parse(args, argc, argv, err);
}

#define PARSE(args, text)                      \
	char line[] = "perfpair-record " text; \
	assert_int_equal(parse(args, line, NULL), 0)

static void test_args__nothing_means_all_cpus(void **state)
{
	struct rec_args args;

	(void)state;
	PARSE(&args, "-q");
	assert_int_equal(args.attr.target, REC_TARGET_SYSTEM);
	assert_true(args.target.system_wide);
	assert_null(args.workload);
	assert_int_equal(args.events.nr, 1);
	assert_int_equal(args.level, 1);
	assert_int_equal(args.ring_len, REC_RING_LEN_DEFAULT);
	assert_int_equal(args.synth, REC_SYNTH_ALL);
	assert_false(args.attr.buildid_mmap); /* the kernel is tried first */
	rec_args_release(&args);
}

static void test_args__a_command_keeps_its_options(void **state)
{
	struct rec_args args;

	(void)state;
	PARSE(&args, "-e cpu-clock ls -a -p");
	assert_int_equal(args.attr.target, REC_TARGET_COMMAND);
	assert_string_equal(args.workload[0], "ls");
	assert_string_equal(args.workload[1], "-a");
	assert_string_equal(args.workload[2], "-p");
	assert_null(args.workload[3]);
	assert_false(args.target.system_wide);
	assert_null(args.target.pid_list);
	rec_args_release(&args);
}

static void test_args__pids_go_before_cpus_and_say_so(void **state)
{
	struct rec_args args;

	(void)state;
	PARSE(&args, "-a -C 0 -p 1 --per-thread");
	assert_int_equal(args.attr.target, REC_TARGET_PIDS);
	assert_false(args.target.system_wide);
	assert_null(args.target.cpu_list);
	assert_true(args.attr.per_thread);
	assert_string_equal(args.target_note,
			    "-p and -t go before -u, -C and -a: only those "
			    "threads are recorded");
	rec_args_release(&args);
}

static void test_args__per_thread_yields_to_cpus_with_a_message(void **state)
{
	struct rec_args args;

	(void)state;
	PARSE(&args, "-C 0 --per-thread");
	assert_int_equal(args.attr.target, REC_TARGET_CPUS);
	assert_false(args.attr.per_thread);
	assert_string_equal(args.target_note,
			    "--per-thread does not go with -a and -C: a ring "
			    "for each CPU is taken");
	rec_args_release(&args);
}

static void test_args__sizes_and_levels(void **state)
{
	struct rec_args args;

	(void)state;
	PARSE(&args, "-m 100 -z0 --duration 1500ms -F max -D 250");
	assert_int_equal(args.ring_len, 128 * 4096);
	assert_int_equal(args.level, 0);
	assert_int_equal(args.duration_ns, 1500000000);
	assert_true(args.attr.freq_max);
	assert_true(args.attr.is_delayed);
	assert_int_equal(args.delay.nr, 1);
	assert_int_equal(args.delay.at_ms[0], 250);
	rec_args_release(&args);
}

static void test_args__ring_size_with_unit(void **state)
{
	struct rec_args args;

	(void)state;
	PARSE(&args, "-m 3M -z7");
	assert_int_equal(args.ring_len, 4 << 20);
	assert_int_equal(args.level, 7);
	rec_args_release(&args);
}

static void test_args__negated_choices_differ_from_defaults(void **state)
{
	struct rec_args args;

	(void)state;
	PARSE(&args, "-T --no-period -d --buildid-mmap -B");
	assert_int_equal(args.attr.sample_time, REC_YES);
	assert_int_equal(args.attr.sample_period, REC_NO);
	assert_int_equal(args.attr.sample_address, REC_YES);
	assert_false(args.attr.buildid_mmap);
	rec_args_release(&args);
}

static void test_args__call_graph_modes(void **state)
{
	struct rec_args args;

	(void)state;
	PARSE(&args, "--call-graph dwarf,4096 --synth task");
	assert_int_equal(args.attr.callchain, REC_CALLCHAIN_DWARF);
	assert_int_equal(args.attr.stack_len, 4096);
	assert_int_equal(args.synth, REC_SYNTH_TASK);
	rec_args_release(&args);
}

static void test_args__several_events_add_up(void **state)
{
	struct rec_args args;

	(void)state;
	PARSE(&args, "-e cpu-clock,page-faults -e {task-clock,faults}");
	assert_int_equal(args.events.nr, 4);
	assert_string_equal(args.events.events[1].name, "page-faults");
	assert_int_equal(args.events.events[3].leader_idx, 2);
	rec_args_release(&args);
}

static void test_args__a_cpu_limit_is_a_percentage(void **state)
{
	static const char *const wrong[] = { "0", "-1", "101", "nan",
					     "x", "2x", "2%%", "inf" };

	struct rec_args args;

	(void)state;
	PARSE(&args, "--cpu-limit 0.5%");
	assert_true(args.cpu_limit_pct > 0.49 && args.cpu_limit_pct < 0.51);
	assert_int_equal(args.attr.sample_period, REC_YES);
	rec_args_release(&args);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[64] = "x --cpu-limit ";

		strcat(text, wrong[i]);
		assert_int_equal(parse(&args, text, NULL), -EINVAL);
		rec_args_release(&args);
	}
}

static void test_args__errors_name_the_option(void **state)
{
	static const struct {
		const char *line;
		const char *text;
	} cases[] = {
		{ "x -m 0", "-m '0' is not a ring size" },
		{ "x -F none", "-F 'none' is not understood" },
		{ "x -z99", "-z '99' is not understood" },
		{ "x -D -5", "-D '-5' is not understood" },
		{ "x -e no-such-event", "unknown event 'no-such-event'" },
		{ "x --all-user --all-kernel",
		  "--all-user and --all-kernel exclude each other" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pd_err err = PD_ERR_INIT;
		struct rec_args args;
		char line[64];

		strcpy(line, cases[i].line);
		assert_true(parse(&args, line, &err) < 0);
		assert_string_equal(err.text, cases[i].text);
		assert_int_not_equal(err.hint[0], '\0');
		rec_args_release(&args);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_args__nothing_means_all_cpus),
		cmocka_unit_test(test_args__a_command_keeps_its_options),
		cmocka_unit_test(test_args__pids_go_before_cpus_and_say_so),
		cmocka_unit_test(
			test_args__per_thread_yields_to_cpus_with_a_message),
		cmocka_unit_test(test_args__sizes_and_levels),
		cmocka_unit_test(test_args__ring_size_with_unit),
		cmocka_unit_test(
			test_args__negated_choices_differ_from_defaults),
		cmocka_unit_test(test_args__call_graph_modes),
		cmocka_unit_test(test_args__several_events_add_up),
		cmocka_unit_test(test_args__a_cpu_limit_is_a_percentage),
		cmocka_unit_test(test_args__errors_name_the_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
