/* Rules of attr_config that no command line of perf shows; those lines are in
 * tests/unit/record/cmdline/attr_lines.txt. */
#include "record/event/attr_config.h"
#include "record/event/tracefs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))
#define MACHINES    PERFPAIR_SOURCE_DIR "/fixtures/machines/"

static const struct rec_event_env env = {
	.sysfs = MACHINES "intel",
	.tracefs = MACHINES "tracefs",
};

static const struct rec_attr_host host = {
	.max_sample_hz = 100000,
	.max_stack = 127,
	.machine = "x86_64",
};

static void events_of(struct rec_event_list *list, const char *text)
{
	struct pd_err err = PD_ERR_INIT;
	int code;

	rec_event_list_init(list);
	if (text[0])
		code = rec_event_parse(list, text, &env, &err);
	else
		code = rec_event_default(list, &env, &err);
	if (code)
		print_error("-e %s: %s\n", text, err.text);
	assert_int_equal(code, 0);
}

/* The tracking event is named after what it leaves out. */
static void test_attr_config__dummy_is_named_as_by_perf(void **state)
{
	struct rec_attr_options opts = { .target = REC_TARGET_SYSTEM };
	struct rec_event_list list;

	(void)state;
	events_of(&list, "cpu-clock");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_int_equal(list.nr, 2);
	assert_string_equal(list.events[1].name, "dummy:HG");
	assert_true(list.events[1].is_tracking);
	rec_event_list_release(&list);
	opts.all_user = true;
	events_of(&list, "cpu-clock");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_string_equal(list.events[1].name, "dummy:uh");
	rec_event_list_release(&list);
}

static void test_attr_config__warns_of_a_rate_over_the_limit(void **state)
{
	struct rec_attr_options opts = { .freq_hz = 200000 };
	struct pd_err note = PD_ERR_INIT, err = PD_ERR_INIT;
	struct rec_event_list list;

	(void)state;
	events_of(&list, "cpu-clock");
	assert_int_equal(rec_attr_config(&list, &opts, &host, &note, &err), 0);
	assert_int_equal(list.events[0].attr.sys.sample_freq, 100000);
	assert_string_equal(note.text,
			    "sampling at 100000 Hz instead of 200000 "
			    "Hz, the machine's limit");
	assert_int_equal(note.code, 0);
	rec_event_list_release(&list);
	opts.strict_freq = true;
	events_of(&list, "cpu-clock");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, &err),
			 -EINVAL);
	assert_string_equal(err.text, "200000 Hz is over the machine's limit "
				      "of 100000 Hz");
	rec_event_list_release(&list);
}

static void test_attr_config__no_rate_no_warning(void **state)
{
	static const char *const events[] = { "cycles/period=1000/",
					      "cs/freq=50/" };
	const struct rec_attr_host slow = { .max_sample_hz = 500,
					    .machine = "x86_64" };
	struct rec_attr_options opts = { .strict_freq = true };
	struct pd_err note = PD_ERR_INIT, err = PD_ERR_INIT;
	struct rec_event_list list;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		events_of(&list, events[i]);
		assert_int_equal(
			rec_attr_config(&list, &opts, &slow, &note, &err), 0);
		assert_string_equal(note.text, "");
		rec_event_list_release(&list);
	}
	events_of(&list, "cycles/period=1000/,cs");
	assert_int_equal(rec_attr_config(&list, &opts, &slow, &note, &err),
			 -EINVAL);
	assert_string_equal(err.text,
			    "4000 Hz is over the machine's limit of 500 Hz");
	rec_event_list_release(&list);
}

