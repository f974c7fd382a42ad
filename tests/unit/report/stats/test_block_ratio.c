#include "report/stats/block_ratio.h"
#include "report/stats/t_test.h"

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

static void test_block_ratio__residuals_are_the_formula(void **state)
{
	const double x[] = { 1.0, 3.0, 2.0, 2.0 };
	const double d[] = { 4.0, 4.0, 4.0, 4.0 };
	const double parts[] = { -1.0, 1.0, 0.0, 0.0 };
	double e[4] = { 0.0 };

	(void)state;
	assert_true(fabs(rpt_block_residuals(x, d, 4, e) - 0.5) < 1e-12);
	for (size_t i = 0; i < 4; i++)
		assert_true(fabs(e[i] - parts[i] / 16.0) < 1e-12);
}

/* e(t) = 3 cos(pi * j * (t + 1/2) / 256): the sum in p(j) is 3 * 128, those of
 * other waves are 0. */
static struct rpt_scatter_sum scatter_of_wave(double j)
{
	double e[RPT_BLOCKS_MAX];

	for (size_t t = 0; t < RPT_BLOCKS_MAX; t++)
		e[t] = 3.0 * cos(M_PI * j * ((double)t + 0.5) / RPT_BLOCKS_MAX);
	return rpt_block_scatter(e);
}

/* The band in which waves are alike: that of the slow half while it is the
 * stronger one, and if it is weaker beyond chance. */
static void test_block_ratio__waves_are_the_formula(void **state)
{
	double power = 2.0 * 3.0 * 128.0 * 3.0 * 128.0;

	(void)state;
	/* the slow half is the stronger one, down to four */
	assert_true(fabs(scatter_of_wave(3.0).variance / power - 1.0 / 4) <
		    1e-9);
	/* of four to eight: the slower half is weaker */
	assert_true(fabs(scatter_of_wave(8.0).variance / power) < 1e-9);
	/* faster than what is looked at */
	assert_true(fabs(scatter_of_wave(40.0).variance / power) < 1e-9);
}

