#include "report/events/event_match.h"

#include "format/file/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define EVENTS_MAX 4
#define USER	   PD_ATTR_EXCLUDE_KERNEL
#define KERNEL	   PD_ATTR_EXCLUDE_USER
#define PRECISE	   PD_ATTR_PRECISE_IP_MASK

struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
	uint64_t flags;
};

/* Two recordings, and which event of the old one each new one is; from 10 on
 * one of its own. */
struct example {
	struct event old[EVENTS_MAX];
	struct event new[EVENTS_MAX];
	uint32_t expected[EVENTS_MAX];
	bool is_strict;
};

#define HW		       PD_TYPE_HARDWARE
#define SW		       PD_TYPE_SOFTWARE
#define TRACE		       PD_TYPE_TRACEPOINT
#define RAW		       PD_TYPE_RAW
#define BREAK		       PD_TYPE_BREAKPOINT
#define CPU_TYPE(config, type) ((config) | (uint64_t)(type) << 32)

static const struct example examples[] = {
	/* no -e against -e; other perfs; a user */
	{ { { "cpu-clock:ppp", SW, 0, PRECISE } },
	  { { "cpu-clock", SW, 0, 0 } },
	  { 0 },
	  true },
	{ { { "cycles:ppp", HW, 0, PRECISE } },
	  { { "cycles:P", HW, 0, PRECISE } },
	  { 0 },
	  true },
	{ { { "cycles:u", HW, 0, USER } },
	  { { "cycles:uppp", HW, 0, USER | PRECISE } },
	  { 0 },
	  true },
	{ { { "cycles:u", HW, 0, USER } },
	  { { "cycles:P", HW, 0, PRECISE } },
	  { 0 },
	  false },
	{ { { "cycles:u", HW, 0, USER } },
	  { { "cycles:P", HW, 0, PRECISE } },
	  { 10 },
	  true },
	/* names that are not known */
	{ { { NULL, SW, 0, 0 } }, { { "cpu-clock", SW, 0, 0 } }, { 0 }, true },
	/* guests alone do not tell them apart */
	{ { { "cycles", HW, 0, PD_ATTR_EXCLUDE_GUEST } },
	  { { NULL, HW, 0, 0 } },
	  { 0 },
	  true },
	/* other things */
	{ { { "cpu-clock", SW, 0, 0 } },
	  { { "task-clock", SW, 1, 0 } },
	  { 10 },
	  false },
	{ { { "cycles:u", HW, 0, USER } },
	  { { "cycles:k", HW, 0, KERNEL } },
	  { 10 },
	  false },
	/* in order; the same modes first */
	{ { { "a", HW, 0, 0 }, { "b", HW, 0, 0 } },
	  { { "c", HW, 0, 0 }, { "d", HW, 0, 0 }, { "e", HW, 0, 0 } },
	  { 0, 1, 10 },
	  false },
	{ { { "cycles:k", HW, 0, KERNEL }, { "cycles:u", HW, 0, USER } },
	  { { "cycles:up", HW, 0, USER }, { "cycles:kp", HW, 0, KERNEL } },
	  { 1, 0 },
	  false },
	{ { { "cycles", HW, 0, 0 }, { "cycles:u", HW, 0, USER } },
	  { { "cycles:up", HW, 0, USER }, { "cycles:p", HW, 0, 0 } },
	  { 1, 0 },
	  false },
	/* kinds of CPUs: the same one first */
	{ { { "cpu_core/cycles/", HW, CPU_TYPE(0, 4), 0 },
	    { "cpu_atom/cycles/", HW, CPU_TYPE(0, 10), 0 } },
	  { { "cpu_atom/cycles/P", HW, CPU_TYPE(0, 9), PRECISE },
	    { "cpu_core/cycles/P", HW, CPU_TYPE(0, 4), PRECISE } },
	  { 1, 0 },
	  true },
	{ { { "cpu_core/cycles/", HW, CPU_TYPE(0, 4), 0 },
	    { "cpu_atom/cycles/", HW, CPU_TYPE(0, 10), 0 } },
	  { { "cycles", HW, 0, 0 } },
	  { 0 },
	  false },
	{ { { "cpu_core/cycles/", HW, CPU_TYPE(0, 4), 0 } },
	  { { "cycles", HW, 0, 0 } },
	  { 10 },
	  true },
	{ { { "cpu/cycles/u", RAW, 0x3c, USER } },
	  { { "cycles:u", HW, 0, USER } },
	  { 0 },
	  true },
	/* raw ones, by what is counted */
	{ { { "rc4", RAW, 0xc4, 0 } },
	  { { "cpu/event=0xc4/", RAW, 0xc4, 0 } },
	  { 0 },
	  true },
	{ { { "rc4", RAW, 0xc4, 0 } },
	  { { "rc5", RAW, 0xc5, 0 } },
	  { 10 },
	  false },
	/* types and ids of a host's own */
	{ { { "sched:sched_switch", TRACE, 300, 0 } },
	  { { "sched:sched_switch:u", TRACE, 312, USER } },
	  { 0 },
	  false },
	{ { { "sched:sched_switch", TRACE, 300, 0 } },
	  { { "sched:sched_wakeup", TRACE, 300, 0 } },
	  { 10 },
	  false },
	{ { { "power/energy-pkg/", 12, 2, 0 } },
	  { { "power/energy-pkg/", 21, 2, 0 } },
	  { 0 },
	  true },
	/* probes by their function */
	{ { { "probe_spin:leaf_hash", TRACE, 1500, 0 },
	    { "probe_spin:main", TRACE, 1501, 0 } },
	  { { "probe_spin2:main_1", TRACE, 1600, 0 },
	    { "probe_spin2:leaf_hash", TRACE, 1601, 0 } },
	  { 1, 0 },
	  false },
	{ { { "probe:do_exit", TRACE, 1500, 0 } },
	  { { "probe_spin:do_exit", TRACE, 1600, 0 } },
	  { 10 },
	  false },
	/* breakpoints: their address is no config */
	{ { { "mem:0x1000:w", BREAK, 0, 0 } },
	  { { "mem:0x1000:w", BREAK, 0, 0 } },
	  { 0 },
	  true },
};

