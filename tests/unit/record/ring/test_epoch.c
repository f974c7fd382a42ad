#include "record/ring/epoch.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <errno.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "format/file/layout.h"

enum { PAGE_LEN = 4096, DATA_LEN = 4096, RING_NR = 8 };

struct fixture {
	uint8_t *memory[RING_NR];
	struct rec_ring rings[RING_NR];
	struct rec_ring_reader feeds[RING_NR];
	struct rec_epoch epoch;
	struct rec_epoch_cursor cursor;
	unsigned taken_nr;
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
		rec_ring_reader_init(&f->feeds[i], &f->rings[i], (int)i);
	}
	assert_int_equal(rec_epoch_init(&f->epoch, f->feeds, RING_NR), 0);
	f->cursor.thread = 1;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rec_epoch_free(&f->epoch);
	for (size_t i = 0; i < RING_NR; i++) {
		rec_ring_reader_release(&f->feeds[i]);
		free(f->memory[i]);
	}
	free(f);
	return 0;
}

static int begin(struct fixture *f, struct pd_err *err)
{
	int code = rec_epoch_begin(&f->epoch, err);

	rec_epoch_enter(&f->cursor);
	return code;
}

static struct rec_ring_reader *take(struct fixture *f)
{
	return rec_epoch_take(&f->epoch, &f->cursor);
}

static void test_epoch__skips_empty_rings(void **state)
{
	struct fixture *f = *state;

	control(f, 2)->data_head = 16;
	control(f, 5)->data_head = 24;
	assert_int_equal(begin(f, NULL), 0);
	assert_int_equal(f->epoch.bytes_len, 40);
	assert_int_equal(f->epoch.pending_nr, 2);
	assert_ptr_equal(take(f), &f->feeds[2]);
	assert_ptr_equal(take(f), &f->feeds[5]);
	assert_null(take(f));
}

static void test_epoch__later_records_wait_for_the_next(void **state)
{
	struct fixture *f = *state;
	struct rec_ring_reader *reader;

	control(f, 0)->data_head = 8;
	begin(f, NULL);
	control(f, 0)->data_head = 32;
	control(f, 1)->data_head = 8;
	reader = take(f);
	assert_int_equal(reader->goal, 8);
	assert_int_equal(rec_ring_left(reader->ring), 8);
	rec_ring_consume(reader->ring);
	assert_null(take(f));
	begin(f, NULL);
	assert_int_equal(f->epoch.seq, 2);
	assert_int_equal(f->epoch.bytes_len, 32);
}

static void test_epoch__a_broken_ring_does_not_stop_the_others(void **state)
{
	struct fixture *f = *state;
	struct pd_err err = PD_ERR_INIT;

	control(f, 0)->data_head = 1;
	control(f, 1)->data_head = 8;
	assert_int_equal(begin(f, &err), -EBADMSG);
	assert_ptr_equal(take(f), &f->feeds[1]);
	assert_null(take(f));
}

static void test_epoch__the_fullest_ring_counts(void **state)
{
	struct fixture *f = *state;

	control(f, 1)->data_head = DATA_LEN / 4;
	control(f, 2)->data_head = DATA_LEN / 2;
	begin(f, NULL);
	assert_int_equal(f->epoch.fill, 128);
}

static void
test_epoch__a_ring_stays_with_its_thread_until_released(void **state)
{
	struct fixture *f = *state;
	struct rec_epoch_cursor other = { .thread = 2 };

	control(f, 3)->data_head = 8;
	begin(f, NULL);
	assert_ptr_equal(take(f), &f->feeds[3]);
	rec_ring_consume(f->feeds[3].ring);
	control(f, 3)->data_head = 16;
	begin(f, NULL);
	rec_epoch_enter(&other);
	assert_null(rec_epoch_take(&f->epoch, &other));
	assert_true(rec_epoch_is_kept(&f->epoch, other.thread));
	assert_ptr_equal(take(f), &f->feeds[3]);
	rec_ring_consume(f->feeds[3].ring);
	rec_epoch_release(&f->epoch, other.thread, REC_EPOCH_NO_FRAME);
	assert_true(rec_epoch_is_kept(&f->epoch, other.thread));
	rec_epoch_release(&f->epoch, f->cursor.thread, REC_EPOCH_NO_FRAME);
	assert_false(rec_epoch_is_kept(&f->epoch, other.thread));
	control(f, 3)->data_head = 24;
	begin(f, NULL);
	rec_epoch_enter(&other);
	assert_ptr_equal(rec_epoch_take(&f->epoch, &other), &f->feeds[3]);
	assert_false(rec_epoch_is_kept(&f->epoch, other.thread));
	assert_null(take(f));
}

/* Put a map of code at the head of a ring. */
static void put_map(struct fixture *f, size_t idx, uint64_t start)
{
	const uint64_t map[9] = {
		PD_RECORD_MMAP2 | (uint64_t)PD_CPUMODE_USER << 32 |
			sizeof(map) << 48,
		1,
		start,
		0x1000,
		[8] = PROT_EXEC,
	};
	struct perf_event_mmap_page *page = control(f, idx);

	memcpy(f->memory[idx] + PAGE_LEN + page->data_head, map, sizeof(map));
	page->data_head += sizeof(map);
}

/* A sample of ring 0 may be of what another ring tells of, even if that came
 * when the heads had been loaded. */
