#include "record/ring/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/base/limits.h"
#include "format/file/layout.h"
#include "format/records/zstd_decompress.h"

enum {
	PAGE_LEN = 4096,
	RING_LEN = 1 << 21,
	SAMPLE_LEN = 48,
	TIME_OFF = 16,
};

/* Samples are numbered by their time; other records end in their time. */
static const struct rec_shape shape = { .sample_time_off = TIME_OFF,
					.other_time_back = 8 };

struct fixture {
	char path[64];
	uint8_t *memory;
	struct rec_ring ring;
	struct rec_ring_reader reader;
	struct rec_output out;
	struct rec_sink sink;
	struct rec_drain drain;
	uint64_t time_ns;
};

static int setup_level(void **state, int level)
{
	struct pd_file_header header = { .version = 2, .attr_entry_len = 144 };
	struct fixture *f = calloc(1, sizeof(*f));
	struct pd_buf no_records = PD_BUF_INIT;
	struct pd_buf prefix = PD_BUF_INIT;

	strcpy(f->path, "/tmp/perfpair-drain-XXXXXX");
	close(mkstemp(f->path));
	f->memory = aligned_alloc(PAGE_LEN, PAGE_LEN + RING_LEN);
	memset(f->memory, 0, PAGE_LEN + RING_LEN);
	rec_ring_init(&f->ring, f->memory, PAGE_LEN, RING_LEN);
	rec_ring_reader_init(&f->reader, &f->ring, 3);
	f->time_ns = 1000;
	assert_int_equal(rec_output_open(&f->out, f->path, NULL), 0);
	assert_int_equal(
		rec_output_start(&f->out, &header, &prefix, &no_records), 0);
	assert_int_equal(rec_sink_init(&f->sink, &f->out), 0);
	assert_int_equal(rec_drain_init(&f->drain, &f->sink, &shape, level), 0);
	*state = f;
	return 0;
}

static int setup(void **state)
{
	return setup_level(state, 1);
}

static int setup_slow(void **state)
{
	return setup_level(state, 19);
}

static int setup_plain(void **state)
{
	return setup_level(state, 0);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rec_drain_release(&f->drain);
	rec_ring_reader_release(&f->reader);
	rec_sink_release(&f->sink);
	rec_output_close(&f->out, NULL);
	rec_output_release(&f->out);
	unlink(f->path);
	free(f->memory);
	free(f);
	return 0;
}

/* What the kernel does: writes a word at its head, over the wrap. */
static void put_word(struct fixture *f, uint64_t word)
{
	struct perf_event_mmap_page *page = f->ring.control;

	memcpy(f->memory + PAGE_LEN + page->data_head % RING_LEN, &word, 8);
	page->data_head += 8;
}

static void put_record(struct fixture *f, uint32_t type, size_t len)
{
	uint64_t last = len / 8 - 1;

	put_word(f, type | (uint64_t)len << 48);
	for (uint64_t i = 1; i <= last; i++) {
		bool is_time = type == PD_RECORD_SAMPLE ? i == TIME_OFF / 8
							: i == last;

		put_word(f, is_time ? f->time_ns : i);
	}
	f->time_ns++;
}

static void put_samples(struct fixture *f, size_t nr)
{
	while (nr--)
		put_record(f, PD_RECORD_SAMPLE, SAMPLE_LEN);
}

static int drain(struct fixture *f, struct pd_err *err)
{
	size_t len;

	assert_int_equal(rec_ring_reader_begin(&f->reader, &len, err), 0);
	return rec_drain_ring(&f->drain, &f->reader, err);
}

static uint8_t *data_section(struct fixture *f, size_t *ret_len)
{
	size_t len = (size_t)(f->out.len - f->out.data_off);
	uint8_t *data = malloc(len + 1);
	int fd = open(f->path, O_RDONLY);

	assert_int_equal(pread(fd, data, len, (off_t)f->out.data_off), len);
	close(fd);
	*ret_len = len;
	return data;
}

/* Counts the records of all frames in the file; each sample's time is one
 * more than that before it. */
