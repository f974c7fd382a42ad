#include "report/diff/diff_estimate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct rpt_estimate share(double value, double variance)
{
	return (struct rpt_estimate){
		.value = value,
		.most = 1.0,
		.chance = variance,
		.variance = variance,
		.df = 10.0,
		.sum = { .nr = 1000.0 },
	};
}

static struct rpt_change change_of(const struct rpt_estimate *old,
				   const struct rpt_estimate *new)
{
	return rpt_change_of(old, new, rpt_scatter_between(old, new));
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-4;
}

/* Equal variances: 20 degrees of freedom, for which Abramowitz and Stegun,
 * Table 26.10, have t = 2.086 at 5 %. */
static void test_diff_estimate__interval_is_welchs(void **state)
{
	struct rpt_estimate old = share(0.30, 0.0002),
			    new = share(0.35, 0.0002);
	struct rpt_change change = change_of(&old, &new);

	(void)state;
	assert_true(is_near(change.delta, 0.05));
	assert_true(is_near(change.low, 0.05 - 2.086 * 0.02));
	assert_true(is_near(change.high, 0.05 + 2.086 * 0.02));
	assert_true(change.p > 0.02 && change.p < 0.03);
}

static void test_diff_estimate__lost_samples_widen_it(void **state)
{
	struct rpt_estimate old = share(0.30, 0.0002),
			    new = share(0.35, 0.0002);
	struct rpt_change before = change_of(&old, &new), after;

	(void)state;
	new.unseen_up = 0.02;
	old.unseen_up = 0.01;
	after = change_of(&old, &new);
	assert_true(is_near(after.high, before.high + 0.02));
	assert_true(is_near(after.low, before.low - 0.01));
	assert_true(after.p > before.p);
}

/* A share is no more than all and no less than nothing; a rate may be any. */
static void test_diff_estimate__no_wider_than_values_can_be(void **state)
{
	struct rpt_estimate old = share(0.30, 0.9), new = share(0.35, 0.9);
	struct rpt_change change = change_of(&old, &new);

	(void)state;
	assert_true(change.low == -1.0 && change.high == 1.0);
	old.most = new.most = INFINITY;
	change = change_of(&old, &new);
	assert_true(change.low < -2.0 && change.high > 2.0);
}

static void test_diff_estimate__what_is_not_known_is_nan(void **state)
{
	struct rpt_estimate old = share(0.30, NAN), new = share(0.35, NAN);
	struct rpt_change change = change_of(&old, &new);

	(void)state;
	assert_true(is_near(change.delta, 0.05));
	assert_true(isnan(change.low) && isnan(change.high));
	assert_true(isnan(change.p));
	old = share(0.30, 0.0002);
	new = share(0.35, 0.0002);
	old.sum.nr = new.sum.nr = 4.0;
	assert_true(isnan(change_of(&old, &new).p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diff_estimate__interval_is_welchs),
		cmocka_unit_test(test_diff_estimate__lost_samples_widen_it),
		cmocka_unit_test(
			test_diff_estimate__no_wider_than_values_can_be),
		cmocka_unit_test(test_diff_estimate__what_is_not_known_is_nan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