/* The events up to one without a type and a name. */
static void fill(struct pd_event_set *set, const struct event *from)
{
	set->nr = 0;
	for (size_t i = 0; i < EVENTS_MAX && (from[i].name || !i); i++) {
		set->events[i] = (struct pd_event){
			.attr = { .type = from[i].type,
				  .config = from[i].config,
				  .flags = from[i].flags },
			.name = (char *)(uintptr_t)from[i].name,
		};
		set->nr++;
	}
}

static void test_event_match__by_what_is_counted(void **state)
{
	struct pd_event events[EVENTS_MAX];
	struct pd_event_set set = { .events = events };
	uint32_t numbers[EVENTS_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct example *example = &examples[i];
		struct rpt_event_match match = {
			.is_strict = example->is_strict,
		};
		uint32_t old_nr;

		fill(&set, example->old);
		rpt_event_match_add(&match, &set, numbers);
		old_nr = match.nr;
		assert_int_equal(old_nr, set.nr);
		fill(&set, example->new);
		rpt_event_match_add(&match, &set, numbers);
		for (size_t e = 0; e < set.nr; e++) {
			uint32_t expected = example->expected[e];

			if (numbers[e] != (expected < 10 ? expected : old_nr))
				fail_msg("example %zu: event %zu is %u", i, e,
					 numbers[e]);
		}
		rpt_event_match_release(&match);
	}
}

/* A third recording's kernel code is none of what the second lacks. */
static void test_event_match__all_have_code_in_common(void **state)
{
	static const struct event all[EVENTS_MAX] = { { "cycles", HW, 0, 0 } };
	static const struct event user[EVENTS_MAX] = {
		{ "cycles:u", HW, 0, USER },
	};
	static const struct event kernel[EVENTS_MAX] = {
		{ "cycles:k", HW, 0, KERNEL },
	};
	struct pd_event events[EVENTS_MAX];
	struct pd_event_set set = { .events = events };
	struct rpt_event_match match = { .nr = 0 };
	uint32_t number;

	(void)state;
	fill(&set, all);
	rpt_event_match_add(&match, &set, &number);
	fill(&set, user);
	rpt_event_match_add(&match, &set, &number);
	assert_int_equal(number, 0);
	fill(&set, kernel);
	rpt_event_match_add(&match, &set, &number);
	assert_int_equal(number, 1);
	assert_string_equal(rpt_event_match_name(&match, 0), "cycles");
	rpt_event_match_release(&match);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_match__by_what_is_counted),
		cmocka_unit_test(test_event_match__all_have_code_in_common),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
