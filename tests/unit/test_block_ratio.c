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
	assert_true(rpt_block_ratio(x, d, RPT_BLOCKS_MAX).df > 15.0);
}

/* How often the truth is in the 95 % interval, over simulated runs in which a
 * program stays in a state for spell blocks at the mean. */
static double coverage(double spell, uint64_t seed)
{
	enum { RUNS = 600 };
	size_t hits = 0;

	for (size_t run = 0; run < RUNS; run++) {
		double x[RPT_BLOCKS_MAX];
		double d[RPT_BLOCKS_MAX];
		bool is_in = uniform(&seed) < 0.5;
		struct rpt_ratio ratio;

		for (size_t i = 0; i < RPT_BLOCKS_MAX; i++) {
			if (uniform(&seed) < 1.0 / spell)
				is_in = uniform(&seed) < 0.5;
			d[i] = 20.0 + 4.0 * uniform(&seed);
			x[i] = d[i] * (is_in ? 0.4 : 0.2);
		}
		ratio = rpt_block_ratio(x, d, RPT_BLOCKS_MAX);
		hits += fabs(ratio.value - 0.3) <= 1.96 * sqrt(ratio.variance);
	}
	return (double)hits / RUNS;
}

static void test_block_ratio__intervals_hold_where_time_correlates(void **state)
{
	(void)state;
	assert_true(coverage(1.0, 7) > 0.925);
	assert_true(coverage(1.0, 7) < 0.98);
	assert_true(coverage(4.0, 7) > 0.925);
	assert_true(coverage(10.0, 7) > 0.90);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_block_ratio__is_the_formula_where_blocks_are_few),
		cmocka_unit_test(test_block_ratio__of_nothing_is_unknown),
		cmocka_unit_test(test_block_ratio__lumps_have_little_freedom),
		cmocka_unit_test(
			test_block_ratio__intervals_hold_where_time_correlates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
