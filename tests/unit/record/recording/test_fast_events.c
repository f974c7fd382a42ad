#include "record/recording/fast_events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

static void look(struct rec_fast_events *fast, uint64_t now_ns, uint64_t nr)
{
	const struct rec_fast_look at = { .now_ns = now_ns, .sample_nr = nr };
	const struct rec_event_list no_events = { 0 };
	const struct rec_open_set none = { 0 };

	rec_fast_events_look(fast, &no_events, &none, &at, NULL);
}

static void test_fast_events__counts_only_if_much_comes(void **state)
{
	const struct rec_event_list list = { 0 };
	struct rec_fast_events fast;

	(void)state;
	assert_int_equal(rec_fast_events_init(&fast, 1000, &list, 0), 0);
	look(&fast, 2000 * MS, 2000);
	assert_false(fast.has_counts);
	assert_int_equal(rec_fast_events_due_ns(&fast), UINT64_MAX);
	look(&fast, 4000 * MS, 4001);
	assert_true(fast.has_counts);
	assert_int_equal(rec_fast_events_due_ns(&fast), 5000 * MS);
	look(&fast, 4500 * MS, 9000);
	assert_int_equal(fast.seen_nr, 4001);
	look(&fast, 5000 * MS, 4002);
	assert_false(fast.has_counts);
	rec_fast_events_release(&fast);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fast_events__counts_only_if_much_comes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
