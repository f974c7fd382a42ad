#include "record/ring/overwrite_rings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { RING_LEN = 256 };

/* A ring that the test writes as the kernel would. */
struct ring {
	uint8_t data[RING_LEN];
	uint64_t head;
};

/* A record of len bytes with a mark behind its header. */
static void put(struct ring *ring, uint16_t len, uint8_t mark)
{
	uint8_t record[RING_LEN];

	memset(record, mark, len);
	memset(record, 0, 8);
	memcpy(record + 6, &len, sizeof(len));
	ring->head -= len;
	for (unsigned i = 0; i < len; i++)
		ring->data[(ring->head + i) % RING_LEN] = record[i];
}

/* The marks of what is copied, in order. */
static const char *marks(const struct ring *ring, uint64_t seen)
{
	static char text[64];
	uint8_t copy[RING_LEN];
	size_t at = rec_overwrite_rings_copy(ring->data, RING_LEN, ring->head,
					     seen, copy);
	size_t nr = 0;

	while (at < RING_LEN) {
		uint16_t len;

		memcpy(&len, copy + at + 6, sizeof(len));
		text[nr++] = (char)copy[at + len - 1];
		at += len;
	}
	text[nr] = '\0';
	return text;
}

static void test_flight__nothing_was_written(void **state)
{
	const struct ring ring = { 0 };

	(void)state;
	assert_string_equal(marks(&ring, 0), "");
}

static void test_flight__records_come_oldest_first(void **state)
{
	struct ring ring = { 0 };

	(void)state;
	put(&ring, 16, 'a');
	put(&ring, 32, 'b');
	put(&ring, 24, 'c');
	assert_string_equal(marks(&ring, 0), "abc");
}

static void test_flight__the_torn_one_is_left_out(void **state)
{
	struct ring ring = { 0 };

	(void)state;
	for (uint8_t mark = 'a'; mark <= 'z'; mark++)
		put(&ring, 40, mark);
	/* six records of 40 bytes fit in 256; the seventh has lost its end */
	assert_string_equal(marks(&ring, 0), "uvwxyz");
}

static void test_flight__a_full_ring_of_whole_records(void **state)
{
	struct ring ring = { 0 };

	(void)state;
	for (uint8_t mark = 'a'; mark <= 'z'; mark++)
		put(&ring, 32, mark);
	assert_string_equal(marks(&ring, 0), "stuvwxyz");
}

static void test_flight__what_was_copied_is_not_copied_again(void **state)
{
	struct ring ring = { 0 };
	uint64_t seen;

	(void)state;
	put(&ring, 40, 'a');
	put(&ring, 40, 'b');
	seen = ring.head;
	assert_string_equal(marks(&ring, seen), "");
	put(&ring, 24, 'c');
	put(&ring, 16, 'd');
	assert_string_equal(marks(&ring, seen), "cd");
	/* more than a ring since then */
	for (uint8_t mark = 'e'; mark <= 'z'; mark++)
		put(&ring, 64, mark);
	assert_string_equal(marks(&ring, seen), "wxyz");
}

static void test_flight__the_head_wraps(void **state)
{
	struct ring ring = { .head = 64 };

	(void)state;
	for (uint8_t mark = 'a'; mark <= 'f'; mark++)
		put(&ring, 40, mark);
	assert_true(ring.head > UINT64_MAX / 2);
	assert_string_equal(marks(&ring, 64), "abcdef");
}

static void test_flight__hostile_heads_and_records(void **state)
{
	struct ring ring = { 0 };

	(void)state;
	put(&ring, 16, 'a');
	put(&ring, 16, 'b');
	ring.head += 4; /* no place of a record */
	assert_string_equal(marks(&ring, 0), "");
	ring.head -= 4;
	ring.data[(ring.head + 6) % RING_LEN] = 17; /* no length of one */
	assert_string_equal(marks(&ring, 0), "");
	ring.data[(ring.head + 6) % RING_LEN] = 4;
	assert_string_equal(marks(&ring, 0), "");
	/* longer than what there is */
	ring.data[(ring.head + 6) % RING_LEN] = 48;
	assert_string_equal(marks(&ring, 0), "");
	ring.data[(ring.head + 7) % RING_LEN] = 0xff;
	assert_string_equal(marks(&ring, 0), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flight__nothing_was_written),
		cmocka_unit_test(test_flight__records_come_oldest_first),
		cmocka_unit_test(test_flight__the_torn_one_is_left_out),
		cmocka_unit_test(test_flight__a_full_ring_of_whole_records),
		cmocka_unit_test(
			test_flight__what_was_copied_is_not_copied_again),
		cmocka_unit_test(test_flight__the_head_wraps),
		cmocka_unit_test(test_flight__hostile_heads_and_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
