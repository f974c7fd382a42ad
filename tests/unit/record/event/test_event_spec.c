/* The text of -e.  Names and numbers for events that this machine type cannot
 * have were seen by strace of perf 6.1 (plain names) or follow from the trees
 * in fixtures/machines (PMU events). */
#include "record/event/event_spec.h"

#include "record/event/event_names.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))
#define MACHINES    PERFPAIR_SOURCE_DIR "/fixtures/machines/"

static const struct rec_event_env intel = {
	.sysfs = MACHINES "intel",
	.tracefs = MACHINES "tracefs",
};
static const struct rec_event_env amd = { .sysfs = MACHINES "amd",
					  .cpu_is_amd = true };
static const struct rec_event_env arm = { .sysfs = MACHINES "arm" };
static const struct rec_event_env hybrid = { .sysfs = MACHINES "hybrid" };
static const struct rec_event_env power = { .sysfs = MACHINES "power" };

static void parse(struct rec_event_list *list, const char *text,
		  const struct rec_event_env *env)
{
	struct pd_err err = PD_ERR_INIT;

	rec_event_list_init(list);
	if (rec_event_parse(list, text, env, &err))
		fail_msg("%s: %s", text, err.text);
}

struct simple_case {
	const char *text;
	uint32_t type;
	uint64_t config;
};

static void test_event_spec__plain_names(void **state)
{
	static const struct simple_case cases[] = {
		{ "cycles", 0, 0 },
		{ "cpu-cycles", 0, 0 },
		{ "instructions", 0, 1 },
		{ "cache-references", 0, 2 },
		{ "cache-misses", 0, 3 },
		{ "branches", 0, 4 },
		{ "branch-instructions", 0, 4 },
		{ "branch-misses", 0, 5 },
		{ "bus-cycles", 0, 6 },
		{ "idle-cycles-frontend", 0, 7 },
		{ "stalled-cycles-backend", 0, 8 },
		{ "ref-cycles", 0, 9 },
		{ "cpu-clock", 1, 0 },
		{ "task-clock", 1, 1 },
		{ "faults", 1, 2 },
		{ "page-faults", 1, 2 },
		{ "cs", 1, 3 },
		{ "context-switches", 1, 3 },
		{ "migrations", 1, 4 },
		{ "cpu-migrations", 1, 4 },
		{ "minor-faults", 1, 5 },
		{ "major-faults", 1, 6 },
		{ "alignment-faults", 1, 7 },
		{ "emulation-faults", 1, 8 },
		{ "dummy", 1, 9 },
		{ "bpf-output", 1, 10 },
		{ "cgroup-switches", 1, 11 },
		{ "r1a", 4, 0x1a },
		{ "r1A", 4, 0x1a },
		{ "rffffffffffffffff", 4, UINT64_MAX },
		{ "1:3", 1, 3 },
		{ "7:0x10", 7, 16 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		struct rec_event_list list;

		parse(&list, cases[i].text, &intel);
		assert_int_equal(list.nr, 1);
		assert_int_equal(list.events[0].attr.sys.type, cases[i].type);
		assert_int_equal(list.events[0].attr.sys.config,
				 cases[i].config);
		assert_string_equal(list.events[0].name, cases[i].text);
		rec_event_list_release(&list);
	}
}

/* CACHE | OP << 8 | RESULT << 16 */
static void test_event_spec__cache_names(void **state)
{
	static const struct simple_case cases[] = {
		{ "L1-dcache", 3, 0 },
		{ "l1-d", 3, 0 },
		{ "l1d", 3, 0 },
		{ "L1-data", 3, 0 },
		{ "L1-dcache-loads", 3, 0 },
		{ "L1-dcache-refs", 3, 0 },
		{ "L1-dcache-misses", 3, 0x10000 },
		{ "L1-dcache-load-misses", 3, 0x10000 },
		{ "L1-dcache-misses-load", 3, 0x10000 },
		{ "L1-dcache-store-misses", 3, 0x10100 },
		{ "L1-dcache-speculative-load", 3, 0x200 },
		{ "L1-icache-prefetches", 3, 0x201 },
		{ "LLC", 3, 2 },
		{ "L2-write-miss", 3, 0x10102 },
		{ "Data-TLB-access", 3, 3 },
		{ "dTLB-prefetches", 3, 0x203 },
		{ "iTLB-load-misses", 3, 0x10004 },
		{ "branch", 3, 5 },
		{ "branch-load-misses", 3, 0x10005 },
		{ "bpu", 3, 5 },
		{ "node-prefetch-misses", 3, 0x10206 },
	};
	static const char *const wrong[] = {
		"L1-icache-stores", "iTLB-stores", "branch-stores", "llc",
		"L1-dcache-",	    "L1-dcachex",  "CYCLES",	    "L1",
	};
	uint64_t config;
	uint32_t type;

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		assert_true(rec_event_name_find(
			cases[i].text, strlen(cases[i].text), &type, &config));
		assert_int_equal(type, cases[i].type);
		assert_int_equal(config, cases[i].config);
	}
	for (size_t i = 0; i < ARRAY_NR(wrong); i++)
		assert_false(rec_event_name_find(wrong[i], strlen(wrong[i]),
						 &type, &config));
}

