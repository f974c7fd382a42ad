#include "record/recording/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

/* A recorder of one CPU, in steps of REC_BUDGET_TICK_NS: what comes at shift 0,
 * what a byte takes of each part, and what is taken without any. */
struct plant {
	struct rec_budget budget;
	struct rec_budget_use use;
	double bytes_per_ns;
	double side_per_ns; /* at any shift */
	double ns_per_byte;
	double base; /* of a CPU */
	double ratio;
	double waiting_len, came_len, used[REC_BUDGET_NR];
	unsigned change_max; /* in one step */
};

static void begin(struct plant *p, double cpu_pct, uint64_t disk_len_h)
{
	memset(p, 0, sizeof(*p));
	p->ns_per_byte = 2;
	p->base = 0.002;
	p->ratio = 0.1;
	/* what the start takes */
	p->use.now_ns = 50 * MS;
	p->used[REC_BUDGET_CPU] = 20e6;
	p->use.used[REC_BUDGET_CPU] = 20 * MS;
	rec_budget_init(&p->budget, cpu_pct, disk_len_h, 0, 1, &p->use);
}

static void step(struct plant *p)
{
	const double ns = REC_BUDGET_TICK_NS;
	double came = p->bytes_per_ns * ns / (1u << p->budget.shift) +
		      p->side_per_ns * ns;
	double room = ns * 0.9 / p->ns_per_byte, done;
	unsigned before = p->budget.shift, after;

	p->came_len += came;
	p->waiting_len += came;
	done = p->waiting_len < room ? p->waiting_len : room;
	p->waiting_len -= done;
	p->used[REC_BUDGET_CPU] += done * p->ns_per_byte + p->base * ns;
	p->used[REC_BUDGET_DISK] += done * p->ratio;
	p->use.now_ns += REC_BUDGET_TICK_NS;
	p->use.came_len = (uint64_t)p->came_len;
	p->use.waiting_len = (uint64_t)p->waiting_len;
	for (int i = 0; i < REC_BUDGET_NR; i++)
		p->use.used[i] = (uint64_t)p->used[i];
	after = rec_budget_next(&p->budget, &p->use);
	if (after > before && after - before > p->change_max)
		p->change_max = after - before;
	if (before > after && before - after > p->change_max)
		p->change_max = before - after;
}

static void run(struct plant *p, unsigned seconds)
{
	for (uint64_t i = 0; i < seconds * 1000 * MS / REC_BUDGET_TICK_NS; i++)
		step(p);
}

/* Return the share of the whole run, in percent of what is allowed. */
static double share(const struct plant *p, enum rec_budget_part part)
{
	return 100 * p->used[part] /
	       (p->budget.limits[part].per_ns * (double)p->use.now_ns);
}

static void test_budget__holds_in_a_storm_from_the_start(void **state)
{
	static const double limits[] = { 1, 2, 5, 10, 25 };

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct plant p;

		begin(&p, limits[i], 0);
		p.bytes_per_ns = 1; /* twice of what it can take */
		run(&p, 10);
		if (limits[i] > 4)
			assert_true(share(&p, REC_BUDGET_CPU) <= 100);
		run(&p, 50);
		assert_true(share(&p, REC_BUDGET_CPU) <= 100);
		/* Steps of two use half of it at least. */
		assert_true(share(&p, REC_BUDGET_CPU) > 45);
		assert_in_range(p.change_max, 1, 4);
		rec_budget_release(&p.budget);
	}
}

static void test_budget__raises_rates_after_a_storm(void **state)
{
	struct plant p;

	(void)state;
	begin(&p, 5, 0);
	run(&p, 30);
	assert_int_equal(p.budget.shift, 0);
	p.bytes_per_ns = 1;
	run(&p, 20);
	assert_true(p.budget.shift > 2);
	assert_true(share(&p, REC_BUDGET_CPU) <= 100);
	p.bytes_per_ns = 0.0001;
	run(&p, 40);
	assert_int_equal(p.budget.shift, 0);
	assert_in_range(p.budget.most_shift, 3, 10);
	assert_true(rec_budget_mean(&p.budget) > 1.1);
	rec_budget_release(&p.budget);
}

/* The end of a file takes more than comes in for it then. */
static void test_budget__keeps_some_for_bursts(void **state)
{
	struct plant p;

	(void)state;
	begin(&p, 1, 0);
	for (int i = 0; i < 10; i++) {
		run(&p, 60);
		p.used[REC_BUDGET_CPU] += 150e6;
	}
	assert_int_equal(p.budget.most_shift, 0);
	assert_int_equal(p.budget.change_nr, 0);
	rec_budget_release(&p.budget);
}

