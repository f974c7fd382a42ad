#include "report/block_ratio.h"
#include "report/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Uniform in 0..1, the same each time (Knuth's MMIX generator). */
static double uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / 9007199254740992.0;
}

static void test_block_ratio__is_the_formula_where_blocks_are_few(void **state)
{
	const double x[] = { 1.0, 3.0, 2.0, 2.0 };
	const double d[] = { 4.0, 4.0, 4.0, 4.0 };
	double e[4] = { 0.0 };

	(void)state;
	assert_true(fabs(rpt_block_residuals(x, d, 4, e) - 0.5) < 1e-12);
	/* -1, 1, 0, 0 parts of 16: 4 / 3 * 2 / 16^2 */
	assert_true(fabs(rpt_block_scatter(e, 4).variance -
			 4.0 / 3.0 * 2.0 / 256.0) < 1e-12);
}

static void test_block_ratio__of_nothing_is_unknown(void **state)
{
	const double zero[] = { 0.0, 0.0 };
	const double one[] = { 1.0, 1.0 };
	double e[2] = { 7.0, 0.0 };

	(void)state;
	assert_true(isnan(rpt_block_residuals(zero, zero, 2, e)));
	assert_true(e[0] == 7.0);
	assert_true(isnan(rpt_block_scatter(one, 1).variance));
	assert_true(rpt_block_residuals(zero, one, 2, e) == 0.0);
	assert_true(rpt_block_scatter(zero, 2).variance == 0.0);
}

/* Everything in one block: nearly no freedom; spread out: all of it. */
static void test_block_ratio__lumps_have_little_freedom(void **state)
{
	double x[RPT_BLOCKS_MAX] = { 0 };
	double d[RPT_BLOCKS_MAX];
	double lump[RPT_BLOCKS_MAX] = { 0 }, even[RPT_BLOCKS_MAX] = { 0 };
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < RPT_BLOCKS_MAX; i++)
		d[i] = 10.0;
	x[100] = 40.0;
	rpt_block_residuals(x, d, RPT_BLOCKS_MAX, lump);
	assert_true(rpt_block_scatter(lump, RPT_BLOCKS_MAX).df < 3.0);
	for (size_t i = 0; i < RPT_BLOCKS_MAX; i++)
		x[i] = uniform(&seed);
	rpt_block_residuals(x, d, RPT_BLOCKS_MAX, even);
	assert_true(rpt_block_scatter(even, RPT_BLOCKS_MAX).df > 20.0);
}

/* One block with all samples but one: what is in it goes to all stages. */
static void test_block_ratio__stages_have_equally_many_samples(void **state)
{
	double e[RPT_BLOCKS_MAX] = { 0 }, samples[RPT_BLOCKS_MAX] = { 0 };
	double stages[RPT_BLOCKS_MAX] = { 0 };

	(void)state;
	samples[7] = RPT_BLOCKS_MAX - 1;
	samples[9] = 1.0;
	e[3] = 5.0; /* without samples */
	e[7] = 2.0 * (RPT_BLOCKS_MAX - 1);
	e[9] = -3.0;
	rpt_block_stages(e, samples, 1.0, stages);
	assert_true(fabs(stages[0] - 7.0) < 1e-9);
	for (size_t i = 1; i + 1 < RPT_BLOCKS_MAX; i++)
		assert_true(fabs(stages[i] - 2.0) < 1e-9);
	assert_true(fabs(stages[RPT_BLOCKS_MAX - 1] + 3.0) < 1e-9);
	rpt_block_stages(e, samples, -1.0, stages);
	for (size_t i = 0; i < RPT_BLOCKS_MAX; i++)
		assert_true(fabs(stages[i]) < 1e-9);
}

#define RUN_SAMPLES 5120 /* 20 a block at the mean */

/* A simulated run of a program that stays in a state for spell blocks at the
 * mean: samples of one function, which has 20 % or 40 % of them.  What it does
 * one after the other comes from phases; which of it is sampled, and when it
 * had to wait, from seed. */
