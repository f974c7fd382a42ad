#include "record/epoch.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <errno.h>

#include <cmocka.h>

enum { PAGE_LEN = 4096, DATA_LEN = 4096, RING_NR = 8 };

struct fixture {
	uint8_t *memory[RING_NR];
	struct rec_ring rings[RING_NR];
	struct rec_epoch epoch;
	unsigned finished_nr;
};

static struct perf_event_mmap_page *control(struct fixture *f, size_t idx)
{
	return f->rings[idx].control;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	for (size_t i = 0; i < RING_NR; i++) {
		f->memory[i] = aligned_alloc(PAGE_LEN, PAGE_LEN + DATA_LEN);
		memset(f->memory[i], 0, PAGE_LEN + DATA_LEN);
		rec_ring_init(&f->rings[i], f->memory[i], PAGE_LEN, DATA_LEN);
	}
	rec_epoch_init(&f->epoch, f->rings, RING_NR);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < RING_NR; i++)
		free(f->memory[i]);
	free(f);
	return 0;
}

static void test_epoch__skips_empty_rings(void **state)
{
	struct fixture *f = *state;

	control(f, 2)->data_head = 16;
	control(f, 5)->data_head = 24;
	assert_int_equal(rec_epoch_begin(&f->epoch, NULL), 0);
	assert_int_equal(f->epoch.bytes_len, 40);
	assert_ptr_equal(rec_epoch_take(&f->epoch), &f->rings[2]);
	assert_ptr_equal(rec_epoch_take(&f->epoch), &f->rings[5]);
	assert_null(rec_epoch_take(&f->epoch));
	assert_false(rec_epoch_done(&f->epoch));
	assert_true(rec_epoch_done(&f->epoch));
}

static void test_epoch__what_comes_later_waits_for_the_next(void **state)
{
	struct fixture *f = *state;
	struct rec_ring *ring;

	control(f, 0)->data_head = 8;
	rec_epoch_begin(&f->epoch, NULL);
	control(f, 0)->data_head = 32;
	control(f, 1)->data_head = 8;
	ring = rec_epoch_take(&f->epoch);
	assert_int_equal(rec_ring_left(ring), 8);
	rec_ring_consume(ring);
	assert_true(rec_epoch_done(&f->epoch));
	assert_null(rec_epoch_take(&f->epoch));
	rec_epoch_begin(&f->epoch, NULL);
	assert_int_equal(f->epoch.seq, 2);
	assert_int_equal(f->epoch.bytes_len, 32);
}

static void test_epoch__a_broken_ring_does_not_stop_the_others(void **state)
{
	struct fixture *f = *state;
	struct pd_err err = PD_ERR_INIT;

	control(f, 0)->data_head = 1;
	control(f, 1)->data_head = 8;
	assert_int_equal(rec_epoch_begin(&f->epoch, &err), -EBADMSG);
	assert_ptr_equal(rec_epoch_take(&f->epoch), &f->rings[1]);
	assert_null(rec_epoch_take(&f->epoch));
}

static void *drain(void *arg)
{
	struct fixture *f = arg;
	struct rec_ring *ring;

	while ((ring = rec_epoch_take(&f->epoch))) {
		rec_ring_consume(ring);
		if (rec_epoch_done(&f->epoch))
			__atomic_add_fetch(&f->finished_nr, 1,
					   __ATOMIC_RELAXED);
	}
	return NULL;
}

static void test_epoch__four_threads_drain_each_ring_once(void **state)
{
	struct fixture *f = *state;

	for (unsigned round = 1; round <= 200; round++) {
		pthread_t threads[4];

		for (size_t i = 0; i < RING_NR; i++)
			control(f, i)->data_head = round * 64;
		assert_int_equal(rec_epoch_begin(&f->epoch, NULL), 0);
		for (size_t i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, drain, f);
		for (size_t i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		assert_int_equal(f->finished_nr, round);
		for (size_t i = 0; i < RING_NR; i++)
			assert_int_equal(control(f, i)->data_tail, round * 64);
	}
}

#define EPOCH_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EPOCH_TEST(test_epoch__skips_empty_rings),
		EPOCH_TEST(test_epoch__what_comes_later_waits_for_the_next),
		EPOCH_TEST(test_epoch__a_broken_ring_does_not_stop_the_others),
		EPOCH_TEST(test_epoch__four_threads_drain_each_ring_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