/* What goes into EVENT_DESC. */
static void test_event_spec__names_are_perfs(void **state)
{
	static const struct {
		const char *text;
		const char *names[3];
	} cases[] = {
		{ "cpu-clock:u", { "cpu-clock:u" } },
		{ "cpu-clock:", { "cpu-clock:" } },
		{ "cpu-clock//", { "cpu-clock//" } },
		{ "cpu-clock/period=1000/u", { "cpu-clock/period=1000/u" } },
		{ "cpu-clock/name=foo/u", { "foo" } },
		{ "cpu-clock/name='a,b/c'/", { "a,b/c" } },
		{ "{cpu-clock:u,cs}:k", { "cpu-clock:u", "cs" } },
		{ "cs , faults", { "cs", "faults" } },
		{ "sched:sched_switch:u", { "sched:sched_switch" } },
		{ "sched:sched_switch/call-graph=fp/",
		  { "sched:sched_switch" } },
		{ "mem:0x1000", { "mem:0x1000" } },
		{ "mem:0x1000:rw:u", { "mem:0x1000:rw:u" } },
		{ "mem:0x1000/4:w", { "mem:0x1000" } },
		{ "cpu/event=0x3c,umask=1/pp",
		  { "cpu/event=0x3c,umask=1/pp" } },
		{ "software/config=1,name=a/", { "a" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		struct rec_event_list list;

		parse(&list, cases[i].text, &intel);
		for (size_t j = 0; j < list.nr; j++)
			assert_string_equal(list.events[j].name,
					    cases[i].names[j]);
		assert_true(list.nr == 3 || !cases[i].names[list.nr]);
		rec_event_list_release(&list);
	}
}

static void test_event_spec__breakpoints(void **state)
{
	static const struct {
		const char *text;
		uint64_t addr, len;
		uint32_t access;
	} cases[] = {
		{ "mem:0x1000", 0x1000, 4, 3 },
		{ "mem:4096:r", 4096, 4, 1 },
		{ "mem:0x1000:w", 0x1000, 4, 2 },
		{ "mem:0x1000:wr", 0x1000, 4, 3 },
		{ "mem:0x1000:x", 0x1000, sizeof(long), 4 },
		{ "mem:0x1000/0", 0x1000, 4, 3 },
		{ "mem:0x1000/2:w", 0x1000, 2, 2 },
		{ "mem:0x1000/0x8:rw:u", 0x1000, 8, 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		const struct perf_event_attr *sys;
		struct rec_event_list list;

		parse(&list, cases[i].text, &intel);
		sys = &list.events[0].attr.sys;
		assert_int_equal(sys->type, PERF_TYPE_BREAKPOINT);
		assert_int_equal(sys->bp_addr, cases[i].addr);
		assert_int_equal(sys->bp_len, cases[i].len);
		assert_int_equal(sys->bp_type, cases[i].access);
		assert_int_equal(sys->sample_period, 1);
		rec_event_list_release(&list);
	}
}

static void test_event_spec__tracepoint_globs_match_both_sides(void **state)
{
	static const struct {
		const char *text;
		size_t nr;
	} cases[] = {
		{ "sched:sched_switch", 1 },
		{ "sched:sched_sw*", 2 },
		{ "sched:*wakeup*", 2 },
		{ "s*:*_getppid", 2 },
		{ "*:*", 6 },
		{ "sched:sched_w[a-z]*", 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		struct rec_event_list list;

		parse(&list, cases[i].text, &intel);
		assert_int_equal(list.nr, cases[i].nr);
		for (size_t j = 0; j < list.nr; j++)
			assert_int_equal(list.events[j].attr.sys.type,
					 PERF_TYPE_TRACEPOINT);
		rec_event_list_release(&list);
	}
}

static void test_event_spec__groups_have_a_leader(void **state)
{
	struct rec_event_list list;

	(void)state;
	parse(&list, "cs,mine{cpu-clock,faults:k,sched:sched_switch}:S,r1",
	      &intel);
	assert_int_equal(list.nr, 5);
	assert_int_equal(list.events[0].leader_idx, 0);
	assert_int_equal(list.events[0].member_nr, 1);
	assert_string_equal(list.events[0].group_name, "");
	for (size_t i = 1; i < 4; i++) {
		assert_int_equal(list.events[i].leader_idx, 1);
		assert_true(list.events[i].sample_read);
	}
	assert_int_equal(list.events[1].member_nr, 3);
	assert_string_equal(list.events[1].group_name, "mine");
	assert_int_equal(list.events[4].leader_idx, 4);
	assert_false(list.events[4].sample_read);
	rec_event_list_release(&list);
}

struct pmu_case {
	const struct rec_event_env *env;
	const char *text;
	uint32_t type;
	uint64_t config, config1, config2;
	const char *cpus;
};

static void test_event_spec__pmu_terms_fill_their_bits(void **state)
{
	static const struct pmu_case cases[] = {
		{ &intel, "cpu/event=0x3c/", 4, 0x3c, 0, 0, NULL },
		{ &intel, "cpu/event=0x3c,umask=0x1,edge,cmask=0x10/", 4,
		  0x1004013c, 0, 0, NULL },
		{ &intel, "cpu/event=0xb7,umask=1,offcore_rsp=0x3fffc00001/", 4,
		  0x1b7, 0x3fffc00001, 0, NULL },
		{ &intel, "cpu/cache-misses/", 4, 0x412e, 0, 0, NULL },
		{ &intel, "cpu/mem-loads,ldlat=30/pp", 4, 0x1cd, 30, 0, NULL },
		{ &intel, "cpu/config=0x123,config1=7,config2=0x8/", 4, 0x123,
		  7, 8, NULL },
		{ &intel, "cpu/r01c2/", 4, 0x1c2, 0, 0, NULL },
		{ &intel, "cpu/cycles/", 0, 0, 0, 0, NULL },
		{ &intel, "cpu/LLC-load-misses/", 3, 0x10002, 0, 0, NULL },
		{ &intel, "uncore_imc_1/event=4,umask=3/", 20, 0x304, 0, 0,
		  "0,18" },
		{ &amd, "cpu/event=0xfff,umask=0x1/", 4, 0xf000001ff, 0, 0,
		  NULL },
		{ &amd, "cpu/event=0x1c2/", 4, 0x1000000c2, 0, 0, NULL },
		{ &amd, "amd_l3/event=4,threadmask=0xff,slicemask=0xf/", 13,
		  0xff0f000000000004, 0, 0, "0,8" },
		{ &amd, "ibs_op/cnt_ctl=1/", 10, 0x80000, 0, 0, NULL },
		{ &arm, "armv8_pmuv3_0/inst_retired,long=1/", 8, 8, 1, 0,
		  "0-3" },
		{ &arm, "armv8_pmuv3_0/event=0x11,threshold=0x3/", 8, 0x11,
		  0x60, 0, "0-3" },
		{ &arm, "armv8_pmuv3/cpu_cycles/", 8, 0x11, 0, 0, "0-3" },
		{ &arm, "cpu/cpu_cycles/", 8, 0x11, 0, 0, "0-3" },
		{ &arm, "cpu/cycles/", 0, 0x800000000, 0, 0, "0-3" },
		{ &arm, "arm_spe_0/ts_enable=1,load_filter,min_latency=0x64/",
		  9, 0x200000001, 0, 0x64, "0-3" },
		{ &hybrid, "cpu_core/mem-loads,ldlat=7/", 4, 0x1cd, 7, 0,
		  "0-15" },
		{ &hybrid, "cpu_atom/instructions/", 0, 0xa00000001, 0, 0,
		  "16-23" },
		{ &power, "hv_24x7/CPM_PB_CYC,core=2/", 6, 0x9800020001, 0, 0,
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		const struct pmu_case *c = &cases[i];
		const struct perf_event_attr *sys;
		struct rec_event_list list;

		parse(&list, c->text, c->env);
		sys = &list.events[0].attr.sys;
		assert_int_equal(list.nr, 1);
		assert_int_equal(sys->type, c->type);
		if (sys->config != c->config)
			fail_msg("%s: %#llx", c->text,
				 (unsigned long long)sys->config);
		assert_int_equal(sys->config1, c->config1);
		assert_int_equal(sys->config2, c->config2);
		assert_int_equal(sys->size, 128);
		assert_string_equal(list.events[0].name, c->text);
		assert_true(!list.events[0].cpus == !c->cpus);
		if (c->cpus)
			assert_string_equal(list.events[0].cpus, c->cpus);
		rec_event_list_release(&list);
	}
}

static void test_event_spec__config3_makes_the_attr_longer(void **state)
{
	struct rec_event_list list;

	(void)state;
	parse(&list, "arm_spe_0/inv_event_filter=0x2/", &arm);
	assert_int_equal(list.events[0].attr.sys.size, 136);
	assert_int_equal(list.events[0].attr.ext.config3, 2);
	rec_event_list_release(&list);
}

static void test_event_spec__tracers_are_refused(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct rec_event_list list;

	(void)state;
	parse(&list, "cycles,arm_spe_0/load_filter/", &arm);
	assert_int_equal(rec_event_refuse_unsampled(&list, &err), -ENOTSUP);
	assert_string_equal(err.text, "arm_spe_0 is a hardware trace, which is "
				      "not recorded here");
	rec_event_list_release(&list);
	parse(&list, "cycles", &arm);
	assert_int_equal(rec_event_refuse_unsampled(&list, NULL), 0);
	rec_event_list_release(&list);
}

static void test_event_spec__alias_brings_scale_and_unit(void **state)
{
	struct rec_event_list list;

	(void)state;
	parse(&list, "uncore_imc/cas_count_read/", &intel);
	assert_int_equal(list.nr, 2);
	assert_int_equal(list.events[0].attr.sys.type, 19);
	assert_int_equal(list.events[1].attr.sys.type, 20);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(list.events[i].attr.sys.config, 0x304);
		assert_string_equal(list.events[i].unit, "MiB");
		assert_true(list.events[i].scale == 6.103515625e-5);
		assert_string_equal(list.events[i].name,
				    "uncore_imc/cas_count_read/");
	}
	rec_event_list_release(&list);
}

/* "imc" is uncore_imc; a name that some PMU has needs no slashes. */
static void test_event_spec__short_pmu_names(void **state)
{
	struct rec_event_list list;

	(void)state;
	parse(&list, "imc/clockticks/,uncore_imc_*/clockticks/", &intel);
	assert_int_equal(list.nr, 4);
	rec_event_list_release(&list);
	parse(&list, "mem-loads:pp,clockticks,energy-pkg", &intel);
	assert_int_equal(list.nr, 4);
	assert_string_equal(list.events[0].name, "mem-loads:pp");
	assert_int_equal(list.events[0].attr.sys.config, 0x1cd);
	assert_int_equal(list.events[0].attr.sys.config1, 3);
	assert_int_equal(list.events[0].attr.sys.precise_ip, 2);
	assert_int_equal(list.events[1].attr.sys.type, 19);
	assert_int_equal(list.events[2].attr.sys.type, 20);
	assert_string_equal(list.events[3].unit, "Joules");
	rec_event_list_release(&list);
}

/* Each kind of core counts its own cycles. */
static void test_event_spec__hybrid_machines_need_two(void **state)
{
	struct rec_event_list list;
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	parse(&list, "cycles:u,cs", &hybrid);
	assert_int_equal(list.nr, 3);
	assert_string_equal(list.events[0].name, "cpu_core/cycles/u");
	assert_int_equal(list.events[0].attr.sys.config, 0x400000000);
	assert_int_equal(list.events[0].attr.sys.exclude_kernel, 1);
	assert_string_equal(list.events[0].cpus, "0-15");
	assert_string_equal(list.events[1].name, "cpu_atom/cycles/u");
	assert_int_equal(list.events[1].attr.sys.config, 0xa00000000);
	assert_string_equal(list.events[2].name, "cs");
	rec_event_list_release(&list);
	rec_event_list_init(&list);
	assert_int_equal(rec_event_default(&list, &hybrid, &err), 0);
	assert_int_equal(list.nr, 2);
	assert_string_equal(list.events[1].name, "cpu_atom/cycles/P");
	assert_true(list.events[1].precise_max);
	rec_event_list_release(&list);
}

struct wrong_case {
	const char *text;
	int code;
	const char *message;
	const char *hint;
};

static void check_wrong(const struct wrong_case *c)
{
	struct pd_err err = PD_ERR_INIT;
	struct rec_event_list list;
	int code;

	rec_event_list_init(&list);
	code = rec_event_parse(&list, c->text, &intel, &err);
	if (code != c->code || strcmp(err.text, c->message) != 0 ||
	    strcmp(err.hint, c->hint) != 0)
		fail_msg("%s: %d \"%s\" \"%s\"", c->text, code, err.text,
			 err.hint);
	assert_int_equal(list.nr, 0);
	rec_event_list_release(&list);
}

static void test_event_spec__errors_name_the_thing(void **state)
{
	static const struct wrong_case cases[] = {
		{ "cpu-clok", -ENOENT, "unknown event 'cpu-clok'",
		  "nearest: cpu-clock" },
		{ "page-falts", -ENOENT, "unknown event 'page-falts'",
		  "nearest: page-faults" },
		{ "mem-load", -ENOENT, "unknown event 'mem-load'",
		  "nearest: mem-loads" },
		{ "sched:sched_swich", -ENOENT,
		  "this kernel has no tracepoint 'sched:sched_swich'",
		  "nearest: sched:sched_switch" },
		{ "cpu/evnt=1/", -EINVAL, "PMU cpu has no term 'evnt'",
		  "nearest: event" },
		{ "cpu/umask=0x100/", -EINVAL,
		  "term 'umask' takes 8 bits, 0x100 has more", "" },
		{ "cpuu/event=1/", -ENOENT, "this machine has no PMU 'cpuu'",
		  "nearest: cpu" },
		{ "cpu-clock:x", -ENOENT,
		  "this kernel has no tracepoint 'cpu-clock:x'",
		  "'perfpair-record --list tracepoint' lists them" },
		{ "cpu-clock:uu", -EINVAL,
		  "event modifier 'u' stands too often", "" },
		{ "cpu-clock:pppp", -EINVAL,
		  "event modifier 'p' stands too often", "" },
		{ "{cs:ppp,faults}:p", -EINVAL,
		  "more than three p of event and group", "" },
		{ "cs,,faults", -EINVAL, "an event is missing at ',faults'",
		  "" },
		{ "", -EINVAL, "an event is missing at ''", "" },
		{ "{cs", -EINVAL, "group has no closing '}' at ''", "" },
		{ "{}", -EINVAL, "an event is missing at '}'", "" },
		{ "{cs,{faults}}", -EINVAL,
		  "an event is missing at '{faults}}'", "" },
		{ "cs}", -EINVAL, "event syntax ends at '}'", "" },
		{ "cs/period=/", -EINVAL, "term 'period' is no number: ''",
		  "" },
		{ "cs/period=10k/", -EINVAL,
		  "term 'period' is no number: '10k'", "" },
		{ "cs/time=2/", -EINVAL, "term 'time' takes 0 or 1", "" },
		{ "cs/foo/", -EINVAL, "unknown term 'foo'", "" },
		{ "cs/period=1", -EINVAL,
		  "terms of 'cs/period=1' have no closing '/'", "" },
		{ "cs/name='x/", -EINVAL,
		  "terms of 'cs/name='x/' have no closing '/'", "" },
		{ "mem:foo", -EINVAL, "'foo' is no number", "" },
		{ "mem:0x1000:rr", -EINVAL,
		  "breakpoint access 'rr' is not of r, w and x", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++)
		check_wrong(&cases[i]);
}

static void test_event_spec__parameter_of_an_alias_is_asked_for(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct rec_event_list list;

	(void)state;
	rec_event_list_init(&list);
	assert_int_equal(
		rec_event_parse(&list, "hv_24x7/CPM_PB_CYC/", &power, &err),
		-EINVAL);
	assert_string_equal(err.text, "this event needs a value: core=");
	rec_event_list_release(&list);
}

static void test_event_spec__explains_missing_tracefs(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct rec_event_list list;

	(void)state;
	rec_event_list_init(&list);
	assert_int_equal(rec_event_parse(&list, "a:b", &amd, &err), -ENOENT);
	assert_string_equal(err.text,
			    "a:b needs tracefs, which is not mounted");
	rec_event_list_release(&list);
}

static void test_event_spec__filters_join(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct rec_event_list list;

	(void)state;
	parse(&list, "cs", &intel);
	assert_int_equal(rec_event_filter(&list, "x > 1", &err), -EINVAL);
	assert_string_equal(err.text, "a filter needs tracepoints, cs is none");
	assert_int_equal(
		rec_event_parse(&list, "sched:sched_sw*", &intel, NULL), 0);
	assert_int_equal(rec_event_filter(&list, "x > 1", NULL), 0);
	assert_int_equal(rec_event_exclude_pid(&list, 42, NULL), 0);
	assert_null(list.events[0].filter);
	assert_string_equal(list.events[1].filter,
			    "(x > 1) && (common_pid != 42)");
	assert_string_equal(list.events[2].filter,
			    "(x > 1) && (common_pid != 42)");
	rec_event_list_release(&list);
}

/* What happens on a machine without a PMU. */
static void check_fallback(const struct rec_event_env *env, const char *name)
{
	struct rec_event_list list;
	struct pd_err note = PD_ERR_INIT;
	struct rec_event *event;

	rec_event_list_init(&list);
	assert_int_equal(rec_event_default(&list, env, NULL), 0);
	event = &list.events[0];
	assert_string_equal(event->name, "cycles:P");
	for (unsigned precise = 3; precise > 0; precise--) {
		assert_int_equal(event->attr.sys.precise_ip, precise);
		assert_true(rec_event_fallback(event, -ENOENT, &note));
	}
	assert_int_equal(event->attr.sys.precise_ip, 0);
	assert_string_equal(note.text, "");
	assert_true(rec_event_fallback(event, -ENOENT, &note));
	assert_string_equal(note.text, "no cycles counter here: recording "
				       "cpu-clock instead of it");
	assert_int_equal(event->attr.sys.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(event->attr.sys.config, PERF_COUNT_SW_CPU_CLOCK);
	assert_int_equal(event->attr.sys.precise_ip, 3);
	assert_string_equal(event->name, name);
	rec_event_list_release(&list);
}

static void test_event_spec__cycles_fall_back_to_the_clock(void **state)
{
	(void)state;
	check_fallback(&intel, "cpu-clock:pppH");
	check_fallback(&amd, "cpu-clock:ppp");
}

static void test_event_spec__fallback_names(void **state)
{
	static const struct {
		const char *text;
		const char *name; /* NULL: no fallback */
	} cases[] = {
		{ "cycles", "cpu-clock" },
		{ "cycles:u", "cpu-clock:uH" },
		{ "cycles:pp", "cpu-clock:ppH" },
		{ "cycles/name=foo/", "cpu-clock" },
		{ "instructions", NULL },
		{ "cs", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		struct rec_event_list list;
		struct rec_event *event;

		parse(&list, cases[i].text, &intel);
		event = &list.events[0];
		assert_int_equal(rec_event_fallback(event, -ENOENT, NULL),
				 cases[i].name != NULL);
		if (cases[i].name)
			assert_string_equal(event->name, cases[i].name);
		rec_event_list_release(&list);
	}
}

static void test_event_spec__paranoid_leaves_the_kernel_out(void **state)
{
	struct pd_err note = PD_ERR_INIT;
	struct rec_event_list list;

	(void)state;
	parse(&list, "cpu-clock,sched:sched_switch", &intel);
	assert_true(rec_event_fallback(&list.events[0], -EACCES, &note));
	assert_string_equal(list.events[0].name, "cpu-clock:u");
	assert_int_equal(list.events[0].attr.sys.exclude_kernel, 1);
	assert_int_equal(list.events[0].attr.sys.exclude_hv, 1);
	assert_false(rec_event_fallback(&list.events[0], -EACCES, &note));
	assert_false(rec_event_fallback(&list.events[1], -EACCES, &note));
	rec_event_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_spec__plain_names),
		cmocka_unit_test(test_event_spec__cache_names),
		cmocka_unit_test(test_event_spec__names_are_perfs),
		cmocka_unit_test(test_event_spec__breakpoints),
		cmocka_unit_test(
			test_event_spec__tracepoint_globs_match_both_sides),
		cmocka_unit_test(test_event_spec__groups_have_a_leader),
		cmocka_unit_test(test_event_spec__pmu_terms_fill_their_bits),
		cmocka_unit_test(
			test_event_spec__config3_makes_the_attr_longer),
		cmocka_unit_test(test_event_spec__tracers_are_refused),
		cmocka_unit_test(test_event_spec__alias_brings_scale_and_unit),
		cmocka_unit_test(test_event_spec__short_pmu_names),
		cmocka_unit_test(test_event_spec__hybrid_machines_need_two),
		cmocka_unit_test(test_event_spec__errors_name_the_thing),
		cmocka_unit_test(
			test_event_spec__parameter_of_an_alias_is_asked_for),
		cmocka_unit_test(test_event_spec__explains_missing_tracefs),
		cmocka_unit_test(test_event_spec__filters_join),
		cmocka_unit_test(
			test_event_spec__cycles_fall_back_to_the_clock),
		cmocka_unit_test(test_event_spec__fallback_names),
		cmocka_unit_test(
			test_event_spec__paranoid_leaves_the_kernel_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
