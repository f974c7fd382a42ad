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
			test_benjamini_hochberg__rejects_the_papers_four),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
