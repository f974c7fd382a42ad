#include "report/stats/gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_gate_answer__the_whole_interval_decides(void **state)
{
	(void)state;
	assert_int_equal(rpt_gate_answer(5.1, 9.9, 5.0), RPT_GATE_WORSE);
	assert_int_equal(rpt_gate_answer(4.9, 9.9, 5.0), RPT_GATE_UNDECIDED);
	assert_int_equal(rpt_gate_answer(-4.0, 5.1, 5.0), RPT_GATE_UNDECIDED);
	assert_int_equal(rpt_gate_answer(-4.0, 5.0, 5.0), RPT_GATE_NOT_WORSE);
	assert_int_equal(rpt_gate_answer(NAN, NAN, 5.0), RPT_GATE_UNDECIDED);
}

/* The t of 5 runs a side is 2.306 (8 degrees of freedom), of 6 it is 2.228
 * (10), of 7 it is 2.179 (12): Abramowitz and Stegun, Table 26.10. */
static void test_gate_more_runs__narrow_the_interval(void **state)
{
	double of_6 = 2.228 * sqrt(5.0 / 6.0), of_7 = 2.179 * sqrt(5.0 / 7.0);

	(void)state;
	assert_int_equal(rpt_gate_more_runs(of_6 + 0.001, 1.0, 8.0, 5.0), 1);
	assert_int_equal(rpt_gate_more_runs(of_6 - 0.001, 1.0, 8.0, 5.0), 2);
	assert_int_equal(rpt_gate_more_runs(of_7 - 0.001, 1.0, 8.0, 5.0), 3);
	assert_int_equal(rpt_gate_more_runs(0.001, 1.0, 8.0, 5.0),
			 RPT_GATE_MANY);
	assert_int_equal(rpt_gate_more_runs(1.0, NAN, 8.0, 5.0), 0);
	assert_int_equal(rpt_gate_more_runs(1.0, 1.0, 1.0, 1.0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gate_answer__the_whole_interval_decides),
		cmocka_unit_test(test_gate_more_runs__narrow_the_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
