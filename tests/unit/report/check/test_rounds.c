#include "report/check/rounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Times of records, 0 for a marker, -1 for the end. */
static void feed(struct rpt_rounds *rounds, const int *times, int want_late_nr)
{
	int late_nr = 0;

	for (; *times >= 0; times++) {
		if (*times)
			late_nr += rpt_rounds_time(rounds, (uint64_t)*times);
		else
			rpt_rounds_mark(rounds);
	}
	assert_int_equal(late_nr, want_late_nr);
}

static void test_rounds__a_marker_lets_go_what_the_one_before_saw(void **state)
{
	static const int times[] = { 10, 30, 0, 20, 40, 0, 30, 35, 0, -1 };
	struct rpt_rounds rounds = { .good = NULL };

	(void)state;
	feed(&rounds, times, 0);
	for (int i = 0; i < 3; i++)
		assert_true(rpt_rounds_is_good(&rounds));
	assert_false(rpt_rounds_is_good(&rounds));
	rpt_rounds_release(&rounds);
}

static void test_rounds__a_late_record_proves_markers_wrong(void **state)
{
	/* 25 is behind two markers that let 30 go, and one that let 10 go */
	static const int times[] = { 10, 0, 30, 0, 40, 0, 25, 50, 0, -1 };
	static const bool good[] = { true, true, false, true };
	struct rpt_rounds rounds = { .good = NULL };

	(void)state;
	feed(&rounds, times, 1);
	for (int i = 0; i < 4; i++)
		assert_int_equal(rpt_rounds_is_good(&rounds), good[i]);
	rpt_rounds_release(&rounds);
}

static void test_rounds__no_time_is_never_late(void **state)
{
	static const int times[] = { 10, 0, 10, 0, -1 };
	struct rpt_rounds rounds = { .good = NULL };

	(void)state;
	feed(&rounds, times, 0);
	assert_false(rpt_rounds_time(&rounds, 0));
	assert_false(rpt_rounds_time(&rounds, UINT64_MAX));
	assert_true(rpt_rounds_time(&rounds, 9));
	rpt_rounds_release(&rounds);
}

/* Memory is bounded by leaving some out; those that stay hold. */
static void test_rounds__millions_of_markers(void **state)
{
	struct rpt_rounds rounds = { .good = NULL };
	unsigned good_nr = 0, mark_nr = 1 << 20;

	(void)state;
	for (unsigned i = 0; i < mark_nr; i++) {
		assert_false(rpt_rounds_time(&rounds, i + 1));
		rpt_rounds_mark(&rounds);
	}
	assert_in_range(rounds.good_cap, 1, 1 << 17);
	for (unsigned i = 0; i < mark_nr; i++)
		good_nr += rpt_rounds_is_good(&rounds);
	assert_int_equal(good_nr, rounds.good_nr);
	assert_in_range(good_nr, 1 << 14, 1 << 16);
	rpt_rounds_release(&rounds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_rounds__a_marker_lets_go_what_the_one_before_saw),
		cmocka_unit_test(
			test_rounds__a_late_record_proves_markers_wrong),
		cmocka_unit_test(test_rounds__no_time_is_never_late),
		cmocka_unit_test(test_rounds__millions_of_markers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