static void test_attr_config__contradictions_are_errors(void **state)
{
	static const struct {
		const char *events;
		struct rec_attr_options opts;
		const char *text;
	} cases[] = {
		{ "cs",
		  { .freq_hz = 99, .period = 1 },
		  "-F and -c exclude each other" },
		{ "cs",
		  { .all_user = true, .all_kernel = true },
		  "--all-user and --all-kernel exclude each other" },
		{ "cs/max-stack=128/",
		  { .freq_hz = 0 },
		  "max-stack=128 of cs/max-stack=128/ is over the machine's "
		  "limit" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		struct pd_err err = PD_ERR_INIT;
		struct rec_event_list list;

		events_of(&list, cases[i].events);
		assert_int_equal(rec_attr_config(&list, &cases[i].opts, &host,
						 NULL, &err),
				 -EINVAL);
		assert_string_equal(err.text, cases[i].text);
		rec_event_list_release(&list);
	}
}

/* What we do otherwise than perf, docs/differences.md. */
static void test_attr_config__stack_size_alone_keeps_dwarf(void **state)
{
	struct rec_attr_options opts = { .callchain = REC_CALLCHAIN_DWARF };
	const uint64_t bits = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			      PERF_SAMPLE_STACK_USER;
	struct rec_event_list list;

	(void)state;
	events_of(&list, "cpu-clock/stack-size=512/");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_int_equal(list.events[0].attr.sys.sample_type & bits, bits);
	assert_int_equal(list.events[0].attr.sys.sample_stack_user, 512);
	rec_event_list_release(&list);
}

static void test_attr_config__watermark_is_the_recorders(void **state)
{
	struct rec_attr_options opts = { .own_watermark_len = 65536 };
	struct rec_event_list list;

	(void)state;
	events_of(&list, "cpu-clock");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_int_equal(list.events[0].attr.sys.watermark, 1);
	assert_int_equal(list.events[0].attr.sys.wakeup_watermark, 65536);
	rec_event_list_release(&list);
}

static void test_attr_config__pipe_needs_ids(void **state)
{
	struct rec_attr_options opts = { .to_pipe = true };
	struct rec_event_list list;

	(void)state;
	events_of(&list, "cpu-clock");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_int_equal(list.events[0].attr.sys.sample_type,
			 PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				 PERF_SAMPLE_ID | PERF_SAMPLE_PERIOD);
	rec_event_list_release(&list);
}

static void test_attr_config__dwarf_registers_of_each_machine(void **state)
{
	(void)state;
	assert_int_equal(rec_regs_user_mask("x86_64"), 0xff0fff);
	assert_int_equal(rec_regs_user_mask("i686"), 0xffff);
	assert_int_equal(rec_regs_user_mask("aarch64"), 0x1ffffffff);
	assert_int_equal(rec_regs_user_mask("armv7l"), 0xffff);
	assert_int_equal(rec_regs_user_mask("riscv64"), 0xffffffff);
	assert_int_equal(rec_regs_user_mask("vax"), 0);
	assert_int_equal(rec_regs_minimum_mask("x86_64"), 0x180);
}

static uint64_t user_regs_of(const char *event,
			     const struct rec_attr_options *opts,
			     const char *machine, uint64_t more_regs)
{
	const struct rec_attr_host its = { .max_stack = 127,
					   .machine = machine,
					   .more_regs = more_regs };
	const struct perf_event_attr *sys;
	struct rec_event_list list;
	uint64_t regs;

	events_of(&list, event);
	assert_int_equal(rec_attr_config(&list, opts, &its, NULL, NULL), 0);
	sys = &list.events[0].attr.sys;
	regs = sys->sample_regs_user;
	assert_int_equal(!!(sys->sample_type & PERF_SAMPLE_REGS_USER), !!regs);
	rec_event_list_release(&list);
	return regs;
}

static bool has_user_callers(const char *event, const char *machine,
			     struct pd_err *note)
{
	const struct rec_attr_options opts = { .callchain = REC_CALLCHAIN_FP };
	const struct rec_attr_host its = { .max_stack = 127,
					   .machine = machine };
	struct rec_event_list list;
	bool has;

	events_of(&list, event);
	assert_int_equal(rec_attr_config(&list, &opts, &its, note, NULL), 0);
	has = !list.events[0].attr.sys.exclude_callchain_user;
	rec_event_list_release(&list);
	return has;
}

/* The machine would stop; seen with Linux 6.12 in QEMU. */
static void
test_attr_config__switches_have_no_user_callers_on_riscv64(void **state)
{
	struct pd_err note = PD_ERR_INIT;

	(void)state;
	assert_true(has_user_callers("context-switches", "x86_64", &note));
	assert_true(has_user_callers("cpu-clock", "riscv64", &note));
	assert_string_equal(note.text, "");
	assert_false(has_user_callers("context-switches", "riscv64", &note));
	assert_string_equal(note.text,
			    "context-switches: callers in the kernel only: "
			    "Linux on riscv64 may hang if it reads others "
			    "there");
}

/* The attrs that perf 6.1 asked for on an aarch64 machine, but for the events
 * behind the empty line: it takes 0, all that have no user chains, and
 * 0x1c0000000. */
static void
test_attr_config__frame_pointers_take_the_link_register(void **state)
{
	static const struct {
		const char *event;
		struct rec_attr_options opts;
		uint64_t regs;
	} cases[] = {
		{ "cpu-clock", { .callchain = REC_CALLCHAIN_FP }, 0x40000000 },
		{ "cpu-clock",
		  { .callchain = REC_CALLCHAIN_FP, .regs_user = 0x80000001 },
		  0xc0000001 },
		{ "cpu-clock",
		  { .callchain = REC_CALLCHAIN_DWARF },
		  0x1ffffffff },
		{ "cpu-clock", { .regs_user = 0x1 }, 0x1 },
		{ "cpu-clock", { .callchain = REC_CALLCHAIN_NONE }, 0 },
		{ "dummy", { .callchain = REC_CALLCHAIN_FP }, 0 },

		{ "cpu-clock/call-graph=fp/", { .freq_hz = 0 }, 0x40000000 },
		{ "cpu-clock/call-graph=no/",
		  { .callchain = REC_CALLCHAIN_FP },
		  0 },
		{ "cpu-clock",
		  { .callchain = REC_CALLCHAIN_FP, .kernel_callchains = true },
		  0 },
		{ "cpu-clock/call-graph=dwarf/",
		  { .callchain = REC_CALLCHAIN_FP },
		  0x1ffffffff },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++)
		assert_int_equal(user_regs_of(cases[i].event, &cases[i].opts,
					      "aarch64", 0),
				 cases[i].regs);
	assert_int_equal(user_regs_of("cpu-clock", &cases[0].opts, "x86_64", 0),
			 0);
	assert_int_equal(user_regs_of("cpu-clock", &cases[0].opts, "armv7l", 0),
			 0);
	/* SVE: stack copies alone have its register */
	assert_int_equal(user_regs_of("cpu-clock", &cases[0].opts, "aarch64",
				      REC_REG_VG),
			 0x40000000);
	assert_int_equal(user_regs_of("cpu-clock", &cases[2].opts, "aarch64",
				      REC_REG_VG),
			 0x4001ffffffff);
}

static void test_attr_config__register_names(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	uint64_t mask = 0;

	(void)state;
	assert_int_equal(rec_regs_parse("IP,sp,R8", "x86_64", &mask, &err), 0);
	assert_int_equal(mask, 0x10180);
	assert_int_equal(rec_regs_parse("x0,pc", "aarch64", &mask, &err), 0);
	assert_int_equal(mask, 0x100000001);
	assert_int_equal(rec_regs_parse("sp,vg", "aarch64", &mask, &err), 0);
	assert_int_equal(mask, 0x400080000000);
	assert_int_equal(rec_regs_parse("ax,xx", "x86_64", &mask, &err),
			 -EINVAL);
	assert_string_equal(err.text, "x86_64 has no register 'xx'");
	assert_int_equal(mask, 0x400080000000);
}

static void test_attr_config__call_graph_texts(void **state)
{
	static const struct {
		const char *text;
		int code;
		enum rec_callchain kind;
		uint32_t stack_len;
	} cases[] = {
		{ "fp", 0, REC_CALLCHAIN_FP, 7 },
		{ "lbr", 0, REC_CALLCHAIN_LBR, 7 },
		{ "dwarf", 0, REC_CALLCHAIN_DWARF, 7 },
		{ "dwarf,4096", 0, REC_CALLCHAIN_DWARF, 4096 },
		{ "dwarf,100", 0, REC_CALLCHAIN_DWARF, 104 },
		{ "dwarf,65528", 0, REC_CALLCHAIN_DWARF, 65528 },
		{ "dwarf,65529", -EINVAL, REC_CALLCHAIN_NONE, 7 },
		{ "dwarf,abc", -EINVAL, REC_CALLCHAIN_NONE, 7 },
		{ "dwarf,0", -EINVAL, REC_CALLCHAIN_NONE, 7 },
		{ "fp,12", -EINVAL, REC_CALLCHAIN_NONE, 7 },
		{ "bogus", -EINVAL, REC_CALLCHAIN_NONE, 7 },
		{ "", -EINVAL, REC_CALLCHAIN_NONE, 7 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		enum rec_callchain kind = REC_CALLCHAIN_NONE;
		uint32_t stack_len = 7;

		assert_int_equal(rec_callchain_parse(cases[i].text, &kind,
						     &stack_len, NULL),
				 cases[i].code);
		assert_int_equal(kind, cases[i].kind);
		assert_int_equal(stack_len, cases[i].stack_len);
	}
}

static void test_attr_config__branch_filters(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	uint64_t mask = 0;

	(void)state;
	assert_int_equal(rec_branch_parse("any,u", &mask, &err), 0);
	assert_int_equal(mask,
			 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(rec_branch_parse("u", &mask, &err), 0);
	assert_int_equal(mask, PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(rec_branch_parse("any,,u", &mask, &err), -EINVAL);
	assert_string_equal(err.text, "unknown branch filter ''");
}

static void test_attr_config__clocks(void **state)
{
	static const struct {
		const char *text;
		int32_t clockid;
	} cases[] = {
		{ "mono", 1 },
		{ "monotonic", 1 },
		{ "CLOCK_MONOTONIC", 1 },
		{ "raw", 4 },
		{ "monotonic_raw", 4 },
		{ "real", 0 },
		{ "CLOCK_REALTIME", 0 },
		{ "boot", 7 },
		{ "tai", 11 },
		{ "1", 1 },
	};
	struct pd_err err = PD_ERR_INIT;
	int32_t clockid;

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		clockid = -1;
		assert_int_equal(
			rec_clockid_parse(cases[i].text, &clockid, NULL), 0);
		assert_int_equal(clockid, cases[i].clockid);
	}
	assert_int_equal(rec_clockid_parse("mono_raw", &clockid, &err),
			 -EINVAL);
	assert_string_equal(err.text, "unknown clock 'mono_raw'");
}

/* A kernel's attr in the file's form. */
static void test_attr_config__attr_for_the_file(void **state)
{
	struct rec_attr_options opts = { .target = REC_TARGET_SYSTEM };
	struct rec_event_list list;
	struct pd_attr attr;

	(void)state;
	events_of(&list, "mem:0x1000/8:w:upp");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	rec_attr_to_pd(&list.events[0].attr, &attr);
	assert_int_equal(attr.attr_len, 128);
	assert_int_equal(attr.type, 5);
	assert_int_equal(attr.bp_type, 2);
	assert_int_equal(attr.config1, 0x1000);
	assert_int_equal(attr.config2, 8);
	/* disabled inherit exclude_kernel exclude_hv precise_ip=2
	 * sample_id_all exclude_guest */
	assert_int_equal(attr.flags, 0x150063);
	rec_event_list_release(&list);
}

/* Events whose samples cannot come in storms, all of them together. */
static void test_attr_config__callers_of_leaves(void **state)
{
	static const struct {
		const char *events;
		uint64_t freq_hz;
		uint64_t period;
		bool has_leaf;
	} cases[] = {
		{ "cpu-clock", 4000, 0, true },
		{ "cpu-clock", 5001, 0, false },
		{ "cpu-clock,task-clock", 3000, 0, false },
		{ "cpu-clock,task-clock", 2500, 0, true },
		{ "task-clock", 0, 1000000, true },
		{ "task-clock", 0, 100000, false },
		{ "cycles", 999, 0, true },
		{ "cycles", 0, 1000000, false },
		{ "page-faults", 999, 0, false },
		{ "cpu-clock/call-graph=dwarf/", 99, 0, false },
		{ "cpu-clock/call-graph=no/", 99, 0, false },
	};
	struct rec_attr_options opts = { .callchain = REC_CALLCHAIN_FP,
					 .own_leaf_hz = 5000 };
	struct rec_event_list list;

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		for (unsigned choice = REC_DEFAULT; choice <= REC_YES;
		     choice++) {
			opts.leaf_callers = choice;
			opts.freq_hz = cases[i].freq_hz;
			opts.period = cases[i].period;
			events_of(&list, cases[i].events);
			assert_int_equal(rec_attr_config(&list, &opts, &host,
							 NULL, NULL),
					 0);
			assert_int_equal(list.events[0].has_leaf,
					 choice != REC_NO && cases[i].has_leaf);
			rec_attr_limit_leaf(&list, 100);
			assert_false(list.events[0].has_leaf);
			rec_event_list_release(&list);
		}
	}
}

/* Beside what is bounded, switches have them if that is asked for. */
static void test_attr_config__switches_have_callers_of_leaves(void **state)
{
	struct rec_attr_options opts = { .callchain = REC_CALLCHAIN_FP,
					 .leaf_callers = REC_YES,
					 .freq_hz = 99,
					 .own_leaf_hz = 5000 };
	struct rec_event_list list;

	(void)state;
	events_of(&list, "cpu-clock,context-switches/period=1/,page-faults");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_true(list.events[0].has_leaf);
	assert_true(list.events[1].has_leaf);
	assert_false(list.events[2].has_leaf);
	assert_ptr_equal(rec_attr_lacks_leaf(&list), &list.events[2]);
	rec_event_list_release(&list);

	opts.freq_hz = 3000; /* which is too much for two together */
	events_of(&list, "cpu-clock,context-switches/period=1/,task-clock");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_false(list.events[0].has_leaf);
	assert_true(list.events[1].has_leaf);
	assert_false(list.events[2].has_leaf);
	assert_ptr_equal(rec_attr_lacks_leaf(&list), &list.events[0]);
	rec_event_list_release(&list);

	opts.freq_hz = 99;
	events_of(&list, "cpu-clock,context-switches/period=1/");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_null(rec_attr_lacks_leaf(&list));
	rec_event_list_release(&list);
	opts.leaf_callers = REC_DEFAULT;
	events_of(&list, "cpu-clock,context-switches/period=1/");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_true(list.events[0].has_leaf);
	assert_false(list.events[1].has_leaf);
	rec_event_list_release(&list);
}

static void test_attr_config__overwritten_rings_have_no_callers(void **state)
{
	struct rec_attr_options opts = { .callchain = REC_CALLCHAIN_FP,
					 .freq_hz = 99,
					 .own_leaf_hz = 5000,
					 .overwrite = true };
	struct rec_event_list list;

	(void)state;
	for (unsigned choice = REC_DEFAULT; choice <= REC_YES; choice++) {
		opts.leaf_callers = choice;
		events_of(&list, "cpu-clock");
		assert_int_equal(
			rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
		assert_int_equal(list.events[0].has_leaf, choice == REC_YES);
		rec_event_list_release(&list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attr_config__callers_of_leaves),
		cmocka_unit_test(
			test_attr_config__switches_have_callers_of_leaves),
		cmocka_unit_test(
			test_attr_config__overwritten_rings_have_no_callers),
		cmocka_unit_test(test_attr_config__dummy_is_named_as_by_perf),
		cmocka_unit_test(
			test_attr_config__warns_of_a_rate_over_the_limit),
		cmocka_unit_test(test_attr_config__no_rate_no_warning),
		cmocka_unit_test(test_attr_config__contradictions_are_errors),
		cmocka_unit_test(
			test_attr_config__stack_size_alone_keeps_dwarf),
		cmocka_unit_test(test_attr_config__watermark_is_the_recorders),
		cmocka_unit_test(test_attr_config__pipe_needs_ids),
		cmocka_unit_test(
			test_attr_config__dwarf_registers_of_each_machine),
		cmocka_unit_test(
			test_attr_config__switches_have_no_user_callers_on_riscv64),
		cmocka_unit_test(
			test_attr_config__frame_pointers_take_the_link_register),
		cmocka_unit_test(test_attr_config__register_names),
		cmocka_unit_test(test_attr_config__call_graph_texts),
		cmocka_unit_test(test_attr_config__branch_filters),
		cmocka_unit_test(test_attr_config__clocks),
		cmocka_unit_test(test_attr_config__attr_for_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
