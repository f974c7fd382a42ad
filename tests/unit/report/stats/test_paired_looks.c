#include "report/stats/paired_looks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

/* xorshift64*: the same numbers on each machine. */
static uint64_t state_now;

static double uniform(void)
{
	state_now ^= state_now >> 12;
	state_now ^= state_now << 25;
	state_now ^= state_now >> 27;
	return ((double)(state_now * UINT64_C(0x2545f4914f6cdd1d) >> 11) +
		0.5) /
	       9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2.0 * log(uniform())) * cos(2.0 * M_PI * uniform());
}

/* One run in ten is five times as far off, as on a busy machine. */
static double spiky(void)
{
	return normal() * (uniform() < 0.1 ? 5.0 : 1.0);
}

enum { TRIALS = 4000, PAIRS = 20 };

struct outcome {
	double decided;	   /* part of all experiments */
	double peeked;	   /* the same if each look is at 5 % */
	double uncovered;  /* whose last interval lacks the change */
	double mean_pairs; /* until the end */
};

static struct outcome simulate(double (*draw)(void), double change)
{
	struct rpt_looks looks = rpt_looks_plan(PAIRS);
	struct outcome ret = { .decided = 0.0 };

	state_now = 88172645463325252u;
	for (int trial = 0; trial < TRIALS; trial++) {
		double logs[PAIRS];
		struct rpt_paired_change now = { 0.0, 0.0, 0.0 };
		bool peeked = false, decided = false;
		uint32_t i = 0;

		for (uint32_t p = 0; p < PAIRS; p++)
			logs[p] = change + draw();
		for (uint32_t l = 0; l < looks.nr; l++) {
			now = rpt_paired_change(logs, looks.pairs[l], 0.05);
			peeked |= rpt_paired_verdict(&now, 0.0) !=
				  RPT_PAIRED_UNDECIDED;
		}
		for (; i < looks.nr && !decided; i++) {
			now = rpt_paired_change(logs, looks.pairs[i],
						looks.levels[i]);
			decided = rpt_paired_verdict(&now, 0.0) !=
				  RPT_PAIRED_UNDECIDED;
		}
		ret.decided += decided;
		ret.peeked += peeked;
		ret.uncovered += change < now.low || change > now.high;
		ret.mean_pairs += looks.pairs[i - 1];
	}
	ret.decided /= TRIALS;
	ret.peeked /= TRIALS;
	ret.uncovered /= TRIALS;
	ret.mean_pairs /= TRIALS;
	return ret;
}

/* Over all looks; looking at 5 % each time is what it must not be. */
static void test_paired_looks__errs_in_five_per_cent_at_most(void **state)
{
	struct outcome calm = simulate(normal, 0.0);
	struct outcome busy = simulate(spiky, 0.0);

	(void)state;
	print_message("calm %.4f peek %.4f; busy %.4f peek %.4f\n",
		      calm.decided, calm.peeked, busy.decided, busy.peeked);
	assert_true(calm.decided > 0.01 && calm.decided <= 0.05);
	assert_true(busy.decided > 0.005 && busy.decided <= 0.05);
	assert_true(calm.peeked > 0.10);
}

/* A change of two and of five times what pairs scatter. */
static void test_paired_looks__a_change_ends_it_early(void **state)
{
	struct outcome small = simulate(normal, 2.0);
	struct outcome large = simulate(normal, 5.0);

	(void)state;
	print_message("small %.4f %.2f %.4f; large %.4f %.2f %.4f\n",
		      small.decided, small.mean_pairs, small.uncovered,
		      large.decided, large.mean_pairs, large.uncovered);
	assert_true(small.decided > 0.999 && small.mean_pairs < 9.0);
	assert_true(large.decided > 0.999 && large.mean_pairs < 5.0);
	assert_true(small.uncovered <= 0.05 && large.uncovered <= 0.05);
}

