/* drain_schedule.h: when nobody is missed for a while. */
#include "record/recording/drain_schedule.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PAGE_LEN = 4096, LARGE_LEN = 256 * 1024, RING_NR = 2 };

static bool has_little(size_t ring_len, size_t in_last, bool has_long_stacks)
{
	static struct rec_drain_schedule s;
	static struct perf_event_mmap_page control[RING_NR];
	static struct rec_ring rings[RING_NR];
	static struct rec_ring_reader readers[RING_NR];

	for (size_t i = 0; i < RING_NR; i++) {
		rec_ring_init(&rings[i], &control[i], PAGE_LEN, ring_len);
		readers[i].ring = &rings[i];
	}
	control[RING_NR - 1].data_head = in_last;
	s.readers = readers;
	s.reader_nr = RING_NR;
	s.layouts.has_long_stacks = has_long_stacks;
	return rec_schedule_has_little(&s);
}

static void test_drain_schedule__a_ring_outlasts_calm(void **state)
{
	(void)state;
	assert_true(has_little(LARGE_LEN, 0, false));
	assert_true(has_little(LARGE_LEN, LARGE_LEN / 32, false));
	assert_false(has_little(LARGE_LEN, LARGE_LEN / 16, false));
	assert_false(has_little(LARGE_LEN / 2, 0, false));
	assert_false(has_little(LARGE_LEN, 0, true));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drain_schedule__a_ring_outlasts_calm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