static double simulated(double spell, uint64_t *phases, uint64_t *seed,
			double weight, double *e)
{
	double x[RPT_BLOCKS_MAX] = { 0 };
	double d[RPT_BLOCKS_MAX] = { 0 }, own[RPT_BLOCKS_MAX];
	bool is_in = uniform(phases) < 0.5;
	size_t block = 0;
	double value, room = 20.0;

	for (size_t i = 0; i < RUN_SAMPLES; i++) {
		if (uniform(phases) < 1.0 / (20.0 * spell))
			is_in = uniform(phases) < 0.5;
		for (; d[block] >= room && block + 1 < RPT_BLOCKS_MAX; block++)
			room = floor(40.0 * uniform(seed));
		d[block] += 1.0;
		x[block] += uniform(seed) < (is_in ? 0.4 : 0.2);
	}
	value = rpt_block_residuals(x, d, RPT_BLOCKS_MAX, own);
	rpt_block_stages(own, d, weight, e);
	return value;
}

/* Of pairs of runs that do not differ: how often they are said to, at 5 and at
 * 1 %, and the standard error at the mean. */
struct alarms {
	double at_5;
	double at_1;
	double error;
};

static struct alarms false_alarms(double spell, bool are_phases_equal)
{
	enum { PAIRS = 2000 };
	struct alarms alarms = { 0.0, 0.0, 0.0 };
	uint64_t seed = 7, phases = 11;

	for (size_t i = 0; i < PAIRS; i++) {
		double e[RPT_BLOCKS_MAX] = { 0 };
		uint64_t again = phases;
		double old = simulated(spell, &phases, &seed, -1.0, e);
		double new =
			simulated(spell, are_phases_equal ? &again : &phases,
				  &seed, 1.0, e);
		struct rpt_scatter_sum s = rpt_block_scatter(e, RPT_BLOCKS_MAX);
		double p = rpt_student_two_sided((new - old) / sqrt(s.variance),
						 s.df);

		alarms.at_5 += (p < 0.05) / (double)PAIRS;
		alarms.at_1 += (p < 0.01) / (double)PAIRS;
		alarms.error += sqrt(s.variance) / (double)PAIRS;
	}
	return alarms;
}

/* The standard error of a rate of 5 % is 0.5 % here, of 1 % 0.2 %. */
static void test_block_ratio__levels_hold_whatever_correlates(void **state)
{
	static const double spells[] = { 1.0, 2.0, 4.0, 8.0, 12.0 };

	(void)state;
	for (size_t i = 0; i < sizeof(spells) / sizeof(spells[0]); i++) {
		struct alarms a = false_alarms(spells[i], false);

		if (a.at_5 < 0.03 || a.at_5 > 0.07 || a.at_1 < 0.003 ||
		    a.at_1 > 0.022)
			fail_msg("spells of %g: %g at 5 %%, %g at 1 %%",
				 spells[i], a.at_5, a.at_1);
	}
}

/* Runs that do the same things at the same time differ by their sampling only:
 * 30 % of the samples on either side. */
static void test_block_ratio__what_both_do_alike_is_no_noise(void **state)
{
	struct alarms a = false_alarms(10.0, true);

	(void)state;
	if (a.at_5 < 0.03 || a.at_5 > 0.07 || a.at_1 < 0.003 || a.at_1 > 0.022)
		fail_msg("%g at 5 %%, %g at 1 %%", a.at_5, a.at_1);
	assert_true(fabs(a.error / sqrt(2.0 * 0.3 * 0.7 / RUN_SAMPLES) - 1.0) <
		    0.1);
	assert_true(false_alarms(10.0, false).error > 4.0 * a.error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_block_ratio__is_the_formula_where_blocks_are_few),
		cmocka_unit_test(test_block_ratio__of_nothing_is_unknown),
		cmocka_unit_test(
			test_block_ratio__stages_have_equally_many_samples),
		cmocka_unit_test(
			test_block_ratio__what_both_do_alike_is_no_noise),
		cmocka_unit_test(test_block_ratio__lumps_have_little_freedom),
		cmocka_unit_test(
			test_block_ratio__levels_hold_whatever_correlates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
