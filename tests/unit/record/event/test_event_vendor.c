/* Names of the CPU's vendor behind -e, of an Ice Lake server. */
#include "record/event/event_spec.h"

#include "record/vendor/vendor_names.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))
#define MACHINES    PERFPAIR_SOURCE_DIR "/fixtures/machines/"

static const struct rec_event_env env = { .sysfs = MACHINES "icelake",
					  .tracefs = MACHINES "tracefs",
					  .vendor_names = true };

static int with_library(void **state)
{
	(void)state;
	return setenv("LIBPFM_FORCE_PMU", "icx", 1);
}

/* Codes: Intel's event list of Ice Lake servers (perfmon, icelakex_core). */
static void test_event_vendor__both_spellings_have_the_code(void **state)
{
	static const struct {
		const char *text;
		uint64_t config;
		bool exclude_kernel;
	} cases[] = {
		{ "l1d.replacement", 0x151, false },
		{ "L1D:REPLACEMENT", 0x151, false },
		{ "L1D.REPLACEMENT", 0x151, false },
		{ "icx::L1D:REPLACEMENT", 0x151, false },
		{ "l1d.replacement:u", 0x151, true },
		{ "L1D:REPLACEMENT:u", 0x151, true },
		{ "L1D:u:REPLACEMENT", 0x151, true },
		{ "INST_RETIRED:ANY_P:c=1", 0x10000c0, false },
		{ "INST_RETIRED:ANY_P:c=1:u", 0x10000c0, true },
		{ "cycle_activity.stalls_l3_miss", 0x60006a3, false },
		{ "br_misp_retired.all_branches", 0xc5, false },
		{ "inst_retired.any", 0xc0, false },
		{ "cpu_clk_unhalted.thread", 0x3c, false },
		{ "cpu_clk_unhalted.ref_tsc:u", 0x300, true },
	};

	(void)state;
	if (!rec_vendor_is_there())
		skip();
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		struct pd_err err = PD_ERR_INIT;
		struct rec_event_list list;

		rec_event_list_init(&list);
		if (rec_event_parse(&list, cases[i].text, &env, &err))
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_int_equal(list.nr, 1);
		assert_int_equal(list.events[0].attr.sys.type, PERF_TYPE_RAW);
		assert_int_equal(list.events[0].attr.sys.config,
				 cases[i].config);
		assert_int_equal(list.events[0].attr.sys.exclude_kernel,
				 cases[i].exclude_kernel);
		assert_int_equal(list.events[0].attr.sys.exclude_user, 0);
		assert_string_equal(list.events[0].name, cases[i].text);
		rec_event_list_release(&list);
	}
}

/* What has another name already keeps it, and goes into groups with them. */
static void test_event_vendor__stands_behind_all_other_names(void **state)
{
	struct rec_event_list list;
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	if (!rec_vendor_is_there())
		skip();
	rec_event_list_init(&list);
	assert_int_equal(
		rec_event_parse(&list,
				"{slots,topdown-retiring,l1d.replacement}:u,"
				"sched:sched_switch,page-faults",
				&env, &err),
		0);
	assert_int_equal(list.nr, 5);
	assert_int_equal(list.events[0].attr.sys.config, 0x400);
	assert_int_equal(list.events[2].attr.sys.config, 0x151);
	assert_int_equal(list.events[2].leader_idx, 0);
	assert_int_equal(list.events[2].attr.sys.exclude_kernel, 1);
	assert_int_equal(list.events[3].attr.sys.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(list.events[4].attr.sys.type, PERF_TYPE_SOFTWARE);
	rec_event_list_release(&list);
}

static void test_event_vendor__typing_errors_get_the_nearest(void **state)
{
	static const struct {
		const char *text, *says, *near;
		int rc;
	} cases[] = {
		{ "l1d.replacemen", "no such unit mask", "l1d.replacement",
		  -EINVAL },
		{ "L1D:REPLACMENT", "no such unit mask", "l1d.replacement",
		  -EINVAL },
		{ "l1d_replacement", "unknown event", "l1d.replacement",
		  -ENOENT },
		{ "inst_retired", "needs a unit mask", "inst_retired.any",
		  -EINVAL },
		{ "sched:sched_switc", "no tracepoint", "sched:sched_switch",
		  -ENOENT },
	};

	(void)state;
	if (!rec_vendor_is_there())
		skip();
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		struct pd_err err = PD_ERR_INIT;
		struct rec_event_list list;

		rec_event_list_init(&list);
		assert_int_equal(
			rec_event_parse(&list, cases[i].text, &env, &err),
			cases[i].rc);
		assert_int_equal(list.nr, 0);
		if (!strstr(err.text, cases[i].says) ||
		    !strstr(err.hint, cases[i].near))
			fail_msg("%s: %s; %s", cases[i].text, err.text,
				 err.hint);
		rec_event_list_release(&list);
	}
}

/* Without the library, or where it is not asked, nothing is found by it. */
static void test_event_vendor__is_not_asked_unless_wanted(void **state)
{
	static const struct rec_event_env none = { .sysfs =
							   MACHINES "icelake" };
	struct pd_err err = PD_ERR_INIT;
	struct rec_event_list list;

	(void)state;
	rec_event_list_init(&list);
	assert_int_equal(rec_event_parse(&list, "l1d.replacement", &none, &err),
			 -ENOENT);
	rec_event_list_release(&list);
}

static void test_event_vendor__hostile_names_do_not_reach_it(void **state)
{
	char text[300];
	struct rec_vendor_event event;

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_int_equal(rec_vendor_find(text, sizeof(text), &event, NULL),
			 -ENOENT);
	assert_int_equal(rec_vendor_find("a\nb", 3, &event, NULL), -ENOENT);
	assert_int_equal(rec_vendor_find("a,b", 3, &event, NULL), -ENOENT);
	assert_int_equal(rec_vendor_find("", 0, &event, NULL), -ENOENT);
	assert_non_null(rec_vendor_missing());
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_event_vendor__both_spellings_have_the_code),
		cmocka_unit_test(
			test_event_vendor__stands_behind_all_other_names),
		cmocka_unit_test(
			test_event_vendor__typing_errors_get_the_nearest),
		cmocka_unit_test(test_event_vendor__is_not_asked_unless_wanted),
		cmocka_unit_test(
			test_event_vendor__hostile_names_do_not_reach_it),
	};

	return cmocka_run_group_tests(tests, with_library, NULL);
}