static void test_epoch__maps_of_all_rings_are_known_first(void **state)
{
	const uint64_t addrs[] = { 0x1010, 0x3010, 0x5010, 0x7010 };
	struct rec_sample_layouts layouts = { .code = rec_code_ranges_new() };
	struct fixture *f = *state;

	control(f, 0)->data_head = 8;
	put_map(f, 3, 0x1000);
	put_map(f, 3, 0x3000);
	begin(f, NULL);
	put_map(f, 5, 0x5000);
	rec_epoch_look(&f->epoch, &layouts);
	assert_int_equal(rec_code_ranges_find(layouts.code, 1, addrs, 4), 7);
	assert_int_equal(f->rings[3].tail, 0);
	/* what was seen is not seen again */
	rec_ring_consume(&f->rings[3]);
	put_map(f, 3, 0x7000);
	memset(f->memory[3] + PAGE_LEN, 0, 144);
	memset(f->memory[5] + PAGE_LEN, 0, 72);
	rec_epoch_look(&f->epoch, &layouts);
	assert_int_equal(rec_code_ranges_find(layouts.code, 1, addrs, 4), 15);
	rec_code_ranges_free(layouts.code);
}

static void test_epoch__rings_in_frames_that_ended_are_free(void **state)
{
	struct fixture *f = *state;
	struct rec_epoch_cursor other = { .thread = 2 };

	for (size_t i = 0; i < 3; i++)
		control(f, i)->data_head = 8;
	begin(f, NULL);
	/* two rings into frame 7, which ends in the second of them; frame 8
	 * holds the rest of that and the third */
	for (size_t i = 0; i < 3; i++) {
		assert_ptr_equal(take(f), &f->feeds[i]);
		rec_ring_consume(f->feeds[i].ring);
		rec_epoch_note(&f->epoch, &f->feeds[i], i ? 8 : 7);
	}
	rec_epoch_release(&f->epoch, f->cursor.thread, 8);
	for (size_t i = 0; i < 3; i++)
		control(f, i)->data_head = 16;
	begin(f, NULL);
	rec_epoch_enter(&other);
	assert_ptr_equal(rec_epoch_take(&f->epoch, &other), &f->feeds[0]);
	assert_null(rec_epoch_take(&f->epoch, &other));
	assert_ptr_equal(take(f), &f->feeds[1]);
	assert_ptr_equal(take(f), &f->feeds[2]);
	assert_null(take(f));
}

static void test_epoch__a_pinned_ring_is_for_one_thread_only(void **state)
{
	struct fixture *f = *state;
	struct rec_epoch_cursor other = { .thread = 2 };

	rec_epoch_pin(&f->epoch, 0, 2);
	for (unsigned round = 1; round < 4; round++) {
		control(f, 0)->data_head = round * 8;
		begin(f, NULL);
		assert_null(take(f));
		rec_epoch_enter(&other);
		assert_ptr_equal(rec_epoch_take(&f->epoch, &other),
				 &f->feeds[0]);
		rec_ring_consume(f->feeds[0].ring);
		rec_epoch_release(&f->epoch, other.thread, REC_EPOCH_NO_FRAME);
	}
}

struct taker {
	struct fixture *f;
	struct rec_epoch_cursor cursor;
};

static void *drain(void *arg)
{
	struct taker *taker = arg;
	struct rec_ring_reader *reader;

	rec_epoch_enter(&taker->cursor);
	while ((reader = rec_epoch_take(&taker->f->epoch, &taker->cursor))) {
		rec_ring_consume(reader->ring);
		__atomic_add_fetch(&taker->f->taken_nr, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void test_epoch__four_threads_drain_each_ring_once(void **state)
{
	struct fixture *f = *state;

	for (unsigned round = 1; round <= 200; round++) {
		struct taker takers[4];
		pthread_t threads[4];

		for (size_t i = 0; i < RING_NR; i++)
			control(f, i)->data_head = round * 64;
		assert_int_equal(rec_epoch_begin(&f->epoch, NULL), 0);
		for (unsigned i = 0; i < 4; i++) {
			takers[i] = (struct taker){ f, { .thread = i + 1 } };
			pthread_create(&threads[i], NULL, drain, &takers[i]);
		}
		for (size_t i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		assert_int_equal(f->taken_nr, round * RING_NR);
		for (size_t i = 0; i < RING_NR; i++)
			assert_int_equal(control(f, i)->data_tail, round * 64);
		for (unsigned i = 0; round % 3 == 0 && i < 4; i++)
			rec_epoch_release(&f->epoch, i + 1, REC_EPOCH_NO_FRAME);
	}
}

#define EPOCH_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EPOCH_TEST(test_epoch__skips_empty_rings),
		EPOCH_TEST(test_epoch__later_records_wait_for_the_next),
		EPOCH_TEST(test_epoch__a_broken_ring_does_not_stop_the_others),
		EPOCH_TEST(test_epoch__the_fullest_ring_counts),
		EPOCH_TEST(
			test_epoch__a_ring_stays_with_its_thread_until_released),
		EPOCH_TEST(test_epoch__maps_of_all_rings_are_known_first),
		EPOCH_TEST(test_epoch__rings_in_frames_that_ended_are_free),
		EPOCH_TEST(test_epoch__a_pinned_ring_is_for_one_thread_only),
		EPOCH_TEST(test_epoch__four_threads_drain_each_ring_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
