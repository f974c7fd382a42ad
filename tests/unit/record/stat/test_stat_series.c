#include "record/stat/stat_series.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_near(double a, double b, double within)
{
	if (fabs(a - b) > within)
		fail_msg("%.9g is not %.9g", a, b);
}

/* Of the usual tables of Student's t, two-sided. */
static void test_student__quantiles_of_tables(void **state)
{
	(void)state;
	assert_near(rec_student_quantile(0.05, 1), 12.7062, 1e-4);
	assert_near(rec_student_quantile(0.05, 2), 4.3027, 1e-4);
	assert_near(rec_student_quantile(0.05, 9), 2.2622, 1e-4);
	assert_near(rec_student_quantile(0.01, 30), 2.7500, 1e-4);
	assert_near(rec_student_quantile(0.05, 1e6), 1.95996, 1e-4);
	assert_near(rec_student_tail(2.2622, 9), 0.05, 1e-5);
	assert_near(rec_student_tail(0, 5), 1, 1e-12);
}

static void test_series__interval_of_three(void **state)
{
	const double values[] = { 10, 12, 14 };
	struct rec_series s;

	(void)state;
	rec_series_of(&s, values, 3);
	assert_near(s.mean, 12, 1e-12);
	assert_near(s.error, 2 / sqrt(3), 1e-12);
	assert_near(s.high, 12 + 4.30265 * 2 / sqrt(3), 1e-4);
	assert_near(s.low, 12 - 4.30265 * 2 / sqrt(3), 1e-4);
	assert_near(rec_series_noise_pct(&s), 9.62250, 1e-4);
}

static void test_series__of_one_and_of_none(void **state)
{
	const double one = 5;
	struct rec_series s;

	(void)state;
	rec_series_of(&s, &one, 1);
	assert_true(s.mean == 5 && s.low == 5 && s.high == 5 && s.error == 0);
	rec_series_of(&s, NULL, 0);
	assert_true(s.mean == 0 && rec_series_noise_pct(&s) == 0);
}

static void test_series__nothing_is_below_nothing(void **state)
{
	const double values[] = { 0, 0, 1 };
	struct rec_series s;

	(void)state;
	rec_series_of(&s, values, 3);
	assert_true(s.low == 0 && s.high > 1);
}

static void test_series__drift(void **state)
{
	const double falls[] = { 120, 121, 119, 100, 101, 99 };
	const double noise[] = { 120, 100, 110, 101, 119, 108 };
	const double steps[] = { 5, 5, 5, 4, 4, 4 };
	double pct = 0;

	(void)state;
	assert_true(rec_series_drifts(falls, 6, &pct));
	assert_near(pct, -100.0 / 6, 1e-9);
	assert_false(rec_series_drifts(noise, 6, &pct));
	assert_true(rec_series_drifts(steps, 6, &pct));
	/* Too few to tell. */
	assert_false(rec_series_drifts(falls, 5, &pct));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_student__quantiles_of_tables),
		cmocka_unit_test(test_series__interval_of_three),
		cmocka_unit_test(test_series__of_one_and_of_none),
		cmocka_unit_test(test_series__nothing_is_below_nothing),
		cmocka_unit_test(test_series__drift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
