#include "report/script/script_queue.h"
#include "report/symbols/symbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#define THREADS_NR 3u
#define BATCHES_NR 4000u

/* Of a recording without a kernel: its names are there. */
struct fixture {
	struct rpt_symbols *symbols;
	struct rpt_script_queue queue;
};

static void set_up(struct fixture *f, uint64_t made_max_len)
{
	static const struct rpt_symbols_conf conf;

	f->symbols = rpt_symbols_new(&conf);
	assert_non_null(f->symbols);
	rpt_script_queue_init(&f->queue, f->symbols, THREADS_NR, made_max_len);
}

static void tear_down(struct fixture *f)
{
	rpt_script_queue_release(&f->queue);
	rpt_symbols_free(f->symbols);
}

/* A batch that says which one it is by its length, which it has from 1 on. */
static struct rpt_script_batch *give(struct fixture *f, size_t nr)
{
	struct rpt_script_batch *batch = rpt_script_batch_new();

	assert_non_null(batch);
	batch->len = nr;
	rpt_script_queue_give(&f->queue, batch);
	return batch;
}

/* The number of the next one that is got back; 0: none. */
static size_t back(struct fixture *f, enum rpt_script_wait until)
{
	struct rpt_script_batch *batch =
		rpt_script_queue_next(&f->queue, until);
	size_t nr = batch ? batch->len : 0;

	rpt_script_batch_free(batch);
	return nr;
}

static void test_script_queue__got_back_in_the_order_given(void **s)
{
	struct rpt_script_batch *taken[3];
	struct fixture f;

	(void)s;
	set_up(&f, UINT64_MAX);
	for (size_t i = 0; i < 3; i++)
		give(&f, i + 1);
	for (size_t i = 0; i < 3; i++) {
		taken[i] = rpt_script_queue_take(&f.queue);
		assert_int_equal(taken[i]->len, i + 1);
	}
	rpt_script_queue_put(&f.queue, taken[2], true);
	assert_int_equal(back(&f, RPT_SCRIPT_WAIT_ROOM), 0);
	rpt_script_queue_put(&f.queue, taken[0], true);
	assert_int_equal(back(&f, RPT_SCRIPT_WAIT_ROOM), 1);
	assert_int_equal(back(&f, RPT_SCRIPT_WAIT_ROOM), 0);
	rpt_script_queue_put(&f.queue, taken[1], true);
	assert_int_equal(back(&f, RPT_SCRIPT_WAIT_ALL), 2);
	assert_int_equal(back(&f, RPT_SCRIPT_WAIT_ALL), 3);
	assert_int_equal(back(&f, RPT_SCRIPT_WAIT_ALL), 0);
	tear_down(&f);
}

static void test_script_queue__holes_are_filled_before_newer_ones(void **s)
{
	struct rpt_script_batch *first, *second;
	struct fixture f;

	(void)s;
	set_up(&f, UINT64_MAX);
	first = give(&f, 1);
	second = give(&f, 2);
	assert_ptr_equal(rpt_script_queue_take(&f.queue), first);
	rpt_script_queue_put(&f.queue, first, false);
	assert_int_equal(back(&f, RPT_SCRIPT_WAIT_ROOM), 0);
	assert_ptr_equal(rpt_script_queue_take(&f.queue), first);
	assert_ptr_equal(rpt_script_queue_take(&f.queue), second);
	rpt_script_queue_put(&f.queue, second, true);
	assert_int_equal(back(&f, RPT_SCRIPT_WAIT_ROOM), 0);
	rpt_script_queue_put(&f.queue, first, true);
	assert_int_equal(back(&f, RPT_SCRIPT_WAIT_ALL), 1);
	assert_int_equal(back(&f, RPT_SCRIPT_WAIT_ALL), 2);
	tear_down(&f);
}

static void test_script_queue__what_is_left_is_done_before_threads_end(void **s)
{
	struct rpt_script_batch *batch;
	struct fixture f;

	(void)s;
	set_up(&f, UINT64_MAX);
	batch = give(&f, 1);
	rpt_script_queue_close(&f.queue);
	assert_ptr_equal(rpt_script_queue_take(&f.queue), batch);
	rpt_script_queue_put(&f.queue, batch, true);
	assert_null(rpt_script_queue_take(&f.queue));
	tear_down(&f); /* with the batch */
}

/* Each third batch gets holes first. */
static void *work(void *arg)
{
	struct rpt_script_queue *queue = arg;
	struct rpt_script_batch *batch;

	while ((batch = rpt_script_queue_take(queue))) {
		bool is_whole = batch->hole_nr || batch->len % 3;

		batch->hole_nr = 1;
		rpt_script_queue_put(queue, batch, is_whole);
	}
	return NULL;
}

/* Gives as many as it may, as script_pool.c does. */
static void run_all(uint64_t made_max_len)
{
	pthread_t threads[THREADS_NR];
	struct fixture f;
	size_t nr, back_nr = 0;

	set_up(&f, made_max_len);
	for (size_t i = 0; i < THREADS_NR; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, work, &f.queue), 0);
	for (size_t i = 1; i <= BATCHES_NR; i++) {
		give(&f, i);
		while ((nr = back(&f, RPT_SCRIPT_WAIT_ROOM)))
			assert_int_equal(nr, ++back_nr);
		assert_true(i - back_nr < RPT_SCRIPT_QUEUE_NR);
	}
	while ((nr = back(&f, RPT_SCRIPT_WAIT_ALL)))
		assert_int_equal(nr, ++back_nr);
	assert_int_equal(back_nr, BATCHES_NR);
	rpt_script_queue_close(&f.queue);
	for (size_t i = 0; i < THREADS_NR; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	tear_down(&f);
}

static void test_script_queue__threads_with_holes(void **s)
{
	(void)s;
	run_all(UINT64_MAX);
}

/* Each batch that is made is too much already. */
static void test_script_queue__threads_and_no_memory(void **s)
{
	(void)s;
	run_all(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_script_queue__got_back_in_the_order_given),
		cmocka_unit_test(
			test_script_queue__holes_are_filled_before_newer_ones),
		cmocka_unit_test(
			test_script_queue__what_is_left_is_done_before_threads_end),
		cmocka_unit_test(test_script_queue__threads_with_holes),
		cmocka_unit_test(test_script_queue__threads_and_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