static size_t count_packed_samples(struct fixture *f)
{
	const struct pd_zstd_decompress_limits limits = { PD_LIMIT_ZSTD_RATIO,
							  PD_LIMIT_WINDOW_LEN };
	struct pd_zstd_decompress *z = pd_zstd_decompress_new(&limits);
	struct pd_zstd_decompress_skip skip;
	uint64_t want_ns = 1000;
	size_t len, at = 0, nr = 0;
	uint8_t *data = data_section(f, &len);

	while (at < len) {
		struct pd_record outer, rec;

		assert_int_equal(pd_record_read(data + at, len - at, at, false,
						&outer, NULL),
				 0);
		assert_int_equal(outer.type, PD_RECORD_COMPRESSED);
		pd_zstd_decompress_feed(z, data + at + 8, outer.len - 8u, at);
		while (pd_zstd_decompress_next(z, false, &rec, &skip, NULL) >
		       0) {
			uint64_t time_ns;

			if (rec.type == PD_RECORD_SAMPLE) {
				memcpy(&time_ns, rec.data + TIME_OFF, 8);
				assert_int_equal(time_ns, want_ns);
			}
			want_ns++;
			nr += rec.type == PD_RECORD_SAMPLE;
		}
		at += outer.len;
	}
	pd_zstd_decompress_free(z);
	free(data);
	return nr;
}

static void test_drain__a_frame_describes_its_records(void **state)
{
	struct fixture *f = *state;
	const struct pd_trailer_frame *frame = f->sink.index.held;

	put_samples(f, 10);
	assert_int_equal(drain(f, NULL), 0);
	assert_int_equal(f->sink.index.held_nr, 0);
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_int_equal(f->sink.index.held_nr, 1);
	assert_int_equal(frame->record_nr, 10);
	assert_int_equal(frame->plain_len, 10 * SAMPLE_LEN);
	assert_int_equal(frame->time_lo_ns, 1000);
	assert_int_equal(frame->time_hi_ns, 1009);
	assert_int_equal(frame->cpu, 3);
	assert_false(frame->has_sideband);
	assert_int_equal(frame->file_off, f->out.data_off);
	assert_int_equal(frame->file_len, f->out.len - f->out.data_off);
	assert_int_equal(f->sink.counts.sample_nr, 10);
	assert_int_equal(count_packed_samples(f), 10);
	assert_int_equal(f->ring.control->data_tail, 10 * SAMPLE_LEN);
}

static void test_drain__a_frame_ends_at_a_record_once_it_is_long(void **state)
{
	struct fixture *f = *state;
	size_t nr = REC_FRAME_LEN / SAMPLE_LEN + 1; /* the first past it */

	put_samples(f, nr + 5);
	assert_int_equal(drain(f, NULL), 0);
	assert_int_equal(f->sink.index.held_nr, 1);
	assert_int_equal(f->sink.index.held[0].record_nr, nr);
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_int_equal(f->sink.index.held_nr, 2);
	assert_int_equal(f->sink.index.held[1].record_nr, 5);
	assert_int_equal(count_packed_samples(f), nr + 5);
}

static void test_drain__records_over_the_wrap_stay_whole(void **state)
{
	struct fixture *f = *state;
	size_t nr = 0;

	/* RING_LEN is no multiple of SAMPLE_LEN: records cross the wrap. */
	for (size_t round = 0; round < 12; round++) {
		put_samples(f, 9000);
		nr += 9000;
		assert_int_equal(drain(f, NULL), 0);
	}
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_true(f->ring.tail > 2 * RING_LEN);
	assert_int_equal(count_packed_samples(f), nr);
}

static void test_drain__sideband_and_losses_are_counted(void **state)
{
	struct fixture *f = *state;

	put_record(f, PD_RECORD_COMM, 40);
	/* LOST: id at 8, count at 16; put_record() writes the word's index */
	put_record(f, PD_RECORD_LOST, 32);
	put_record(f, PD_RECORD_THROTTLE, 40);
	assert_int_equal(drain(f, NULL), 0);
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_true(f->sink.index.held[0].has_sideband);
	assert_int_equal(f->sink.index.held[0].time_lo_ns, 1000);
	assert_int_equal(f->sink.index.held[0].time_hi_ns, 1002);
	assert_int_equal(f->sink.counts.lost_nr, 2);
	assert_int_equal(f->sink.counts.throttle_nr, 1);
	assert_int_equal(f->sink.counts.sample_nr, 0);
}

