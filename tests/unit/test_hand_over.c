#include "report/hand_over.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define BLOCKS_NR 3u
#define FILLED_NR 5000u

struct filling {
	struct rpt_hand_over over;
	unsigned blocks[BLOCKS_NR];
	unsigned filled_nr;
};

/* As long as any is wanted. */
static void *fill(void *arg)
{
	struct filling *filling = arg;
	unsigned idx;

	while (rpt_hand_over_room(&filling->over, &idx)) {
		filling->blocks[idx] = ++filling->filled_nr;
		rpt_hand_over_filled(&filling->over);
	}
	return NULL;
}

static void test_hand_over__blocks_come_in_order_until_none_is_wanted(void **s)
{
	struct filling filling = { 0 };
	pthread_t thread;

	(void)s;
	rpt_hand_over_init(&filling.over, BLOCKS_NR);
	assert_int_equal(pthread_create(&thread, NULL, fill, &filling), 0);
	for (unsigned i = 1; i <= FILLED_NR; i++) {
		unsigned idx = rpt_hand_over_next(&filling.over);

		assert_int_equal(filling.blocks[idx], i);
		rpt_hand_over_used(&filling.over);
	}
	rpt_hand_over_end(&filling.over);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(filling.filled_nr >= FILLED_NR);
	assert_true(filling.filled_nr <= FILLED_NR + BLOCKS_NR);
	rpt_hand_over_release(&filling.over);
}

static void test_hand_over__next_stays_until_it_was_used(void **s)
{
	struct rpt_hand_over over;
	unsigned idx;

	(void)s;
	rpt_hand_over_init(&over, BLOCKS_NR);
	for (unsigned i = 0; i < BLOCKS_NR; i++) {
		assert_true(rpt_hand_over_room(&over, &idx));
		assert_int_equal(idx, i);
		rpt_hand_over_filled(&over);
	}
	assert_int_equal(rpt_hand_over_next(&over), 0);
	assert_int_equal(rpt_hand_over_next(&over), 0);
	rpt_hand_over_used(&over);
	assert_int_equal(rpt_hand_over_next(&over), 1);
	rpt_hand_over_end(&over);
	assert_false(rpt_hand_over_room(&over, &idx));
	rpt_hand_over_release(&over);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_hand_over__blocks_come_in_order_until_none_is_wanted),
		cmocka_unit_test(test_hand_over__next_stays_until_it_was_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
