#include "report/stats/moderated_variance.h"
#include "report/stats/t_test.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool is_near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * fmax(1.0, fabs(b));
}

/* Abramowitz and Stegun, Table 6.1, and 6.3.3, 6.4.4 at 1/2. */
static void test_moderated__polygammas_are_the_tables(void **state)
{
	static const struct {
		double x, psi, psi1;
	} rows[] = {
		{ 0.5, -1.9635100260, 4.9348022005 },
		{ 1.0, -0.5772156649, 1.6449340668 },
		{ 1.5, 0.0364899740, 0.9348022005 },
		{ 2.0, 0.4227843351, 0.6449340668 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(is_near(rpt_digamma(rows[i].x), rows[i].psi, 1e-9));
		assert_true(
			is_near(rpt_trigamma(rows[i].x), rows[i].psi1, 1e-9));
		assert_true(is_near(rpt_trigamma_inverse(rows[i].psi1),
				    rows[i].x, 1e-9));
	}
	/* limma, tests/limma-Tests.Rout.save */
	assert_true(is_near(rpt_trigamma_inverse(1e-6), 1.000000e6, 1e-6));
	assert_true(is_near(rpt_trigamma_inverse(5.0), 4.961687e-1, 1e-7));
	assert_true(is_near(rpt_trigamma_inverse(1e6), 1.000001e-3, 1e-7));
}

static void set_rows(struct rpt_row_variance *rows, const double *variances,
		     size_t nr, double df)
{
	for (size_t i = 0; i < nr; i++)
		rows[i] = (struct rpt_row_variance){ variances[i], df, 1.0,
						     true };
}

/* squeezeVar(variances, df) of limma 3.54.1, Smyth's own program. */
static void test_moderated__prior_is_limmas(void **state)
{
	static const double many[] = { 0.8, 1.3, 0.45, 2.2,  0.9, 1.7,
				       0.6, 5.1, 1.1,  0.75, 0.2, 1.05 };
	static const double equal[] = { 0.9, 1.1, 1.0, 1.2, 0.8 };
	static const double wild[] = { 0.02, 9.0, 0.5, 30.0, 1.2, 0.05, 4.0 };
	static const struct {
		const double *variances;
		size_t nr;
		double df, prior_df, scale;
	} cases[] = {
		{ many, 12, 4.0, 127.8142553, 1.280825387 },
		{ many, 12, 10.0, 5.480889008, 0.9002321543 },
		{ equal, 5, 4.0, INFINITY, 1.0 },
		{ wild, 7, 4.0, 0.8501459258, 0.2658979518 },
	};
	struct rpt_row_variance rows[12];
	struct rpt_prior prior;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_rows(rows, cases[i].variances, cases[i].nr, cases[i].df);
		prior = rpt_moderate(rows, cases[i].nr);
		assert_true(is_near(prior.scale, cases[i].scale, 1e-8));
		assert_true(prior.df == cases[i].prior_df ||
			    is_near(prior.df, cases[i].prior_df, 1e-8));
	}
	/* the lowest one, which is no outlier, comes out as there */
	set_rows(rows, many, 12, 10.0);
	rpt_moderate(rows, 12);
	assert_true(is_near(rows[10].variance, 0.4479117779, 1e-9));
	assert_true(is_near(rows[10].df, 15.480889008, 1e-9));
}

/* What is expected of a row scales its variance; rows that are no witnesses
 * do not count. */
static void test_moderated__ratios_are_what_rows_share(void **state)
{
	static const double many[] = { 0.8, 1.3, 0.45, 2.2,  0.9, 1.7,
				       0.6, 5.1, 1.1,  0.75, 0.2, 1.05 };
	struct rpt_row_variance rows[14];

	(void)state;
	set_rows(rows, many, 12, 10.0);
	for (size_t i = 0; i < 12; i++) {
		rows[i].variance *= (double)(i + 1);
		rows[i].expected = (double)(i + 1);
	}
	rows[12] = (struct rpt_row_variance){ 1e9, 10.0, 1.0, false };
	rows[13] = (struct rpt_row_variance){ 0.2, 10.0, 1.0, false };
	rpt_moderate(rows, 14);
	assert_true(is_near(rows[10].variance, 11 * 0.4479117779, 1e-9));
	assert_true(is_near(rows[13].variance, 0.4479117779, 1e-9));
	assert_true(rows[12].variance > 0.99e9);
}