static void test_budget__lowers_what_it_cannot_hold_to_the_end(void **state)
{
	struct plant p;

	(void)state;
	begin(&p, 0.1, 0); /* half of what is taken without any sample */
	run(&p, 200);
	assert_int_equal(p.budget.shift, 17);
	assert_true(rec_budget_gives_up_names(&p.budget));
	/* The debt is bounded: it does not stay so for days. */
	p.base = 0.0001;
	run(&p, 1000);
	assert_int_equal(p.budget.shift, 0);
	assert_false(rec_budget_gives_up_names(&p.budget));
	rec_budget_release(&p.budget);
}

/* Records of tasks and maps come at any rate. */
static void test_budget__does_not_take_them_for_samples(void **state)
{
	struct plant p;

	(void)state;
	begin(&p, 5, 0);
	run(&p, 1);
	p.side_per_ns = 0.1; /* takes 20 % */
	run(&p, 2);
	assert_in_range(p.budget.shift, 1, 4);
	p.side_per_ns = 0;
	run(&p, 60);
	assert_int_equal(p.budget.shift, 0);
	rec_budget_release(&p.budget);
}

static void test_budget__of_the_disk(void **state)
{
	struct plant p;

	(void)state;
	begin(&p, 0, 3600 * UINT64_C(1000000)); /* 1 MB/s, of 30 */
	p.bytes_per_ns = 0.3;
	run(&p, 60);
	assert_in_range((int)share(&p, REC_BUDGET_DISK), 45, 100);
	/* The tighter one counts. */
	rec_budget_release(&p.budget);
	begin(&p, 50, 3600 * UINT64_C(1000000));
	p.bytes_per_ns = 0.3;
	run(&p, 60);
	assert_in_range((int)share(&p, REC_BUDGET_DISK), 45, 100);
	assert_true(share(&p, REC_BUDGET_CPU) < 20);
	rec_budget_release(&p.budget);
}

static void test_budget__wakes_nobody_without_need(void **state)
{
	struct plant p;

	(void)state;
	begin(&p, 0, 0);
	assert_int_equal(rec_budget_due_ns(&p.budget), UINT64_MAX);
	assert_false(rec_budget_wants(&p.budget, p.use.now_ns + 1000 * MS));
	rec_budget_release(&p.budget);
	begin(&p, 5, 0);
	run(&p, 1);
	assert_int_equal(rec_budget_due_ns(&p.budget), UINT64_MAX);
	assert_false(rec_budget_wants(&p.budget, p.use.now_ns + 99 * MS));
	assert_true(rec_budget_wants(&p.budget, p.use.now_ns + 100 * MS));
	p.bytes_per_ns = 1;
	run(&p, 1);
	assert_in_range(rec_budget_due_ns(&p.budget), p.use.now_ns + 1,
			p.use.now_ns + 1000 * MS);
	rec_budget_release(&p.budget);
}

static void
test_budget__a_next_file_begins_with_the_rates_that_hold(void **state)
{
	struct plant p;

	(void)state;
	begin(&p, 5, 0);
	if (!p.budget.rates) {
		fail();
		return;
	}
	for (uint32_t i = 0; i < 6; i++)
		p.budget.rates[p.budget.rate_nr++] =
			(struct pd_trailer_rate){ .event_idx = i % 2,
						  .value = 100 - i };
	p.budget.shift = 3;
	rec_budget_note_names(&p.budget, 7); /* of that file alone */
	rec_budget_next_file(&p.budget);
	assert_int_equal(p.budget.rate_nr, 2);
	assert_int_equal(p.budget.rates[0].value, 96);
	assert_int_equal(p.budget.rates[1].value, 95);
	p.budget.shift = 0; /* as they were asked for */
	rec_budget_next_file(&p.budget);
	assert_int_equal(p.budget.rate_nr, 0);
	rec_budget_release(&p.budget);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_budget__holds_in_a_storm_from_the_start),
		cmocka_unit_test(test_budget__raises_rates_after_a_storm),
		cmocka_unit_test(test_budget__keeps_some_for_bursts),
		cmocka_unit_test(
			test_budget__lowers_what_it_cannot_hold_to_the_end),
		cmocka_unit_test(test_budget__does_not_take_them_for_samples),
		cmocka_unit_test(test_budget__of_the_disk),
		cmocka_unit_test(test_budget__wakes_nobody_without_need),
		cmocka_unit_test(
			test_budget__a_next_file_begins_with_the_rates_that_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