static void test_block_ratio__of_nothing_is_unknown(void **state)
{
	const double zero[RPT_BLOCKS_MAX] = { 0.0 };
	const double one[] = { 1.0, 1.0 };
	double e[2] = { 7.0, 0.0 };

	(void)state;
	assert_true(isnan(rpt_block_residuals(zero, zero, 2, e)));
	assert_true(e[0] == 7.0);
	assert_true(rpt_block_residuals(zero, one, 2, e) == 0.0);
	assert_true(rpt_block_scatter(zero).variance == 0.0);
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
	assert_true(rpt_block_scatter(lump).df < 3.0);
	for (size_t i = 0; i < RPT_BLOCKS_MAX; i++)
		x[i] = uniform(&seed);
	rpt_block_residuals(x, d, RPT_BLOCKS_MAX, even);
	assert_true(rpt_block_scatter(even).df >
		    3.0 * rpt_block_scatter(lump).df);
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
 * 1 %, the standard error at the mean, and what it truly is. */
struct alarms {
	double nr;
	double at_5;
	double at_1;
	double error;
	double squares;
};

static void judge(struct alarms *alarms, double delta, const double *e)
{
	struct rpt_scatter_sum s = rpt_block_scatter(e);
	double p = rpt_t_test_two_sided(delta / sqrt(s.variance), s.df);

	alarms->nr += 1.0;
	alarms->at_5 += p < 0.05;
	alarms->at_1 += p < 0.01;
	alarms->error += sqrt(s.variance);
	alarms->squares += delta * delta;
}

/* From sums to means. */
static struct alarms rates_of(struct alarms sums)
{
	return (struct alarms){
		.nr = sums.nr,
		.at_5 = sums.at_5 / sums.nr,
		.at_1 = sums.at_1 / sums.nr,
		.error = sums.error / sums.nr,
		.squares = sums.squares / sums.nr,
	};
}

#define PAIRS 2000

static struct alarms false_alarms(double spell, bool are_phases_equal)
{
	struct alarms alarms = { .nr = 0.0 };
	uint64_t seed = 7, phases = 11;

	for (size_t i = 0; i < PAIRS; i++) {
		double e[RPT_BLOCKS_MAX] = { 0 };
		uint64_t again = phases;
		double old = simulated(spell, &phases, &seed, -1.0, e);
		double new =
			simulated(spell, are_phases_equal ? &again : &phases,
				  &seed, 1.0, e);

		judge(&alarms, new - old, e);
	}
	return rates_of(alarms);
}

#define CALLS	      2000
#define CLOCK_SAMPLES 2000

/* Calls that a program makes one after the other, each time it runs: how long
 * they take, and whether they are of the function that is looked at. */
struct program {
	double lens[CALLS];
	bool are_looked_at[CALLS];
};

static void set_program(struct program *program, uint64_t seed)
{
	for (size_t i = 0; i < CALLS; i++) {
		program->lens[i] = -log(uniform(&seed) + 1e-12);
		program->are_looked_at[i] = uniform(&seed) < 0.25;
	}
}

/* A run of it, sampled by a clock: the machine is by 5 % or so faster or slower
 * for a while. */
static double sampled(const struct program *program, uint64_t *seed,
		      double weight, double *e)
{
	double x[RPT_BLOCKS_MAX] = { 0 }, d[RPT_BLOCKS_MAX] = { 0 };
	double own[RPT_BLOCKS_MAX], ends[CALLS];
	double speed = 0.0, all = 0.0, value;
	double first = uniform(seed);
	size_t at = 0;

	for (size_t i = 0; i < CALLS; i++) {
		speed = 0.95 * speed + 0.17 * (uniform(seed) - 0.5);
		all += program->lens[i] * (1.0 + speed);
		ends[i] = all;
	}
	for (size_t i = 0; i < CLOCK_SAMPLES; i++) {
		double now = ((double)i + first) / CLOCK_SAMPLES;

		while (at + 1 < CALLS && ends[at] < now * all)
			at++;
		d[(size_t)(now * RPT_BLOCKS_MAX)] += 1.0;
		x[(size_t)(now * RPT_BLOCKS_MAX)] += program->are_looked_at[at];
	}
	value = rpt_block_residuals(x, d, RPT_BLOCKS_MAX, own);
	rpt_block_stages(own, d, weight, e);
	return value;
}

/* Calls come sooner in one run than in the other, which changes nothing of how
 * much there is of them: means of blocks made the standard error 1.9 times what
 * it is. */
static void test_block_ratio__the_same_work_scatters_little(void **state)
{
	struct alarms a = { .nr = 0.0 };
	struct program program;
	uint64_t seed = 7;

	(void)state;
	for (size_t i = 0; i < PAIRS; i++) {
		double e[RPT_BLOCKS_MAX] = { 0 };
		double old, new;

		if (i % 10 == 0)
			set_program(&program, i + 100);
		old = sampled(&program, &seed, -1.0, e);
		new = sampled(&program, &seed, 1.0, e);
		judge(&a, new - old, e);
	}
	a = rates_of(a);
	if (a.at_5 > 0.07 || a.error > 1.3 * sqrt(a.squares))
		fail_msg("%g at 5 %%, error %g for %g", a.at_5, a.error,
			 sqrt(a.squares));
}

/* The standard error of a rate of 5 % is 0.5 % here, of 1 % 0.2 %. */
static void test_block_ratio__levels_hold_whatever_correlates(void **state)
{
	static const double spells[] = { 1.0, 2.0, 4.0, 8.0, 12.0 };

	(void)state;
	for (size_t i = 0; i < sizeof(spells) / sizeof(spells[0]); i++) {
		struct alarms a = false_alarms(spells[i], false);

		if (a.at_5 < 0.03 || a.at_5 > 0.08 || a.at_1 < 0.003 ||
		    a.at_1 > 0.025)
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
		cmocka_unit_test(test_block_ratio__residuals_are_the_formula),
		cmocka_unit_test(test_block_ratio__waves_are_the_formula),
		cmocka_unit_test(
			test_block_ratio__the_same_work_scatters_little),
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
