#include "report/base/work_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define BLOCKS_NR  3u
#define THREADS_NR 3u
#define MANY_NR	   5000u

struct block {
	unsigned asked;
	unsigned answer;
	unsigned begun_at; /* in which order blocks are begun */
};

struct work {
	atomic_uint begun_nr;
	atomic_uint done_nrs[THREADS_NR + 1]; /* by thread */
};

static void answer(void *ctx, uint32_t thread, void *arg)
{
	struct work *work = ctx;
	struct block *block = arg;

	block->begun_at = atomic_fetch_add(&work->begun_nr, 1);
	block->answer = block->asked + 1;
	atomic_fetch_add(&work->done_nrs[thread], 1);
}

static void give(struct rpt_work_queue *queue, struct block *block,
		 unsigned asked)
{
	block->asked = asked;
	rpt_work_queue_give(queue, block);
}

/* Each block comes back, in order, with its answer. */
static void ask_all(struct work *work, uint32_t threads_nr, bool is_helped)
{
	struct rpt_work_queue_conf conf = { threads_nr, is_helped, answer,
					    work };
	struct rpt_work_queue queue;
	struct block blocks[BLOCKS_NR], *block;
	unsigned asked_nr, back_nr = 0;

	rpt_work_queue_start(&queue, &conf);
	for (asked_nr = 0; asked_nr < BLOCKS_NR; asked_nr++)
		give(&queue, &blocks[asked_nr], asked_nr);
	while ((block = rpt_work_queue_next(&queue))) {
		assert_int_equal(block->asked, back_nr++);
		assert_int_equal(block->answer, back_nr);
		if (threads_nr < 2 && !is_helped)
			assert_int_equal(block->begun_at, block->asked);
		if (asked_nr < MANY_NR)
			give(&queue, block, asked_nr++);
	}
	assert_int_equal(back_nr, MANY_NR);
	rpt_work_queue_stop(&queue);
}

static void test_work_queue__blocks_come_back_in_order(void **state)
{
	(void)state;
	for (uint32_t threads_nr = 1; threads_nr <= THREADS_NR; threads_nr++) {
		struct work work = { 0 };

		ask_all(&work, threads_nr, false);
		assert_int_equal(work.done_nrs[threads_nr], 0);
	}
}

static void test_work_queue__the_caller_helps_if_asked_to(void **state)
{
	struct work work = { 0 };
	unsigned done_nr = 0;

	(void)state;
	ask_all(&work, 2, true);
	for (unsigned i = 0; i <= THREADS_NR; i++)
		done_nr += work.done_nrs[i];
	assert_int_equal(done_nr, MANY_NR);
}

static void
test_work_queue__without_threads_the_caller_does_it_all(void **state)
{
	struct work work = { 0 };

	(void)state;
	ask_all(&work, 0, false);
	assert_int_equal(work.done_nrs[0], MANY_NR);
}

static void test_work_queue__stops_with_blocks_that_are_not_begun(void **state)
{
	struct work work = { 0 };
	struct rpt_work_queue_conf conf = { 1, false, answer, &work };
	struct rpt_work_queue queue;
	struct block blocks[RPT_WORK_QUEUE_MAX];

	(void)state;
	rpt_work_queue_start(&queue, &conf);
	for (unsigned nr = 0; nr < RPT_WORK_QUEUE_MAX; nr++)
		give(&queue, &blocks[nr], nr);
	rpt_work_queue_stop(&queue);
	assert_true(work.begun_nr <= RPT_WORK_QUEUE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_work_queue__blocks_come_back_in_order),
		cmocka_unit_test(test_work_queue__the_caller_helps_if_asked_to),
		cmocka_unit_test(
			test_work_queue__without_threads_the_caller_does_it_all),
		cmocka_unit_test(
			test_work_queue__stops_with_blocks_that_are_not_begun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