static void test_paired_looks__the_levels_add_up(void **state)
{
	(void)state;
	for (uint32_t most = RPT_PAIRS_MIN; most <= RPT_PAIRS_MAX; most++) {
		struct rpt_looks looks = rpt_looks_plan(most);
		double sum = 0.0;

		for (uint32_t i = 0; i < looks.nr; i++) {
			assert_true(looks.levels[i] > 0.0);
			assert_true(!i || looks.pairs[i] > looks.pairs[i - 1]);
			sum += looks.levels[i];
		}
		assert_int_equal(looks.pairs[looks.nr - 1], most);
		assert_true(fabs(sum - 0.05) < 1e-12);
	}
}

/* By hand: no table has an example this small.
 * The values 1 ... 8 with an outlier in place of 8 have the mean 4.5, of 2 to
 * 7; Winsorized values are 2 2 3 4 5 6 7 7, of variance 30 / 7. */
static void test_paired_change__one_odd_pair_does_not_move_it(void **state)
{
	const double logs[] = { 5, 1, 7, 3, 1000, 4, 2, 6 };
	struct rpt_paired_change change = rpt_paired_change(logs, 8, 0.05);
	double half = 2.570582 * sqrt(30.0 / 7.0 / 8.0) * 8.0 / 6.0;

	(void)state;
	assert_true(fabs(change.center - 4.5) < 1e-12);
	assert_true(fabs(change.high - 4.5 - half) < 1e-5);
	assert_true(fabs(4.5 - change.low - half) < 1e-5);
	assert_true(isnan(rpt_paired_change(logs, 1, 0.05).low));
}

static void test_paired_verdict__a_limit_has_two_sides(void **state)
{
	const struct rpt_paired_change more = { 0.07, 0.05, 0.09 };
	const struct rpt_paired_change less = { -0.07, -0.09, -0.05 };
	const struct rpt_paired_change none = { 0.0, -0.02, 0.02 };
	const struct rpt_paired_change one = { 0.3, NAN, NAN };

	(void)state;
	assert_int_equal(rpt_paired_verdict(&more, 0.0), RPT_PAIRED_MORE);
	assert_int_equal(rpt_paired_verdict(&less, 0.0), RPT_PAIRED_LESS);
	assert_int_equal(rpt_paired_verdict(&none, 0.0), RPT_PAIRED_UNDECIDED);
	assert_int_equal(rpt_paired_verdict(&one, 0.0), RPT_PAIRED_UNDECIDED);
	assert_int_equal(rpt_paired_verdict(&more, 0.04), RPT_PAIRED_MORE);
	assert_int_equal(rpt_paired_verdict(&more, 0.06), RPT_PAIRED_UNDECIDED);
	assert_int_equal(rpt_paired_verdict(&none, 0.03), RPT_PAIRED_WITHIN);
	assert_int_equal(rpt_paired_verdict(&less, 0.03), RPT_PAIRED_WITHIN);
}

static void test_paired_needed__larger_changes_need_fewer_pairs(void **state)
{
	const double logs[] = { 0.01, -0.01, 0.02, -0.02, 0.0 };
	uint32_t few = rpt_paired_needed(logs, 5, 0.1);
	uint32_t many = rpt_paired_needed(logs, 5, 0.01);

	(void)state;
	assert_true(few >= 3 && few <= 5);
	assert_true(many > 12 && many < 40);
	assert_true(rpt_paired_visible(logs, 5, many) < 0.01);
	assert_true(rpt_paired_visible(logs, 5, many - 1) >= 0.01);
	assert_int_equal(rpt_paired_needed(logs, 5, 1e-6), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_paired_looks__errs_in_five_per_cent_at_most),
		cmocka_unit_test(test_paired_looks__a_change_ends_it_early),
		cmocka_unit_test(test_paired_looks__the_levels_add_up),
		cmocka_unit_test(
			test_paired_change__one_odd_pair_does_not_move_it),
		cmocka_unit_test(test_paired_verdict__a_limit_has_two_sides),
		cmocka_unit_test(
			test_paired_needed__larger_changes_need_fewer_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