/* What is in no frame of the file yet is foreseen at the ratio so far. */
static void test_drain__the_length_of_the_file_is_foreseen(void **state)
{
	struct fixture *f = *state;
	uint64_t ended_len;
	double ratio;

	put_samples(f, 1000);
	assert_int_equal(drain(f, NULL), 0);
	assert_int_equal(rec_sink_expect_len(&f->sink, 0),
			 f->out.data_off + 1000 * SAMPLE_LEN);
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	ended_len = f->out.len;
	ratio = (double)(ended_len - f->out.data_off) / (1000 * SAMPLE_LEN);
	assert_true(ratio < 0.5);
	assert_int_equal(rec_sink_expect_len(&f->sink, 0), ended_len);
	put_samples(f, 500);
	assert_int_equal(drain(f, NULL), 0);
	assert_int_equal(f->out.len, ended_len);
	assert_int_equal(rec_sink_expect_len(&f->sink, 700 * SAMPLE_LEN),
			 ended_len +
				 (uint64_t)(ratio * (500 + 700) * SAMPLE_LEN));
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_int_equal(rec_sink_expect_len(&f->sink, 0), f->out.len);
}

static void test_drain__a_record_that_cannot_be_ends_the_epoch(void **state)
{
	static const uint16_t lens[] = { 0, 4, 12, 65528 };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		struct pd_err err = PD_ERR_INIT;

		put_samples(f, 1);
		put_word(f, PD_RECORD_SAMPLE | (uint64_t)lens[i] << 48);
		assert_int_equal(drain(f, &err), -EBADMSG);
		assert_int_equal(rec_ring_left(&f->ring), 0);
	}
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_int_equal(count_packed_samples(f), 4);
}

static void test_drain__times_that_vary_are_any_time(void **state)
{
	struct fixture *f = *state;

	f->drain.shape.sample_times_vary = true;
	put_samples(f, 1);
	put_record(f, PD_RECORD_COMM, 40);
	assert_int_equal(drain(f, NULL), 0);
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_int_equal(f->sink.index.held[0].time_lo_ns, 0);
	assert_int_equal(f->sink.index.held[0].time_hi_ns, UINT64_MAX);
}

static void test_drain__an_empty_flush_writes_nothing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_int_equal(f->sink.index.held_nr, 0);
	assert_int_equal(f->out.len, f->out.data_off);
}

static void
test_drain__what_is_synced_is_there_and_the_frame_goes_on(void **state)
{
	struct fixture *f = *state;
	const struct pd_trailer_frame *frame = f->sink.index.held;
	uint64_t synced_len;

	put_samples(f, 10);
	assert_int_equal(drain(f, NULL), 0);
	assert_int_equal(rec_drain_sync(&f->drain), 0);
	assert_int_equal(count_packed_samples(f), 10);
	assert_int_equal(f->sink.counts.sample_nr, 10);
	assert_int_equal(f->sink.index.held_nr, 0);
	synced_len = f->out.len;
	assert_int_equal(rec_drain_sync(&f->drain), 0);
	assert_int_equal(f->out.len, synced_len);
	put_samples(f, 10);
	assert_int_equal(drain(f, NULL), 0);
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_int_equal(f->sink.index.held_nr, 1);
	assert_int_equal(frame->record_nr, 20);
	assert_int_equal(frame->plain_len, 20 * SAMPLE_LEN);
	assert_int_equal(frame->file_off, f->out.data_off);
	assert_int_equal(frame->file_len, f->out.len - f->out.data_off);
	assert_int_equal(count_packed_samples(f), 20);
}

/* It ends with a record of its own, which has to hold something. */
static void test_drain__a_synced_frame_is_ended_without_more(void **state)
{
	struct fixture *f = *state;
	const struct pd_trailer_frame *frame = f->sink.index.held;

	put_samples(f, 10);
	assert_int_equal(drain(f, NULL), 0);
	assert_int_equal(rec_drain_sync(&f->drain), 0);
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_int_equal(f->sink.index.held_nr, 1);
	assert_int_equal(frame->record_nr, 11);
	assert_int_equal(frame->plain_len, 10 * SAMPLE_LEN + 8);
	assert_true(frame->has_sideband);
	assert_int_equal(f->sink.counts.sample_nr, 10);
	assert_int_equal(count_packed_samples(f), 10);
}

static void test_drain__plain_records_are_unchanged(void **state)
{
	struct fixture *f = *state;
	size_t len;
	uint8_t *data;

	put_samples(f, 4);
	assert_int_equal(drain(f, NULL), 0);
	data = data_section(f, &len);
	assert_int_equal(len, 4 * SAMPLE_LEN);
	assert_memory_equal(data, f->memory + PAGE_LEN, len);
	assert_int_equal(f->sink.index.held_nr, 1);
	assert_int_equal(f->sink.index.held[0].plain_len, len);
	free(data);
}

