#include "record/targets/event_rate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct rec_event event_of(uint32_t type, uint64_t config, bool freq,
				 uint64_t rate)
{
	struct rec_event event = { .member_nr = 1 };

	rec_attr_init(&event.attr);
	event.attr.sys.type = type;
	event.attr.sys.config = config;
	event.attr.sys.freq = freq;
	event.attr.sys.sample_period = rate;
	return event;
}

static void test_event_rate__is_lowered_by_each_way(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		bool freq;
		uint64_t rate;
		unsigned shift;
		enum rec_rate_way way;
		bool is_freq;
		uint64_t value;
	} wants[] = {
		{ PERF_TYPE_HARDWARE, 0, true, 4000, 2, REC_RATE_IOCTL, true,
		  1000 },
		{ PERF_TYPE_HARDWARE, 0, false, 1000, 3, REC_RATE_IOCTL, false,
		  8000 },
		{ PERF_TYPE_HARDWARE, 0, false, UINT64_MAX >> 2, 17,
		  REC_RATE_IOCTL, false, UINT64_MAX >> 1 },
		{ PERF_TYPE_HARDWARE, 0, true, 10, 17, REC_RATE_IOCTL, true,
		  1 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, true, 4000, 1,
		  REC_RATE_IOCTL, true, 2000 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true, 4000, 2,
		  REC_RATE_RUNGS, true, 1000 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true, 19, 17,
		  REC_RATE_RUNGS, true, 1 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false, 250000,
		  1, REC_RATE_RUNGS, false, 500000 },
		{ PERF_TYPE_TRACEPOINT, 7, false, 1, 0, REC_RATE_CAPPED, false,
		  1 },
		{ PERF_TYPE_TRACEPOINT, 7, false, 1, 4, REC_RATE_CAPPED, true,
		  50000 },
		{ PERF_TYPE_TRACEPOINT, 7, true, 99, 1, REC_RATE_IOCTL, true,
		  49 },
		{ PERF_TYPE_BREAKPOINT, 0, false, 1, 17, REC_RATE_CAPPED, true,
		  10000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		struct rec_event event =
			event_of(wants[i].type, wants[i].config, wants[i].freq,
				 wants[i].rate);
		struct pd_trailer_rate rate;

		assert_int_equal(rec_rate_way(&event), wants[i].way);
		assert_true(rec_rate_at(&event, wants[i].shift, 800000, &rate));
		assert_int_equal(rate.flags,
				 wants[i].is_freq ? PD_RATE_IS_FREQ : 0);
		assert_int_equal(rate.value, wants[i].value);
	}
}

static void test_event_rate__is_held(void **state)
{
	struct rec_event events[] = {
		event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, true, 4000),
		event_of(PERF_TYPE_HARDWARE, 0, false, 0),
		event_of(PERF_TYPE_TRACEPOINT, 7, false, 1),
		event_of(PERF_TYPE_TRACEPOINT, 7, false, 1),
		event_of(PERF_TYPE_TRACEPOINT, 7, false, 1),
	};
	struct pd_trailer_rate rate;
	struct rec_event clock =
		event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true, 99);

	(void)state;
	events[2].member_nr = 2; /* leads a group */
	events[3].member_nr = 0; /* follows one */
	events[4].has_no_rungs = true;
	assert_false(rec_rate_is_hidden(&clock));
	clock.member_nr = 2;
	assert_int_equal(rec_rate_way(&clock), REC_RATE_IOCTL);
	assert_int_equal(rec_rate_rung_nr(&clock), 0);
	assert_true(rec_rate_is_hidden(&clock));
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		assert_int_equal(rec_rate_way(&events[i]), REC_RATE_HELD);
		assert_int_equal(rec_rate_rung_nr(&events[i]), 0);
		assert_false(rec_rate_at(&events[i], 2, 1000, &rate));
	}
}

static void test_event_rate__rungs_go_down_to_a_sample_a_second(void **state)
{
	struct rec_event clock = event_of(PERF_TYPE_SOFTWARE,
					  PERF_COUNT_SW_CPU_CLOCK, true, 4000);
	struct rec_event point = event_of(PERF_TYPE_TRACEPOINT, 7, false, 1);
	struct perf_event_attr attr = clock.attr.sys;

	(void)state;
	assert_int_equal(rec_rate_rung_nr(&clock), 11);
	attr.enable_on_exec = 1;
	rec_rate_set_rung(&attr, 11, 251000);
	assert_int_equal(attr.freq, 0);
	assert_int_equal(attr.sample_period, 251000 * 2048);
	assert_int_equal(attr.disabled, 1);
	assert_int_equal(attr.enable_on_exec, 0);
	assert_int_equal(rec_rate_rung_nr(&point), 1);
	attr = point.attr.sys;
	rec_rate_set_rung(&attr, 1, 0);
	assert_int_equal(attr.freq, 1);
	clock = event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false,
			 UINT64_C(400000000));
	assert_int_equal(rec_rate_rung_nr(&clock), 1);
	attr = clock.attr.sys;
	rec_rate_set_rung(&attr, 1, 400000000);
	assert_int_equal(attr.sample_period, 800000000);
}

static void add(struct rec_event_list *list, const char *name)
{
	struct rec_event *event = rec_event_append(list, name);

	event->attr.sys.type = PERF_TYPE_TRACEPOINT;
	event->attr.sys.sample_period = 1;
	event->attr.sys.sample_type = PERF_SAMPLE_PERIOD;
	event->leader_idx = list->nr - 1;
	event->member_nr = 1;
}

/* Return which of the events may be capped, a bit each. */
static unsigned which(const struct rec_event_list *list)
{
	unsigned bits = 0;

	for (size_t i = 0; i < list->nr; i++)
		bits |= (unsigned)rec_rate_may_cap(list, i) << i;
	return bits;
}

static void
test_event_rate__caps_no_tracepoint_that_is_read_one_by_one(void **state)
{
	struct rec_event_list list;

	(void)state;
	rec_event_list_init(&list);
	add(&list, "raw_syscalls:sys_enter");
	add(&list, "sched:sched_process_exec");
	add(&list, "kmem:kmalloc");
	assert_int_equal(which(&list), 0x5);
	add(&list, "raw_syscalls:sys_exit");
	add(&list, "kmem2:kfree");
	assert_int_equal(which(&list), 0x14);
	/* whose system is not known by its name; without a PERIOD */
	list.events[2].terms.set = REC_TERM_NAME;
	assert_int_equal(which(&list), 0);
	list.events[2].terms.set = 0;
	list.events[2].attr.sys.sample_type = PERF_SAMPLE_IP;
	assert_int_equal(which(&list), 0x10);
	list.events[2].terms.set = REC_TERM_PERIOD;
	list.events[4].attr.sys.freq = 1;
	assert_int_equal(which(&list), 0);
	rec_event_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_event_rate__caps_no_tracepoint_that_is_read_one_by_one),
		cmocka_unit_test(test_event_rate__is_lowered_by_each_way),
		cmocka_unit_test(test_event_rate__is_held),
		cmocka_unit_test(
			test_event_rate__rungs_go_down_to_a_sample_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
