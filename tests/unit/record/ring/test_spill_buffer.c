#include "record/ring/spill_buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Take nr blocks and write to each; returns the last one. */
static struct rec_spill_buffer_block *
take_blocks(struct rec_spill_buffer *spill, size_t nr)
{
	struct rec_spill_buffer_block *block = NULL;

	while (nr--) {
		block = rec_spill_buffer_take(spill);
		block->data[0] = 'x';
	}
	return block;
}

/* Anonymous memory that was handed back reads as zeros. */
static void test_spill__hands_back_what_a_burst_took(void **state)
{
	struct rec_spill_buffer spill;
	struct rec_spill_buffer_block *last;

	(void)state;
	assert_int_equal(
		rec_spill_buffer_init(&spill, REC_SPILL_BUFFER_LEN_MIN), 0);
	last = take_blocks(&spill, 5);
	for (size_t i = 0; i < 4; i++)
		rec_spill_buffer_give(&spill, &spill.blocks[i]);
	rec_spill_buffer_trim(&spill); /* not while one is in use */
	assert_int_equal(last->data[0], 'x');
	rec_spill_buffer_give(&spill, last);
	assert_int_equal(last->data[0], 'x');
	rec_spill_buffer_trim(&spill);
	assert_int_equal(last->data[0], 0);
	rec_spill_buffer_release(&spill);
}

/* Records of each second find the pages of the second before. */
static void test_spill__keeps_the_pages_of_what_little_took(void **state)
{
	struct rec_spill_buffer spill;
	struct rec_spill_buffer_block *block;

	(void)state;
	assert_int_equal(
		rec_spill_buffer_init(&spill, REC_SPILL_BUFFER_LEN_MIN), 0);
	take_blocks(&spill, 5);
	for (size_t i = 0; i < 5; i++)
		rec_spill_buffer_give(&spill, &spill.blocks[i]);
	rec_spill_buffer_trim(&spill);
	block = rec_spill_buffer_take(&spill);
	assert_ptr_equal(block, &spill.blocks[0]); /* with its pages */
	assert_int_equal(block->data[0], 'x');
	rec_spill_buffer_give(&spill, block);
	rec_spill_buffer_trim(&spill);
	assert_int_equal(block->data[0], 'x');
	rec_spill_buffer_release(&spill);
}

static void test_spill__of_no_size_has_nothing(void **state)
{
	struct rec_spill_buffer spill;

	(void)state;
	assert_int_equal(rec_spill_buffer_init(&spill, 0), 0);
	assert_int_equal(rec_spill_buffer_level(&spill),
			 REC_SPILL_BUFFER_NOTHING);
	assert_null(rec_spill_buffer_take(&spill));
	rec_spill_buffer_trim(&spill);
	rec_spill_buffer_release(&spill);
}

static void test_spill__length_by_rings_and_memory(void **state)
{
	const uint64_t mib = 1 << 20, gib = 1 << 30;

	(void)state;
	assert_int_equal(
		rec_spill_buffer_len_default(64, 256 * gib, UINT64_MAX),
		96 * mib);
	assert_int_equal(rec_spill_buffer_len_default(2, 8 * gib, UINT64_MAX),
			 34 * mib);
	assert_int_equal(rec_spill_buffer_len_default(2, gib / 2, UINT64_MAX),
			 16 * mib);
	assert_int_equal(rec_spill_buffer_len_default(64, 256 * gib, 38 * mib),
			 8 * mib);
	assert_int_equal(rec_spill_buffer_len_default(2, 8 * gib, 0),
			 REC_SPILL_BUFFER_LEN_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spill__hands_back_what_a_burst_took),
		cmocka_unit_test(
			test_spill__keeps_the_pages_of_what_little_took),
		cmocka_unit_test(test_spill__of_no_size_has_nothing),
		cmocka_unit_test(test_spill__length_by_rings_and_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
