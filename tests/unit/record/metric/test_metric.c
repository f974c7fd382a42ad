/* The table of metrics: which machine has which, the attrs of their events on
 * copied PMUs, and values of published counts. */
#include "record/metric/metric.h"

#include "record/event/event_spec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))
#define MACHINES    PERFPAIR_SOURCE_DIR "/fixtures/machines/"

static const struct rec_metric *metric_of(const char *machine, const char *name)
{
	const struct rec_metric *metric = NULL;
	struct rec_metric_host host;
	char sysfs[256];

	snprintf(sysfs, sizeof(sysfs), MACHINES "%s", machine);
	rec_metric_host_read(&host, sysfs);
	while ((metric = rec_metric_next(&host, metric)))
		if (!strcmp(metric->name, name))
			return metric;
	return NULL;
}

/* The attrs of a metric's events as "TYPE:CONFIG ..."; all of one group. */
static void attrs_of(const char *machine, const struct rec_metric *metric,
		     char *buf, size_t len)
{
	char sysfs[256];
	struct rec_event_env env = { .sysfs = sysfs };
	struct rec_event_list list;
	struct pd_err err = PD_ERR_INIT;

	snprintf(sysfs, sizeof(sysfs), MACHINES "%s", machine);
	rec_event_list_init(&list);
	if (rec_event_parse(&list, metric->events, &env, &err))
		fail_msg("%s: %s: %s", machine, metric->events, err.text);
	buf[0] = '\0';
	for (size_t i = 0; i < list.nr; i++) {
		size_t at = strlen(buf);

		assert_int_equal(list.events[i].leader_idx, 0);
		snprintf(buf + at, len - at, "%s%u:0x%llx", i ? " " : "",
			 list.events[i].attr.sys.type,
			 (unsigned long long)list.events[i].attr.sys.config);
	}
	rec_event_list_release(&list);
}

/* Intel: Linux arch/x86/events/intel/core.c's sysfs attributes; AMD and these:
 * perf stat -vv on the same trees (tests/peer/test_list.py); Arm: the event
 * numbers of the telemetry specifications. */
static void test_metric__events_have_the_vendors_codes(void **state)
{
	static const struct {
		const char *machine;
		const char *name;
		const char *attrs;
	} cases[] = {
		{ "icelake", "retiring",
		  "4:0x400 4:0x8000 4:0x8100 4:0x8200 4:0x8300" },
		{ "icelake", "ipc", "0:0x0 0:0x1" },
		{ "icelake", "llc_miss_rate", "3:0x2 3:0x10002" },
		{ "haswell", "bad_speculation",
		  "4:0x20003c 4:0x10e 4:0x2c2 4:0x19c 4:0x120030d" },
		{ "zen4", "retiring", "4:0x76 4:0xc1" },
		{ "zen4", "bad_speculation", "4:0x76 4:0xc1 4:0x7aa" },
		{ "zen4", "frontend_bound", "4:0x76 4:0x1000001a0" },
		{ "zen4", "backend_bound", "4:0x76 4:0x100001ea0" },
		{ "zen4", "smt_contention", "4:0x76 4:0x1000060a0" },
		{ "neoverse_n1", "l1d_cache_mpki", "8:0x8 8:0x3" },
		{ "neoverse_n1", "ll_cache_read_miss_rate", "8:0x36 8:0x37" },
		{ "neoverse_v1", "retiring",
		  "8:0x11 8:0x3f 8:0x3a 8:0x3b 8:0x10" },
		{ "neoverse_v1", "frontend_bound", "8:0x11 8:0x3e 8:0x10" },
		{ "neoverse_v1", "backend_bound", "8:0x11 8:0x3d" },
		{ "neoverse_n2", "backend_bound", "8:0x11 8:0x3d 8:0x10" },
	};
	char attrs[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		const struct rec_metric *metric =
			metric_of(cases[i].machine, cases[i].name);

		assert_non_null(metric);
		attrs_of(cases[i].machine, metric, attrs, sizeof(attrs));
		assert_string_equal(attrs, cases[i].attrs);
	}
}

/* Each row parses on its machine, says where it is from and can be computed: a
 * count of 2 for each event gives a number. */
