#include "record/ring/boost.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const uint64_t start_ns = UINT64_C(5000000000);

/* Allowed, but of no thread: what is decided shows, nothing is done. */
static struct rec_boost made(uint64_t credit_ns)
{
	return (struct rec_boost){ .is_allowed = true,
				   .share = 0.2,
				   .most_ns = 1000000000,
				   .credit_ns = credit_ns,
				   .seen_ns = start_ns };
}

static void test_boost__it_is_on_for_a_while_after_a_ring_filled(void **state)
{
	struct rec_boost boost = made(1000000000);
	uint64_t at = start_ns;

	(void)state;
	rec_boost_look(&boost, false, at);
	assert_false(boost.is_on);
	assert_true(rec_boost_due_ns(&boost) == UINT64_MAX);
	rec_boost_look(&boost, true, at);
	assert_true(boost.is_on);
	assert_true(rec_boost_due_ns(&boost) <= at + REC_BOOST_HOLD_NS);
	at += REC_BOOST_HOLD_NS / 2;
	rec_boost_look(&boost, true, at);
	at += REC_BOOST_HOLD_NS - 1;
	rec_boost_look(&boost, false, at);
	assert_true(boost.is_on);
	rec_boost_look(&boost, false, at + 1);
	assert_false(boost.is_on);
}

static void test_boost__uses_no_more_than_its_credit(void **state)
{
	struct rec_boost boost = made(1000000000);

	(void)state;
	rec_boost_look(&boost, true, start_ns);
	assert_true(boost.is_on);
	/* as if threads had run for longer than that at once */
	boost.seen_cpu_ns -= 2000000000;
	rec_boost_look(&boost, true, start_ns);
	assert_false(boost.is_on);
	assert_int_equal(boost.credit_ns, 0);
	rec_boost_look(&boost, true, start_ns + 1000000);
	assert_false(boost.is_on);
	rec_boost_look(&boost, true, start_ns + 10000000);
	assert_true(boost.is_on);
	assert_int_equal(boost.credit_ns / 1000, 2000);
}

static void test_boost__stays_off_if_not_allowed(void **state)
{
	struct rec_boost boost = made(1000000000);

	(void)state;
	boost.is_allowed = false;
	rec_boost_look(&boost, true, start_ns);
	assert_false(boost.is_on);
}

/* The kernel counts on where nobody slept at that priority, and would kill. */
static void test_boost__a_second_signal_ends_it_for_good(void **state)
{
	struct rec_boost boost = { 0 };

	(void)state;
	rec_boost_init(&boost, 0);
	if (!boost.is_allowed)
		skip();
	for (int i = 0; i < 2; i++) {
		rec_boost_look(&boost, true, start_ns);
		assert_true(boost.is_on);
		raise(SIGXCPU);
		assert_false(boost.is_on);
	}
	rec_boost_look(&boost, true, start_ns);
	assert_false(boost.is_on);
	rec_boost_end(&boost);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_boost__it_is_on_for_a_while_after_a_ring_filled),
		cmocka_unit_test(test_boost__uses_no_more_than_its_credit),
		cmocka_unit_test(test_boost__stays_off_if_not_allowed),
		cmocka_unit_test(test_boost__a_second_signal_ends_it_for_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