/* Two COMMs beside the five samples that there is room for. */
static void drain_seven_with_room_for_five(struct fixture *f)
{
	f->sink.sample_room = 5;
	put_samples(f, 3);
	put_record(f, PD_RECORD_COMM, 40);
	assert_int_equal(drain(f, NULL), 0);
	assert_int_equal(f->sink.sample_room, 2);
	put_samples(f, 4);
	put_record(f, PD_RECORD_COMM, 40);
	assert_int_equal(drain(f, NULL), 0);
	put_samples(f, 2);
	assert_int_equal(drain(f, NULL), 0);
	assert_int_equal(f->sink.sample_room, 0);
	assert_int_equal(rec_ring_left(&f->ring), 0);
	assert_int_equal(f->ring.control->data_tail, 9 * SAMPLE_LEN + 2 * 40);
}

static void test_drain__samples_beyond_the_room_are_left_out(void **state)
{
	struct fixture *f = *state;
	const struct pd_trailer_frame *frame = f->sink.index.held;

	drain_seven_with_room_for_five(f);
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_int_equal(f->sink.counts.sample_nr, 5);
	assert_int_equal(f->sink.counts.lost_nr, 0);
	assert_int_equal(f->sink.counts.time_hi_ns, 1005);
	assert_int_equal(frame->sample_nr, 5);
	assert_int_equal(frame->record_nr, 7);
	assert_int_equal(count_packed_samples(f), 5);
}

static void test_drain__plain_samples_are_left_out_too(void **state)
{
	struct fixture *f = *state;
	size_t len;

	drain_seven_with_room_for_five(f);
	free(data_section(f, &len));
	assert_int_equal(len, 5 * SAMPLE_LEN + 2 * 40);
	assert_int_equal(f->sink.counts.sample_nr, 5);
}

static void test_drain__records_of_other_memory_go_the_same_way(void **state)
{
	struct fixture *f = *state;

	put_samples(f, 7);
	assert_int_equal(rec_drain_records(&f->drain, f->memory + PAGE_LEN,
					   7 * SAMPLE_LEN, NULL),
			 0);
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_int_equal(count_packed_samples(f), 7);
	assert_int_equal(f->sink.index.held[0].cpu, PD_TRAILER_ANY_CPU);
}

/* Each in frames of its own. */
static void test_drain__what_is_late_is_packed_at_level_1(void **state)
{
	struct fixture *f = *state;

	put_samples(f, 10);
	assert_int_equal(drain(f, NULL), 0);
	f->drain.late_ns = 0;
	put_samples(f, 20);
	assert_int_equal(drain(f, NULL), 0);
	assert_int_equal(f->sink.index.held_nr, 1);
	assert_int_equal(f->sink.late_len, 0);
	f->drain.late_ns = UINT64_MAX;
	put_samples(f, 5);
	assert_int_equal(drain(f, NULL), 0);
	assert_int_equal(f->sink.index.held_nr, 2);
	assert_int_equal(f->sink.index.held[1].record_nr, 20);
	assert_int_equal(f->sink.late_len, 20 * SAMPLE_LEN);
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_int_equal(f->sink.index.held_nr, 3);
	assert_int_equal(f->sink.late_len, 20 * SAMPLE_LEN);
	assert_int_equal(count_packed_samples(f), 35);
}

#define DRAIN_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DRAIN_TEST(test_drain__a_frame_describes_its_records),
		DRAIN_TEST(
			test_drain__a_frame_ends_at_a_record_once_it_is_long),
		DRAIN_TEST(test_drain__records_over_the_wrap_stay_whole),
		DRAIN_TEST(test_drain__sideband_and_losses_are_counted),
		DRAIN_TEST(test_drain__the_length_of_the_file_is_foreseen),
		DRAIN_TEST(test_drain__a_record_that_cannot_be_ends_the_epoch),
		DRAIN_TEST(test_drain__times_that_vary_are_any_time),
		DRAIN_TEST(test_drain__an_empty_flush_writes_nothing),
		DRAIN_TEST(
			test_drain__what_is_synced_is_there_and_the_frame_goes_on),
		DRAIN_TEST(test_drain__a_synced_frame_is_ended_without_more),
		cmocka_unit_test_setup_teardown(
			test_drain__what_is_late_is_packed_at_level_1,
			setup_slow, teardown),
		cmocka_unit_test_setup_teardown(
			test_drain__plain_records_are_unchanged, setup_plain,
			teardown),
		DRAIN_TEST(test_drain__samples_beyond_the_room_are_left_out),
		cmocka_unit_test_setup_teardown(
			test_drain__plain_samples_are_left_out_too, setup_plain,
			teardown),
		DRAIN_TEST(test_drain__records_of_other_memory_go_the_same_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
