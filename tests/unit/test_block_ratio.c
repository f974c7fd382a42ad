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
	struct rpt_ratio ratio = rpt_block_ratio(x, d, 4);

	(void)state;
	assert_true(fabs(ratio.value - 0.5) < 1e-12);
	/* residuals -1, 1, 0, 0: 4 / 3 * 2 / 16^2 */
	assert_true(fabs(ratio.variance - 4.0 / 3.0 * 2.0 / 256.0) < 1e-12);
	assert_int_equal(ratio.block_nr, 4);
}

static void test_block_ratio__of_nothing_is_unknown(void **state)
{
	const double zero[] = { 0.0, 0.0 };
	const double one[] = { 1.0, 1.0 };

	(void)state;
	assert_true(isnan(rpt_block_ratio(zero, zero, 2).variance));
	assert_true(isnan(rpt_block_ratio(one, one, 1).variance));
	assert_true(rpt_block_ratio(zero, one, 2).variance == 0.0);
}

/* Everything in one block: nearly no freedom; spread out: all of it. */
static void test_block_ratio__lumps_have_little_freedom(void **state)
{
	double x[RPT_BLOCKS_MAX] = { 0 };
	double d[RPT_BLOCKS_MAX];
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < RPT_BLOCKS_MAX; i++)
		d[i] = 10.0;
	x[100] = 40.0;
	assert_true(rpt_block_ratio(x, d, RPT_BLOCKS_MAX).df < 3.0);
	for (size_t i = 0; i < RPT_BLOCKS_MAX; i++)
		x[i] = uniform(&seed);
	assert_true(rpt_block_ratio(x, d, RPT_BLOCKS_MAX).df > 10.0);
}

/* A simulated run of a program that stays in a state for spell blocks at the
 * mean: samples of one function, which has 20 % or 40 % of them. */
static struct rpt_ratio simulated(double spell, uint64_t *seed)
{
	double x[RPT_BLOCKS_MAX] = { 0 };
	double d[RPT_BLOCKS_MAX];
	bool is_in = uniform(seed) < 0.5;

	for (size_t i = 0; i < RPT_BLOCKS_MAX; i++) {
		if (uniform(seed) < 1.0 / spell)
			is_in = uniform(seed) < 0.5;
		d[i] = 10.0 + floor(20.0 * uniform(seed));
		for (double k = 0.0; k < d[i]; k += 1.0)
			x[i] += uniform(seed) < (is_in ? 0.4 : 0.2);
	}
	return rpt_block_ratio(x, d, RPT_BLOCKS_MAX);
}

/* How often two such runs, which do not differ, are said to: at 5 and at 1 %.
 */
static void false_alarms(double spell, double *ret_5, double *ret_1)
{
	enum { PAIRS = 2000 };
	uint64_t seed = 7;

	*ret_5 = *ret_1 = 0.0;
	for (size_t i = 0; i < PAIRS; i++) {
		struct rpt_ratio a = simulated(spell, &seed);
		struct rpt_ratio b = simulated(spell, &seed);
		double t = (a.value - b.value) / sqrt(a.variance + b.variance);
		double df = rpt_welch_df(a.variance, a.df, b.variance, b.df);
		double p = rpt_student_two_sided(t, df);

		*ret_5 += (p < 0.05) / (double)PAIRS;
		*ret_1 += (p < 0.01) / (double)PAIRS;
	}
}

/* The standard error of a rate of 5 % is 0.5 % here, of 1 % 0.2 %. */
static void test_block_ratio__levels_hold_whatever_correlates(void **state)
{
	static const double spells[] = { 1.0, 2.0, 4.0, 10.0, 16.0, 24.0 };

	(void)state;
	for (size_t i = 0; i < sizeof(spells) / sizeof(spells[0]); i++) {
		double at_5, at_1;

		false_alarms(spells[i], &at_5, &at_1);
		if (at_5 < 0.03 || at_5 > 0.065 || at_1 < 0.003 || at_1 > 0.02)
			fail_msg("spells of %g: %g at 5 %%, %g at 1 %%",
				 spells[i], at_5, at_1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_block_ratio__is_the_formula_where_blocks_are_few),
		cmocka_unit_test(test_block_ratio__of_nothing_is_unknown),
		cmocka_unit_test(test_block_ratio__lumps_have_little_freedom),
		cmocka_unit_test(
			test_block_ratio__levels_hold_whatever_correlates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