/* Uniform in 0..1, the same each time (Knuth's MMIX generator). */
static double uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller's. */
static double normal(uint64_t *seed)
{
	double length = sqrt(-2.0 * log(uniform(seed)));

	return length * cos(2.0 * 3.14159265358979323846 * uniform(seed));
}

static double chi_square_mean(uint64_t *seed, int df)
{
	double sum = 0.0;

	for (int i = 0; i < df; i++)
		sum += pow(normal(seed), 2.0) / df;
	return sum;
}

/* How often rows that do not differ are said to, at 5 %: of those that scatter
 * as the others do, and of one that scatters 30 times as much. */
struct alarms {
	double usual;
	double wild;
};

/* spread_df: how unlike the rows' true variances are; 0: equal. */
static struct alarms false_alarms(size_t row_nr, int df, int spread_df,
				  double wild)
{
	enum { TIMES = 20000, ROWS_MAX = 100 };
	struct rpt_row_variance rows[ROWS_MAX];
	double truth[ROWS_MAX];
	struct alarms alarms = { 0.0, 0.0 };
	size_t times = TIMES / row_nr;
	uint64_t seed = 5;

	for (size_t t = 0; t < times; t++) {
		for (size_t i = 0; i < row_nr; i++) {
			truth[i] = spread_df ? 1.0 / chi_square_mean(&seed,
								     spread_df)
					     : 1.0;
			truth[i] *= i ? 1.0 : wild;
			rows[i] = (struct rpt_row_variance){
				truth[i] * chi_square_mean(&seed, df), df, 1.0,
				true
			};
		}
		rpt_moderate(rows, row_nr);
		for (size_t i = 0; i < row_nr; i++) {
			double seen = normal(&seed) *
				      sqrt(truth[i] / rows[i].variance);
			bool is_alarm =
				rpt_t_test_two_sided(seen, rows[i].df) < 0.05;

			if (i)
				alarms.usual += is_alarm;
			else
				alarms.wild += is_alarm;
		}
	}
	alarms.usual /= (double)(times * (row_nr - 1));
	alarms.wild /= (double)times;
	return alarms;
}

static void test_moderated__levels_hold(void **state)
{
	static const size_t row_nrs[] = { 2, 3, 5, 10, 100 };
	static const int dfs[] = { 2, 4, 10 };
	static const int spreads[] = { 0, 4, 20 };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		for (size_t d = 0; d < 3; d++) {
			for (size_t s = 0; s < 3; s++) {
				struct alarms a = false_alarms(
					row_nrs[i], dfs[d], spreads[s], 1.0);

				if (a.usual < 0.03 || a.usual > 0.065)
					fail_msg("%zu rows, df %d, spread %d: "
						 "%g at 5 %%",
						 row_nrs[i], dfs[d], spreads[s],
						 a.usual);
			}
		}
	}
}

/* What scatters more than the others do keeps its own variance, or nearly. */
static void test_moderated__a_wild_row_is_not_tamed(void **state)
{
	struct alarms a = false_alarms(20, 4, 0, 30.0);

	(void)state;
	if (a.usual < 0.03 || a.usual > 0.065 || a.wild > 0.1)
		fail_msg("%g, wild %g at 5 %%", a.usual, a.wild);
}

/* One row, or two that add up to a whole, say nothing about others. */
static void test_moderated__few_rows_stay_as_they_are(void **state)
{
	static const double variances[] = { 0.3, 2.0 };
	struct rpt_row_variance rows[2];

	(void)state;
	for (size_t nr = 1; nr <= 2; nr++) {
		set_rows(rows, variances, nr, 4.0);
		rpt_moderate(rows, nr);
		for (size_t i = 0; i < nr; i++) {
			assert_true(
				is_near(rows[i].variance, variances[i], 1e-12));
			assert_true(is_near(rows[i].df, 4.0, 1e-12));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moderated__polygammas_are_the_tables),
		cmocka_unit_test(test_moderated__prior_is_limmas),
		cmocka_unit_test(test_moderated__ratios_are_what_rows_share),
		cmocka_unit_test(test_moderated__levels_hold),
		cmocka_unit_test(test_moderated__a_wild_row_is_not_tamed),
		cmocka_unit_test(test_moderated__few_rows_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
