#include "record/recording/cpu_limit.h"
#include "record/event/clock_period.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

static double next(struct rec_cpu_limit *limit, uint64_t used_ms)
{
	limit->factor = rec_cpu_limit_next(limit, limit->seen_ns + 1000 * MS,
					   limit->seen_cpu_ns + used_ms * MS);
	limit->seen_ns += 1000 * MS;
	limit->seen_cpu_ns += used_ms * MS;
	return limit->factor;
}

static void test_cpu_limit__lowers_at_once_and_raises_in_steps(void **state)
{
	struct rec_cpu_limit limit;

	(void)state;
	rec_cpu_limit_init(&limit, 2, 0, 0);
	assert_true(next(&limit, 19) <= 1); /* below: stays */
	assert_true(next(&limit, 100) > 5.4 && limit.factor < 5.6);
	assert_true(next(&limit, 15) > 5.4); /* near enough */
	assert_true(next(&limit, 10) < 4.5 && limit.factor > 4.3);
	for (int i = 0; i < 20; i++)
		next(&limit, 1);
	assert_true(limit.factor <= 1);
	rec_cpu_limit_release(&limit);
}

static void test_cpu_limit__is_not_due_without_a_limit(void **state)
{
	struct rec_cpu_limit limit;

	(void)state;
	rec_cpu_limit_init(&limit, 0, 5, 0);
	assert_int_equal(rec_cpu_limit_due_ns(&limit), UINT64_MAX);
	rec_cpu_limit_release(&limit);
	rec_cpu_limit_init(&limit, 1, 5, 0);
	assert_int_equal(rec_cpu_limit_due_ns(&limit),
			 5 + REC_CPU_LIMIT_TICK_NS);
	rec_cpu_limit_release(&limit);
}

static struct rec_event event_of(uint32_t type, uint64_t config, bool freq,
				 uint64_t rate)
{
	struct rec_event event = { .name = NULL };

	rec_attr_init(&event.attr);
	event.attr.sys.type = type;
	event.attr.sys.config = config;
	event.attr.sys.freq = freq;
	event.attr.sys.sample_period = rate;
	return event;
}

/* The ioctl takes a frequency of a counter, but a period of a clock. */
static void test_cpu_limit__computes_rates_for_the_ioctl(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		bool freq;
		uint64_t rate;
		double factor;
		uint64_t value, ioctl;
	} wants[] = {
		{ PERF_TYPE_HARDWARE, 0, true, 4000, 4, 1000, 1000 },
		{ PERF_TYPE_HARDWARE, 0, false, 1000, 2.5, 2500, 2500 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true, 4000, 4,
		  1000, 1000000 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false, 250000,
		  2, 500000, 500000 },
		{ PERF_TYPE_TRACEPOINT, 7, false, 1, 3, 3, 3 },
		{ PERF_TYPE_HARDWARE, 0, true, 10, 100000, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		struct rec_event event =
			event_of(wants[i].type, wants[i].config, wants[i].freq,
				 wants[i].rate);
		struct pd_trailer_rate rate;
		uint64_t room;

		assert_true(rec_cpu_limit_rate(&event, wants[i].factor, &rate));
		assert_int_equal(rate.flags,
				 wants[i].freq ? PD_RATE_IS_FREQ : 0);
		assert_int_equal(rate.value, wants[i].value);
		/* a clock's period may be 4 % longer */
		room = wants[i].freq && rec_is_clock(&event.attr.sys)
			       ? wants[i].ioctl / 25
			       : 0;
		assert_in_range(rec_cpu_limit_ioctl(&event, &rate, 3),
				wants[i].ioctl, wants[i].ioctl + room);
	}
}

static void test_cpu_limit__skips_events_without_samples(void **state)
{
	struct rec_event dummy =
		event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, true, 4000);
	struct rec_event counter = event_of(PERF_TYPE_HARDWARE, 0, false, 0);
	struct pd_trailer_rate rate;

	(void)state;
	assert_false(rec_cpu_limit_rate(&dummy, 2, &rate));
	assert_false(rec_cpu_limit_rate(&counter, 2, &rate));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_cpu_limit__lowers_at_once_and_raises_in_steps),
		cmocka_unit_test(test_cpu_limit__is_not_due_without_a_limit),
		cmocka_unit_test(test_cpu_limit__computes_rates_for_the_ioctl),
		cmocka_unit_test(test_cpu_limit__skips_events_without_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