static void test_metric__every_row_is_whole(void **state)
{
	static const char *const machines[] = { "icelake",     "haswell",
						"zen4",	       "neoverse_n1",
						"neoverse_v1", "neoverse_n2" };
	char attrs[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(machines); i++) {
		const struct rec_metric *metric = NULL;
		struct rec_metric_host host;
		char sysfs[256];
		size_t nr = 0;

		snprintf(sysfs, sizeof(sysfs), MACHINES "%s", machines[i]);
		rec_metric_host_read(&host, sysfs);
		while ((metric = rec_metric_next(&host, metric))) {
			attrs_of(machines[i], metric, attrs, sizeof(attrs));
			assert_true(metric->source[0] && metric->text[0]);
			assert_int_equal(!metric->label, !metric->beside);
			assert_ptr_equal(metric_of(machines[i], metric->name),
					 metric);
			nr++;
		}
		assert_in_range(nr, 15, 40);
	}
}

static void test_metric__what_other_cores_have_is_refused_so(void **state)
{
	static const struct {
		const char *machine, *word, *text, *hint;
	} cases[] = {
		{ "neoverse_n1", "topdown",
		  "metric 'topdown': Neoverse N1 (armv8_pmuv3_0) counts no "
		  "slots that are known here",
		  "it is known for Intel from Ice Lake on, Intel before, AMD "
		  "Zen 4, Neoverse V1, Neoverse N2, Neoverse V2" },
		{ "amd", "smt_contention",
		  "metric 'smt_contention': this core (cpu) counts no slots "
		  "that are known here",
		  "it is known for AMD Zen 4" },
		{ "icelake", "l2_cache_mpki",
		  "metric 'l2_cache_mpki': this core (cpu) has none of its "
		  "events",
		  "it is known for Neoverse N1, Neoverse V1, Neoverse N2, "
		  "Neoverse V2" },
		{ "tracefs", "topdown",
		  "metric 'topdown': this machine has no hardware PMU",
		  "give the virtual machine a PMU" },
		{ "icelake", "icp", "this machine has no metric 'icp'", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		struct pd_err err = PD_ERR_INIT;
		struct rec_metric_host host;
		char sysfs[256];

		snprintf(sysfs, sizeof(sysfs), MACHINES "%s", cases[i].machine);
		rec_metric_host_read(&host, sysfs);
		rec_metric_refuse(&host, cases[i].word, sysfs, &err);
		assert_string_equal(err.text, cases[i].text);
		assert_string_equal(err.hint, cases[i].hint);
	}
}

static void test_metric__machines_are_told_apart(void **state)
{
	(void)state;
	assert_non_null(metric_of("intel", "ipc"));
	assert_null(metric_of("intel", "retiring"));
	assert_null(metric_of("neoverse_n1", "retiring"));
	assert_null(metric_of("amd", "smt_contention"));
	/* r0p3 counts no slot too many */
	assert_null(strstr(metric_of("neoverse_n2", "retiring")->formula,
			   "stall_slot - cpu_cycles"));
	assert_non_null(strstr(metric_of("hybrid", "retiring")->formula,
			       "cpu_core/slots/"));
}

#define RAN(name, value)                 \
	{                                \
		name, value, 100, 100, 0 \
	}

/* Counts that others published, and what they printed for them. */
static void test_metric__published_counts_give_published_values(void **state)
{
	static const struct {
		const char *machine, *name;
		struct rec_metric_count counts[5];
		double value, rounding;
	} cases[] = {
		/* perf-stat(1), EXAMPLES: 1.36 insn per cycle, 2.98% */
		{ "intel",
		  "ipc",
		  { RAN("cycles:u", 229570665834),
		    RAN("instructions:u", 313163853778) },
		  1.36,
		  0.005 },
		{ "intel",
		  "branch_miss_rate",
		  { RAN("branches:u", 69704684856),
		    RAN("branch-misses:u", 2078861393) },
		  2.98,
		  0.005 },
		/* Arm learning path "top-down-n1", analysis-1: 0.22, 84.39%,
		 * 0.00% */
		{ "neoverse_n1",
		  "ipc",
		  { RAN("instructions:u", 10002762164),
		    RAN("cycles:u", 45157063927) },
		  0.22,
		  0.005 },
		{ "neoverse_n1",
		  "backend_stalled_cycles",
		  { RAN("cycles:u", 44847565198),
		    RAN("stalled-cycles-backend:u", 37845044034) },
		  84.39,
		  0.005 },
		{ "neoverse_n1",
		  "frontend_stalled_cycles",
		  { RAN("cycles:u", 44847565198),
		    RAN("stalled-cycles-frontend:u", 706422) },
		  0.00,
		  0.005 },
		/* Arm learning path "topdown-compare", 2-code-examples, of an
		 * Intel core (four slots of each cycle): 0.09, 0.00, 0.91 */
		{ "haswell",
		  "retiring",
		  { RAN("topdown-total-slots", 4 * 19206823557.),
		    RAN("topdown-slots-retired", 7026625438) },
		  9,
		  0.5 },
		{ "haswell",
		  "bad_speculation",
		  { RAN("topdown-total-slots", 4 * 19206823557.),
		    RAN("topdown-slots-issued", 7030153262),
		    RAN("topdown-slots-retired", 7026625438),
		    RAN("topdown-recovery-bubbles", 4 * 1111503.) },
		  0,
		  0.5 },
		{ "haswell",
		  "frontend_bound",
		  { RAN("topdown-total-slots", 4 * 19203260401.),
		    RAN("topdown-fetch-bubbles", 26956040) },
		  0,
		  0.5 },
		{ "haswell",
		  "backend_bound",
		  { RAN("topdown-total-slots", 4 * 19201754818.),
		    RAN("topdown-slots-issued", 7017115812),
		    RAN("topdown-fetch-bubbles", 31942584),
		    RAN("topdown-recovery-bubbles", 4 * 704834.) },
		  91,
		  0.5 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		size_t nr = 0;
		double value = NAN;

		while (nr < 5 && cases[i].counts[nr].name)
			nr++;
		assert_int_equal(rec_metric_value(metric_of(cases[i].machine,
							    cases[i].name),
						  cases[i].counts, nr, NULL,
						  &value),
				 REC_METRIC_OK);
		if (!(fabs(value - cases[i].value) < cases[i].rounding))
			fail_msg("%s: %f", cases[i].name, value);
	}
}

/* The shares of level 1 add up, on made-up counts of a core whose slots are
 * known: 1000 cycles, 10 of 100 branches mispredicted. */
static void test_metric__shares_add_up_to_all_slots(void **state)
{
	static const struct {
		const char *machine;
		const char *names[5];
		struct rec_metric_count counts[8];
	} cases[] = {
		{ "icelake",
		  { "retiring", "bad_speculation", "frontend_bound",
		    "backend_bound" },
		  { RAN("slots", 5000), RAN("topdown-retiring", 2000),
		    RAN("topdown-bad-spec", 500), RAN("topdown-fe-bound", 1000),
		    RAN("topdown-be-bound", 1500) } },
		{ "zen4",
		  { "retiring", "bad_speculation", "frontend_bound",
		    "backend_bound", "smt_contention" },
		  { RAN("ls_not_halted_cyc", 1000), RAN("ex_ret_ops", 2400),
		    RAN("de_src_op_disp.all", 2700),
		    RAN("de_no_dispatch_per_slot.no_ops_from_frontend", 1500),
		    RAN("de_no_dispatch_per_slot.backend_stalls", 1200),
		    RAN("de_no_dispatch_per_slot.smt_contention", 600) } },
		/* stall_slot is both kinds of stalls */
		{ "neoverse_v1",
		  { "retiring", "bad_speculation", "frontend_bound",
		    "backend_bound" },
		  { RAN("cpu_cycles", 1000), RAN("stall_slot", 4000),
		    RAN("stall_slot_frontend", 1000),
		    RAN("stall_slot_backend", 3000), RAN("op_retired", 3600),
		    RAN("op_spec", 4000), RAN("br_mis_pred", 10) } },
		{ "neoverse_n2",
		  { "retiring", "bad_speculation", "frontend_bound",
		    "backend_bound" },
		  { RAN("cpu_cycles", 1000), RAN("stall_slot", 3000),
		    RAN("stall_slot_frontend", 1000),
		    RAN("stall_slot_backend", 2000), RAN("op_retired", 1600),
		    RAN("op_spec", 2000), RAN("br_mis_pred", 10) } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		double sum = 0;

		for (size_t j = 0; j < 5 && cases[i].names[j]; j++) {
			size_t nr = 0;
			double value = NAN;

			while (nr < 8 && cases[i].counts[nr].name)
				nr++;
			assert_int_equal(
				rec_metric_value(metric_of(cases[i].machine,
							   cases[i].names[j]),
						 cases[i].counts, nr, NULL,
						 &value),
				REC_METRIC_OK);
			assert_true(value > 0 && value < 100);
			sum += value;
		}
		assert_true(fabs(sum - 100) < 1e-9);
	}
}

static enum rec_metric_state ipc_of(const struct rec_metric_count *counts,
				    size_t nr, double *ret)
{
	return rec_metric_value(metric_of("intel", "ipc"), counts, nr, NULL,
				ret);
}

static void test_metric__refuses_what_was_not_counted_together(void **state)
{
	struct rec_metric_count counts[] = {
		{ "instructions", 300, 100, 50, 0 },
		{ "cycles", 200, 100, 50, 0 },
	};
	double value = -1;

	(void)state;
	assert_int_equal(ipc_of(counts, 2, &value), REC_METRIC_OK);
	assert_true(value == 1.5);
	value = -1;
	counts[1].group = 1; /* they took turns */
	assert_int_equal(ipc_of(counts, 2, &value), REC_METRIC_NOT_TOGETHER);
	counts[0].running_ns = 100; /* one of them did */
	assert_int_equal(ipc_of(counts, 2, &value), REC_METRIC_NOT_TOGETHER);
	assert_true(value == -1);
	counts[1].running_ns = 100;
	assert_int_equal(ipc_of(counts, 2, &value), REC_METRIC_OK);
	counts[0].running_ns = 0;
	assert_int_equal(ipc_of(counts, 2, &value), REC_METRIC_NOT_COUNTED);
	assert_int_equal(ipc_of(counts, 1, &value), REC_METRIC_NOT_COUNTED);
	assert_int_equal(ipc_of(counts, 0, &value), REC_METRIC_NOT_COUNTED);
	counts[0].running_ns = 100;
	counts[1].value = 0;
	assert_int_equal(ipc_of(counts, 2, &value), REC_METRIC_NO_BASE);
	assert_string_equal(rec_metric_state_text(REC_METRIC_NO_BASE),
			    "nothing to divide by");
}

static void test_metric__pairs_equal_pmus_and_modifiers(void **state)
{
	static const struct rec_metric_count counts[] = {
		{ "instructions:u", 300, 100, 100, 0 },
		{ "cycles:k", 10, 100, 100, 1 },
		{ "cpu-cycles:u", 200, 100, 100, 2 },
		{ "cpu_core/instructions/", 8, 100, 100, 3 },
		{ "cpu_atom/cycles/", 100, 100, 100, 4 },
		{ "cpu_core/cycles/", 4, 100, 100, 5 },
		{ "cpu_atom/instructions/", 300, 100, 100, 6 },
	};
	const struct rec_metric *ipc = metric_of("intel", "ipc");
	double value = -1;

	(void)state;
	assert_int_equal(ipc_of(counts, 2, &value), REC_METRIC_NOT_COUNTED);
	assert_int_equal(ipc_of(counts, 3, &value), REC_METRIC_OK);
	assert_true(value == 1.5);
	assert_int_equal(rec_metric_value(ipc, counts, 7, &counts[3], &value),
			 REC_METRIC_OK);
	assert_true(value == 2);
	assert_int_equal(rec_metric_value(ipc, counts, 7, &counts[6], &value),
			 REC_METRIC_OK);
	assert_true(value == 3);
	assert_int_equal(rec_metric_value(ipc, counts, 7, &counts[1], &value),
			 REC_METRIC_NOT_COUNTED);
}

static void test_metric__is_named_as_perf_names_it(void **state)
{
	const struct rec_metric *retiring = metric_of("icelake", "retiring");

	(void)state;
	assert_true(rec_metric_is_named(retiring, "retiring"));
	assert_true(rec_metric_is_named(retiring, "Retiring"));
	assert_true(rec_metric_is_named(retiring, "tma_retiring"));
	assert_true(rec_metric_is_named(retiring, "topdown"));
	assert_true(rec_metric_is_named(retiring, "TopdownL1"));
	assert_false(rec_metric_is_named(retiring, "retirin"));
	assert_false(
		rec_metric_is_named(metric_of("icelake", "ipc"), "tma_ipc"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metric__events_have_the_vendors_codes),
		cmocka_unit_test(test_metric__every_row_is_whole),
		cmocka_unit_test(test_metric__machines_are_told_apart),
		cmocka_unit_test(
			test_metric__what_other_cores_have_is_refused_so),
		cmocka_unit_test(
			test_metric__published_counts_give_published_values),
		cmocka_unit_test(test_metric__shares_add_up_to_all_slots),
		cmocka_unit_test(
			test_metric__refuses_what_was_not_counted_together),
		cmocka_unit_test(test_metric__pairs_equal_pmus_and_modifiers),
		cmocka_unit_test(test_metric__is_named_as_perf_names_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
