#include "record/ring/ring.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <errno.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { PAGE_LEN = 4096, DATA_LEN = 8192 };

/* A control page made by hand, and data behind it. */
struct fixture {
	struct perf_event_mmap_page *control;
	uint8_t *data;
	struct rec_ring ring;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->control = mmap(NULL, PAGE_LEN + DATA_LEN, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(f->control, MAP_FAILED);
	f->data = (uint8_t *)f->control + PAGE_LEN;
	for (size_t i = 0; i < DATA_LEN; i++)
		f->data[i] = (uint8_t)(i / 8);
	rec_ring_init(&f->ring, f->control, PAGE_LEN, DATA_LEN);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	munmap(f->control, PAGE_LEN + DATA_LEN);
	free(f);
	return 0;
}

static void start_at(struct fixture *f, uint64_t tail)
{
	f->control->data_tail = tail;
	f->control->data_head = tail;
	rec_ring_init(&f->ring, f->control, PAGE_LEN, DATA_LEN);
}

static void test_ring__is_empty_at_first(void **state)
{
	struct fixture *f = *state;
	struct rec_span span[2];

	assert_int_equal(rec_ring_load(&f->ring, NULL), 0);
	assert_int_equal(rec_ring_left(&f->ring), 0);
	assert_int_equal(rec_ring_peek(&f->ring, f->ring.upto, span), 0);
}

static void test_ring__gives_one_span_without_wrap(void **state)
{
	struct fixture *f = *state;
	struct rec_span span[2];

	f->control->data_head = 64;
	assert_int_equal(rec_ring_load(&f->ring, NULL), 0);
	assert_int_equal(rec_ring_peek(&f->ring, f->ring.upto, span), 1);
	assert_ptr_equal(span[0].ptr, f->data);
	assert_int_equal(span[0].len, 64);
	rec_ring_consume(&f->ring);
	assert_int_equal(f->control->data_tail, 64);
	assert_int_equal(rec_ring_left(&f->ring), 0);
}

static void test_ring__gives_two_spans_over_the_wrap(void **state)
{
	struct fixture *f = *state;
	struct rec_span span[2];

	start_at(f, DATA_LEN * 5 - 16);
	f->control->data_head = DATA_LEN * 5 + 24;
	assert_int_equal(rec_ring_load(&f->ring, NULL), 0);
	assert_int_equal(rec_ring_peek(&f->ring, f->ring.upto, span), 2);
	assert_ptr_equal(span[0].ptr, f->data + DATA_LEN - 16);
	assert_int_equal(span[0].len, 16);
	assert_ptr_equal(span[1].ptr, f->data);
	assert_int_equal(span[1].len, 24);
}

static void test_ring__reads_words_on_both_sides_of_the_wrap(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rec_ring_u64(&f->ring, DATA_LEN * 3 - 8),
			 UINT64_C(0xffffffffffffffff));
	assert_int_equal(rec_ring_u64(&f->ring, DATA_LEN * 3 + 8),
			 UINT64_C(0x0101010101010101));
}

static void test_ring__full_ring_is_two_spans_or_one(void **state)
{
	struct fixture *f = *state;
	struct rec_span span[2];

	f->control->data_head = DATA_LEN;
	assert_int_equal(rec_ring_load(&f->ring, NULL), 0);
	assert_int_equal(rec_ring_peek(&f->ring, f->ring.upto, span), 1);
	assert_int_equal(span[0].len, DATA_LEN);
	start_at(f, 8);
	f->control->data_head = 8 + DATA_LEN;
	assert_int_equal(rec_ring_load(&f->ring, NULL), 0);
	assert_int_equal(rec_ring_peek(&f->ring, f->ring.upto, span), 2);
	assert_int_equal(span[0].len, DATA_LEN - 8);
	assert_int_equal(span[1].len, 8);
}

static void test_ring__counts_may_overflow_64_bits(void **state)
{
	struct fixture *f = *state;
	struct rec_span span[2];

	start_at(f, UINT64_MAX - 7);
	f->control->data_head = 8;
	assert_int_equal(rec_ring_load(&f->ring, NULL), 0);
	assert_int_equal(rec_ring_left(&f->ring), 16);
	assert_int_equal(rec_ring_peek(&f->ring, f->ring.upto, span), 2);
}

static void test_ring__drains_only_up_to_the_loaded_head(void **state)
{
	struct fixture *f = *state;

	f->control->data_head = 16;
	assert_int_equal(rec_ring_load(&f->ring, NULL), 0);
	f->control->data_head = 48;
	rec_ring_consume(&f->ring);
	assert_int_equal(f->control->data_tail, 16);
	assert_int_equal(rec_ring_load(&f->ring, NULL), 0);
	assert_int_equal(rec_ring_left(&f->ring), 32);
}

static void test_ring__refuses_a_head_that_cannot_be(void **state)
{
	struct fixture *f = *state;
	uint64_t heads[] = { DATA_LEN + 8, UINT64_MAX - 7, 12, UINT64_MAX };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct pd_err err = PD_ERR_INIT;

		f->control->data_head = heads[i];
		assert_int_equal(rec_ring_load(&f->ring, &err), -EBADMSG);
		assert_int_equal(err.code, -EBADMSG);
		assert_int_equal(rec_ring_left(&f->ring), 0);
	}
}

#define RING_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RING_TEST(test_ring__is_empty_at_first),
		RING_TEST(test_ring__gives_one_span_without_wrap),
		RING_TEST(test_ring__gives_two_spans_over_the_wrap),
		RING_TEST(test_ring__reads_words_on_both_sides_of_the_wrap),
		RING_TEST(test_ring__full_ring_is_two_spans_or_one),
		RING_TEST(test_ring__counts_may_overflow_64_bits),
		RING_TEST(test_ring__drains_only_up_to_the_loaded_head),
		RING_TEST(test_ring__refuses_a_head_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
