#include "record/ring/frame_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

static struct pd_trailer_frame packed(uint64_t nr)
{
	return (struct pd_trailer_frame){ .file_off = 100 * nr,
					  .file_len = 90,
					  .plain_len = 4096,
					  .plain_hash = nr + 1,
					  .record_nr = 3,
					  .cpu = 1 };
}

static struct pd_trailer_frame plain(uint64_t off, uint64_t len, uint32_t cpu)
{
	return (struct pd_trailer_frame){ .file_off = off,
					  .file_len = len,
					  .plain_len = len,
					  .record_nr = 1,
					  .time_lo_ns = off,
					  .time_hi_ns = off + 1,
					  .cpu = cpu };
}

static void keep_many(const char *path, uint64_t nr, bool has_file)
{
	struct rec_frame_index index;
	const struct pd_trailer_frame *all;
	size_t all_nr;

	assert_int_equal(rec_frame_index_init(&index, path), 0);
	for (uint64_t i = 0; i < nr; i++) {
		const struct pd_trailer_frame frame = packed(i);

		rec_frame_index_add(&index, &frame);
	}
	if (has_file)
		assert_int_equal(index.held_cap, REC_FRAMES_HELD);
	else
		assert_true(index.held_cap >= nr);
	all = rec_frame_index_all(&index, &all_nr);
	assert_int_equal(all_nr, nr);
	for (uint64_t i = 0; i < nr; i++) {
		const struct pd_trailer_frame frame = packed(i);

		/* not byte by byte: the struct has padding */
		assert_int_equal(all[i].file_off, frame.file_off);
		assert_int_equal(all[i].file_len, frame.file_len);
		assert_int_equal(all[i].plain_len, frame.plain_len);
		assert_int_equal(all[i].plain_hash, frame.plain_hash);
		assert_int_equal(all[i].record_nr, frame.record_nr);
		assert_int_equal(all[i].time_lo_ns, frame.time_lo_ns);
		assert_int_equal(all[i].time_hi_ns, frame.time_hi_ns);
		assert_int_equal(all[i].cpu, frame.cpu);
	}
	rec_frame_index_release(&index);
}

static void test_frame_index__keeps_all_in_order(void **state)
{
	(void)state;
	keep_many("/tmp/perf.data", 10, true);
	keep_many("/tmp/perf.data", 4 * REC_FRAMES_HELD + 5, true);
	keep_many(NULL, 4 * REC_FRAMES_HELD + 5, false);
}

static void test_frame_index__without_a_folder_stays_in_memory(void **state)
{
	(void)state;
	keep_many("/proc/self/none", 2 * REC_FRAMES_HELD, false);
}

static void test_frame_index__plain_runs_are_one_up_to_a_frame(void **state)
{
	struct rec_frame_index index;
	struct pd_trailer_frame frames[] = {
		plain(0, 600000, 1),
		plain(600000, 400000, 2),
		plain(1000000, 400000, 2),
		plain(1500000, 8, 2),
	};
	const struct pd_trailer_frame *all;
	uint8_t bytes[4][8] = { "the firs", "t run, i", "another ",
				"one     " };
	size_t nr;

	(void)state;
	frames[0].sample_nr = 1;
	frames[1].has_sideband = true;
	assert_int_equal(rec_frame_index_init(&index, NULL), 0);
	for (size_t i = 0; i < 4; i++)
		rec_frame_index_add_plain(&index, &frames[i],
					  &(struct iovec){ bytes[i], 8 }, 1,
					  MIB);
	all = rec_frame_index_all(&index, &nr);
	assert_int_equal(nr, 3);
	assert_int_equal(all[0].file_len, 1000000);
	assert_int_equal(all[0].plain_len, 1000000);
	assert_int_equal(all[0].record_nr, 2);
	assert_int_equal(all[0].time_lo_ns, 0);
	assert_int_equal(all[0].time_hi_ns, 600001);
	assert_int_equal(all[0].cpu, PD_TRAILER_ANY_CPU);
	assert_true(all[0].has_sideband);
	assert_int_equal(all[0].sample_nr, 1);
	assert_true(all[0].is_plain);
	assert_int_equal(all[0].plain_hash, pd_hash_of(bytes, 16));
	assert_int_equal(all[1].plain_hash, pd_hash_of(bytes[2], 8));
	assert_int_equal(all[1].file_off, 1000000); /* would be too long */
	assert_int_equal(all[2].file_off, 1500000); /* behind a marker */
	rec_frame_index_release(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_index__keeps_all_in_order),
		cmocka_unit_test(
			test_frame_index__without_a_folder_stays_in_memory),
		cmocka_unit_test(
			test_frame_index__plain_runs_are_one_up_to_a_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
