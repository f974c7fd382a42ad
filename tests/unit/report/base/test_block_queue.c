#include "report/base/block_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define BLOCKS_NR 3u
#define FILLED_NR 5000u

struct filling {
	struct rpt_block_queue over;
	unsigned blocks[BLOCKS_NR];
	unsigned filled_nr;
};

/* As long as any is wanted. */
static void *fill(void *arg)
{
	struct filling *filling = arg;
	unsigned nr;

	while (rpt_block_queue_take(&filling->over, &nr)) {
		filling->blocks[nr % BLOCKS_NR] = ++filling->filled_nr;
		rpt_block_queue_give(&filling->over, nr);
	}
	return NULL;
}

static void test_hand_over__blocks_come_in_order_until_none_is_wanted(void **s)
{
	struct filling filling = { 0 };
	pthread_t thread;

	(void)s;
	rpt_block_queue_init(&filling.over, BLOCKS_NR);
	assert_int_equal(pthread_create(&thread, NULL, fill, &filling), 0);
	for (unsigned i = 1; i <= FILLED_NR; i++) {
		unsigned idx = rpt_block_queue_next(&filling.over);

		assert_int_equal(filling.blocks[idx], i);
		rpt_block_queue_used(&filling.over);
	}
	rpt_block_queue_end(&filling.over);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(filling.filled_nr >= FILLED_NR);
	assert_true(filling.filled_nr <= FILLED_NR + BLOCKS_NR);
	rpt_block_queue_release(&filling.over);
}

static void test_hand_over__next_stays_until_it_was_used(void **s)
{
	struct rpt_block_queue over;
	unsigned nr;

	(void)s;
	rpt_block_queue_init(&over, BLOCKS_NR);
	for (unsigned i = 0; i < BLOCKS_NR; i++) {
		assert_true(rpt_block_queue_take(&over, &nr));
		assert_int_equal(nr, i);
		rpt_block_queue_give(&over, nr);
	}
	assert_int_equal(rpt_block_queue_next(&over), 0);
	assert_int_equal(rpt_block_queue_next(&over), 0);
	rpt_block_queue_used(&over);
	assert_int_equal(rpt_block_queue_next(&over), 1);
	rpt_block_queue_end(&over);
	assert_false(rpt_block_queue_take(&over, &nr));
	rpt_block_queue_release(&over);
}

#define MANY_NR	   1000u
#define THREADS_NR 3u

static void *fill_some(void *arg)
{
	struct filling *filling = arg;
	unsigned nr;

	while (rpt_block_queue_take(&filling->over, &nr)) {
		filling->blocks[nr % BLOCKS_NR] = nr + 1;
		rpt_block_queue_give(&filling->over, nr);
	}
	return NULL;
}

/* By as many threads, and by the one that uses them. */
static unsigned use_all(unsigned thread_nr)
{
	struct filling filling = { 0 };
	pthread_t threads[THREADS_NR];
	unsigned nr, used_nr = 0, own_nr = 0;

	rpt_block_queue_init(&filling.over, BLOCKS_NR);
	rpt_block_queue_limit(&filling.over, MANY_NR);
	for (unsigned i = 0; i < thread_nr; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, fill_some, &filling),
			0);
	while (used_nr < MANY_NR) {
		if (!rpt_block_queue_next_or_take(&filling.over, &nr)) {
			filling.blocks[nr % BLOCKS_NR] = nr + 1;
			rpt_block_queue_give(&filling.over, nr);
			own_nr++;
			continue;
		}
		assert_int_equal(nr, used_nr);
		assert_int_equal(filling.blocks[nr % BLOCKS_NR], nr + 1);
		rpt_block_queue_used(&filling.over);
		used_nr++;
	}
	assert_false(rpt_block_queue_take(&filling.over, &nr));
	rpt_block_queue_end(&filling.over);
	for (unsigned i = 0; i < thread_nr; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	rpt_block_queue_release(&filling.over);
	return own_nr;
}

static void test_hand_over__several_fill_and_the_order_stays(void **s)
{
	(void)s;
	assert_int_equal(use_all(0), MANY_NR);
	assert_true(use_all(1) <= MANY_NR);
	assert_true(use_all(THREADS_NR) <= MANY_NR);
}

/* Blocks are given as they are done, and used as they were taken. */
static void test_hand_over__the_next_is_the_one_that_was_taken_first(void **s)
{
	struct rpt_block_queue over;
	unsigned nr;

	(void)s;
	rpt_block_queue_init(&over, BLOCKS_NR);
	rpt_block_queue_limit(&over, 2);
	assert_true(rpt_block_queue_take(&over, &nr));
	assert_int_equal(nr, 0);
	assert_false(rpt_block_queue_next_or_take(&over, &nr));
	assert_int_equal(nr, 1);
	assert_false(rpt_block_queue_take(&over, &nr)); /* there are no more */
	rpt_block_queue_give(&over, 1);
	rpt_block_queue_give(&over, 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(rpt_block_queue_next_or_take(&over, &nr));
		assert_int_equal(nr, i);
		assert_int_equal(rpt_block_queue_next(&over), i);
		rpt_block_queue_used(&over);
	}
	rpt_block_queue_release(&over);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_hand_over__blocks_come_in_order_until_none_is_wanted),
		cmocka_unit_test(test_hand_over__next_stays_until_it_was_used),
		cmocka_unit_test(
			test_hand_over__several_fill_and_the_order_stays),
		cmocka_unit_test(
			test_hand_over__the_next_is_the_one_that_was_taken_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
