#include "report/profile/clock_steps.h"
#include "report/profile/phase_lock.h"

#include "tests/unit/recorded.h"

#include <math.h>

#define MS 1000000u

enum { SAMPLES_NR = 2000, PID = 5 };

static void test_clock_moments(void **state)
{
	static const struct {
		uint64_t period_ns, turn_ns;
		uint32_t moments;
	} cases[] = {
		{ MS, MS, 1 },
		{ 2 * MS, MS, 1 },
		{ MS / 2, MS, 2 },
		{ MS / 4, MS, 4 },
		{ 1250000, MS, 4 },
		{ 333333, MS, 3 },
		{ MS / 2, 16666667, 0 }, /* 100 in three turns */
		{ 16666667, 100 * MS, 6 },
		{ MS / 32, MS, 0 }, /* many */
		{ 254711, MS, 0 },
		{ 250001, MS, 4 },   /* 20 us in five seconds */
		{ 52631578, MS, 0 }, /* 19 Hz: 19 in 1000 turns */
		{ 52631578, 10 * MS, 0 },
		{ 10101010, MS, 0 }, /* 99 Hz */
		{ 0, MS, 0 },
		{ UINT64_MAX, MS, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			rpt_clock_moments(cases[i].period_ns, cases[i].turn_ns),
			cases[i].moments);
}

/* The work of a CPU at its sample number n: an address of the task, 0 if it is
 * idle. */
typedef uint64_t at_fn(uint32_t n);

static uint64_t one_loop(uint32_t n)
{
	(void)n;
	return 0x1000;
}

static uint64_t two_places(uint32_t n)
{
	return n % 2 ? 0x1000 : 0x2340;
}

static uint64_t sleeps_between(uint32_t n)
{
	return n % 4 ? 0 : 0x1000;
}

static uint32_t scatter(uint32_t n)
{
	n = (n ^ n >> 16) * 0x45d9f3b;
	n = (n ^ n >> 16) * 0x45d9f3b;
	return n >> 16;
}

static uint64_t mostly_two_places(uint32_t n)
{
	return scatter(n) % 4 ? two_places(n) : 0x5670;
}

static uint64_t at_random(uint32_t n)
{
	return scatter(n) % 3 ? 0x1000 : 0x2340;
}

/* Each half of a second it does one thing. */
static uint64_t slow_turns(uint32_t n)
{
	return n / 1000 % 2 ? 0x1000 : 0x2340;
}

/* In step for a while alone. */
static uint64_t drifts(uint32_t n)
{
	return (n + n / 150) % 2 ? 0x1000 : 0x2340;
}

static uint64_t is_short(uint32_t n)
{
	return n < 150 ? two_places(n) : 0;
}

/* Record what fn says.  Every tenth sample is late, one in a hundred is
 * missing. */
static void take(struct recorded *r, at_fn *fn, uint64_t period_ns)
{
	recorded_start(r);
	r->attr.sample_period = period_ns;
	recorded_comm(r, PID, "tick");
	for (uint32_t n = 0; n < SAMPLES_NR; n++) {
		struct taken taken = {
			.pid = fn(n) ? PID : 0,
			.cpu = 1,
			.time_ns = 1000 * MS + n * period_ns +
				   (n % 10 ? 0 : period_ns / 8),
			.ip = fn(n),
			.period = period_ns,
		};

		if (n % 100 != 99)
			recorded_sample(r, EVENT_A, &taken);
	}
}

static void find_locks(struct recorded *r, struct rpt_phase_locks *ret)
{
	struct rpt_file_chunks pieces = { .jobs = 1 };

	recorded_load(r, &pieces);
	rpt_phase_locks_find(r->reader, r->timeline, NULL, ret);
}

static void test_phase_locks__by_samples(void **state)
{
	static const struct {
		at_fn *fn;
		uint64_t period_ns;
		uint32_t moments; /* 0: none is found */
		double reach;
	} cases[] = {
		{ two_places, MS / 2, 2, 0.5 },
		{ mostly_two_places, MS / 2, 2, 0.5 },
		{ sleeps_between, MS / 4, 4, 0.25 },
		{ sleeps_between, 1250000, 4, 0.25 },
		{ two_places, 503111, 0, 0 },
		{ one_loop, MS, 0, 0 },
		{ at_random, MS / 2, 0, 0 },
		{ slow_turns, MS / 2, 0, 0 },
		{ drifts, MS / 2, 0, 0 },
		{ is_short, MS / 2, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rpt_phase_locks locks;
		struct recorded r;

		take(&r, cases[i].fn, cases[i].period_ns);
		find_locks(&r, &locks);
		assert_int_equal(locks.nr, cases[i].moments ? 1 : 0);
		assert_true(fabs(locks.reach - cases[i].reach) < 0.01);
		if (locks.nr) {
			assert_int_equal(locks.items[0].moments,
					 cases[i].moments);
			assert_string_equal(locks.items[0].comm, "tick");
		}
		rpt_phase_locks_release(&locks);
		recorded_end(&r);
	}
}

static void switched(struct recorded *r, uint32_t cpu, uint16_t misc,
		     uint64_t time_ns)
{
	struct pd_sample_id id = {
		.present = r->attr.sample_type,
		.pid = PID,
		.tid = PID,
		.cpu = cpu,
		.time_ns = time_ns,
		.id = recorded_id(EVENT_A),
	};
	size_t start = pd_record_begin(&r->data, PD_RECORD_SWITCH, misc);

	pd_sample_id_write(&r->data, &r->layout, &id);
	pd_record_end(&r->data, start);
}

/* Record a task that wakes each turn and runs for a third of it, on one CPU
 * after the other, before each sample, which sees nothing but idle time, is
 * due. */
static void take_switches(struct recorded *r, uint64_t turn_ns, uint32_t cpu_nr)
{
	recorded_start(r);
	r->attr.sample_period = MS;
	r->attr.flags |= PD_ATTR_CONTEXT_SWITCH;
	recorded_comm(r, PID, "tick");
	for (uint32_t n = 0; n < SAMPLES_NR; n++) {
		uint32_t cpu = n * cpu_nr / SAMPLES_NR;
		uint64_t at_ns = 1000 * MS + 300000 + n * turn_ns;

		for (uint32_t c = 0; c < cpu_nr; c++) {
			struct taken taken = {
				.cpu = c,
				.time_ns = 1000 * MS + n * (uint64_t)MS,
				.period = MS,
			};

			recorded_sample(r, EVENT_A, &taken);
		}
		switched(r, cpu, 0, at_ns);
		switched(r, cpu, PD_MISC_SWITCH_OUT, at_ns + turn_ns / 3);
	}
}

static void test_phase_locks__by_switches(void **state)
{
	static const struct {
		uint64_t turn_ns;
		uint32_t cpu_nr;
		uint32_t nr;
	} cases[] = { { MS, 1, 1 }, { MS, 2, 1 }, { 1003111, 1, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rpt_phase_locks locks;
		struct recorded r;

		take_switches(&r, cases[i].turn_ns, cases[i].cpu_nr);
		find_locks(&r, &locks);
		assert_int_equal(locks.nr, cases[i].nr);
		if (locks.nr) {
			assert_int_equal(locks.items[0].moments, 1);
			assert_true(fabs(locks.reach -
					 1.0 / 3 / cases[i].cpu_nr) < 0.01);
		}
		rpt_phase_locks_release(&locks);
		recorded_end(&r);
	}
}

/* Record a task alone, whose clock stands still while it sleeps: it wakes each
 * turn and runs for a fifth of it. */
static void take_of_task(struct recorded *r)
{
	uint64_t ran_ns = 0;

	recorded_start(r);
	r->attr.sample_period = MS;
	r->attr.flags |= PD_ATTR_CONTEXT_SWITCH;
	recorded_comm(r, PID, "tick");
	for (uint32_t n = 0; n < SAMPLES_NR; n++) {
		uint64_t at_ns = 1000 * MS + n * (uint64_t)MS;
		uint64_t slice_ns = 200000 + scatter(n) % 10000;
		struct taken taken = {
			.pid = PID,
			.cpu = 1,
			.time_ns = at_ns + MS - ran_ns % MS,
			.ip = 0x1000,
			.period = MS,
		};

		switched(r, 1, 0, at_ns);
		if ((ran_ns + slice_ns) / MS > ran_ns / MS)
			recorded_sample(r, EVENT_A, &taken);
		ran_ns += slice_ns;
		switched(r, 1, PD_MISC_SWITCH_OUT, at_ns + slice_ns);
	}
}

static void test_phase_locks__not_of_a_clock_that_stands_still(void **state)
{
	struct rpt_phase_locks locks;
	struct recorded r;

	(void)state;
	take_of_task(&r);
	find_locks(&r, &locks);
	assert_int_equal(locks.nr, 0);
	rpt_phase_locks_release(&locks);
	recorded_end(&r);
}

/* The file's attr has the rate that was asked for, its samples the period. */
static void test_clock_steps__are_those_of_samples(void **state)
{
	struct rpt_file_chunks pieces = { .jobs = 1 };
	struct rpt_clock_steps steps;
	struct recorded r;

	(void)state;
	take(&r, one_loop, 254711);
	r.attr.sample_period = 4000;
	r.attr.flags |= PD_ATTR_FREQ;
	recorded_load(&r, &pieces);
	assert_false(rpt_clock_steps_find(r.reader, &steps));
	recorded_end(&r);
	take(&r, one_loop, MS / 4);
	r.attr.sample_period = 4000;
	r.attr.flags |= PD_ATTR_FREQ;
	recorded_load(&r, &pieces);
	assert_true(rpt_clock_steps_find(r.reader, &steps));
	assert_int_equal(steps.period_ns, MS / 4);
	assert_int_equal(steps.turn_ns, MS);
	assert_int_equal(steps.moments, 4);
	recorded_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock_moments),
		cmocka_unit_test(test_phase_locks__by_samples),
		cmocka_unit_test(test_phase_locks__by_switches),
		cmocka_unit_test(
			test_phase_locks__not_of_a_clock_that_stands_still),
		cmocka_unit_test(test_clock_steps__are_those_of_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
