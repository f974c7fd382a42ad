#include "report/stats/t_test.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Abramowitz and Stegun, Table 26.10: two-sided. */
static void test_student__critical_values_are_the_tables(void **state)
{
	static const struct {
		double p, df, t;
	} rows[] = {
		{ 0.05, 1, 12.706 },  { 0.05, 2, 4.303 },  { 0.05, 5, 2.571 },
		{ 0.05, 10, 2.228 },  { 0.05, 30, 2.042 }, { 0.05, 120, 1.980 },
		{ 0.01, 1, 63.657 },  { 0.01, 10, 3.169 }, { 0.5, 4, 0.741 },
		{ 0.001, 20, 3.850 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double t = rpt_t_test_critical(rows[i].p, rows[i].df);

		assert_true(fabs(t - rows[i].t) < 0.0006);
		assert_true(fabs(rpt_t_test_two_sided(t, rows[i].df) -
				 rows[i].p) < 1e-9);
	}
}

/* Abramowitz and Stegun, Table 26.9: 5 % and 1 %. */
static void test_student__f_is_the_tables(void **state)
{
	(void)state;
	assert_true(fabs(rpt_f_above(3.48, 4, 10) - 0.05) < 0.0002);
	assert_true(fabs(rpt_f_above(5.99, 4, 10) - 0.01) < 0.00005);
	assert_true(fabs(rpt_f_above(4.96, 1, 10) - 0.05) < 0.0002);
	assert_true(fabs(rpt_f_above(2.37, 4, INFINITY) - 0.05) < 0.0005);
	assert_true(rpt_f_above(0.0, 4, 10) == 1.0);
}

/* The normal distribution's, in the limit. */
static void test_student__many_degrees_of_freedom_are_normal(void **state)
{
	(void)state;
	assert_true(fabs(rpt_t_test_critical(0.05, 1e7) - 1.959964) < 1e-5);
	assert_true(rpt_t_test_two_sided(0.0, 3.5) == 1.0);
}

/* Equal variances: the pooled test's degrees of freedom; one side without
 * scatter: the other's. */
static void test_welch__df_lies_between_one_side_and_both(void **state)
{
	(void)state;
	assert_true(fabs(rpt_welch_df(2.0, 7.0, 2.0, 7.0) - 14.0) < 1e-12);
	assert_true(fabs(rpt_welch_df(2.0, 7.0, 0.0, 3.0) - 7.0) < 1e-12);
	assert_true(rpt_welch_df(0.0, 7.0, 0.0, 3.0) == 3.0);
}

static void add_value(double v, double *sum, double *squares)
{
	*sum += v;
	*squares += v * v;
}

/* Return the variance of the mean. */
static double variance(double sum, double squares, double nr)
{
	return (squares - sum * sum / nr) / (nr - 1.0) / nr;
}

/* Derrick, Toher and White, Quant. Methods Psychol. 13(2), 2017: two groups of
 * 16, of which 8 are the same subjects; p is 0.026 with equal variances, and as
 * the groups are of one size, nearly so without. */
static void
test_pairs__some_of_the_subjects_are_those_of_the_paper(void **state)
{
	static const double a[] = { 14, 15, 18, 20, 11, 19, 14, 15,
				    20, 21, 16, 18, 14, 12, 14, 17 };
	static const double b[] = { 15, 10, 15, 17, 13, 19, 12, 13,
				    10, 16, 18, 16, 15, 14, 13, 10 };
	enum { NR = 16, PAIRS = 8 };
	double sum_a = 0, squares_a = 0, sum_b = 0, squares_b = 0;
	struct rpt_pairs pairs = { .nr = PAIRS };
	double var_a, var_b, error, df, p;

	(void)state;
	for (size_t i = 0; i < NR; i++) {
		add_value(a[i], &sum_a, &squares_a);
		add_value(b[i], &sum_b, &squares_b);
		if (i >= PAIRS)
			continue;
		add_value(a[i], &pairs.a, &pairs.a_squares);
		add_value(b[i], &pairs.b, &pairs.b_squares);
		pairs.products += a[i] * b[i];
	}
	var_a = variance(sum_a, squares_a, NR);
	var_b = variance(sum_b, squares_b, NR);
	error = sqrt(var_a + var_b -
		     2 * rpt_pair_covariance(&pairs, var_a, NR, var_b, NR));
	df = rpt_pair_df(&pairs, NR, NR, rpt_welch_df(var_a, 15, var_b, 15));
	p = rpt_t_test_two_sided(fabs(sum_a - sum_b) / NR / error, df);
	assert_true(fabs(p - 0.026) < 0.0005);
}

/* Without pairs the test is Welch's, with nothing else the paired one. */
static void test_pairs__none_and_all_are_the_known_tests(void **state)
{
	/* 1, 2, 4 and 2, 3, 7 */
	const struct rpt_pairs all = { 3, 7, 12, 21, 62, 36 };
	const struct rpt_pairs none = { 0 }, one = { 1, 1, 2, 1, 4, 2 };
	const struct rpt_pairs still = { 3, 6, 12, 12, 62, 24 };
	double var_a = variance(7, 21, 3), var_b = variance(12, 62, 3);

	(void)state;
	assert_true(rpt_pair_df(&none, 3, 4, 4.5) == 4.5);
	assert_true(rpt_pair_df(&one, 3, 4, 4.5) == 4.5);
	assert_true(rpt_pair_df(&all, 3, 3, 3.9) == 2.0);
	assert_true(rpt_pair_covariance(&none, var_a, 3, var_b, 4) == 0.0);
	assert_true(rpt_pair_covariance(&one, var_a, 3, var_b, 4) == 0.0);
	assert_true(rpt_pair_correlation(&still) == 0.0);
	/* the differences are 1, 1, 3: the variance of their mean is 4/9 */
	assert_true(fabs(var_a + var_b -
			 2 * rpt_pair_covariance(&all, var_a, 3, var_b, 3) -
			 4.0 / 9.0) < 1e-12);
}

/* Benjamini and Hochberg 1995, 3.2: 15 endpoints, 4 are rejected at 0.05. */
static void test_benjamini_hochberg__rejects_the_papers_four(void **state)
{
	static const double p[] = {
		0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
		0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000,	NAN,
	};
	enum { NR = sizeof(p) / sizeof(p[0]) };
	double scratch[NR];
	bool marks[NR];

	(void)state;
	rpt_benjamini_hochberg(p, NR, 0.05, scratch, marks);
	for (size_t i = 0; i < NR; i++)
		assert_int_equal(marks[i], i < 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_student__critical_values_are_the_tables),
		cmocka_unit_test(test_student__f_is_the_tables),
		cmocka_unit_test(
			test_student__many_degrees_of_freedom_are_normal),
		cmocka_unit_test(test_welch__df_lies_between_one_side_and_both),
		cmocka_unit_test(
			test_pairs__some_of_the_subjects_are_those_of_the_paper),
		cmocka_unit_test(test_pairs__none_and_all_are_the_known_tests),
		cmocka_unit_test(
			test_benjamini_hochberg__rejects_the_papers_four),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
