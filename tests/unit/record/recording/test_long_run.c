/* Two hours of a host where programs start and map files all the time, as
 * fast as they can be drained: no more memory at the end than at the start. */
#include "record/ring/drain_pool.h"
#include "record/recording/loss_table.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/file/layout.h"

enum {
	PAGE_LEN = 4096,
	RING_LEN = 1 << 16,
	RING_NR = 4,
	SECONDS = 2 * 3600,
	EXECS = 8, /* a second */
	MAPS = 12, /* of each */
	GROWTH_MAX = 512 * 1024,
};

static const struct rec_shape shape = { .sample_time_off = 16,
					.other_time_back = 8 };

struct fixture {
	char path[64];
	uint8_t *memory[RING_NR];
	struct rec_ring rings[RING_NR];
	struct rec_ring_reader feeds[RING_NR];
	struct rec_epoch epoch;
	struct rec_epoch_cursor cursor;
	struct rec_output out;
	struct rec_sink sink;
	struct rec_drain drain;
	uint64_t time_ns;
	uint32_t pid;
};

static int setup(void **state)
{
	struct pd_file_header header = { .version = 2, .attr_entry_len = 144 };
	struct fixture *f = calloc(1, sizeof(*f));
	struct pd_buf no_records = PD_BUF_INIT;
	struct pd_buf prefix = PD_BUF_INIT;

	strcpy(f->path, "/tmp/perfpair-long-XXXXXX");
	close(mkstemp(f->path));
	for (size_t i = 0; i < RING_NR; i++) {
		f->memory[i] =
			mmap(NULL, PAGE_LEN + RING_LEN, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(f->memory[i], MAP_FAILED);
		rec_ring_init(&f->rings[i], f->memory[i], PAGE_LEN, RING_LEN);
		rec_ring_reader_init(&f->feeds[i], &f->rings[i], (int)i);
	}
	assert_int_equal(rec_epoch_init(&f->epoch, f->feeds, RING_NR), 0);
	f->cursor.thread = 1;
	assert_int_equal(rec_output_open(&f->out, f->path, NULL), 0);
	assert_int_equal(
		rec_output_start(&f->out, &header, &prefix, &no_records), 0);
	assert_int_equal(rec_sink_init(&f->sink, &f->out), 0);
	assert_int_equal(rec_drain_init(&f->drain, &f->sink, &shape, 1), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rec_drain_release(&f->drain);
	rec_sink_release(&f->sink);
	rec_epoch_free(&f->epoch);
	for (size_t i = 0; i < RING_NR; i++) {
		rec_ring_reader_release(&f->feeds[i]);
		munmap(f->memory[i], PAGE_LEN + RING_LEN);
	}
	rec_output_close(&f->out, NULL);
	rec_output_release(&f->out);
	unlink(f->path);
	free(f);
	return 0;
}

static void put_word(struct fixture *f, size_t ring, uint64_t word)
{
	struct perf_event_mmap_page *page = f->rings[ring].control;

	memcpy(f->memory[ring] + PAGE_LEN + page->data_head % RING_LEN, &word,
	       8);
	page->data_head += 8;
}

static void put_record(struct fixture *f, size_t ring, uint32_t type,
		       uint64_t len)
{
	put_word(f, ring, type | len << 48);
	put_word(f, ring, f->pid | (uint64_t)f->pid << 32);
	for (uint64_t i = 3; i < len / 8; i++)
		put_word(f, ring, f->pid * i);
	put_word(f, ring, f->time_ns++);
}

static void one_second(struct fixture *f, unsigned second)
{
	for (unsigned i = 0; i < EXECS; i++) {
		size_t ring = (second + i) % RING_NR;

		f->pid++;
		put_record(f, ring, PD_RECORD_FORK, 48);
		put_record(f, ring, PD_RECORD_COMM, 48);
		for (unsigned k = 0; k < MAPS; k++)
			put_record(f, ring, PD_RECORD_MMAP2, 128);
		put_record(f, ring, PD_RECORD_EXIT, 48);
	}
	f->time_ns += 1000000000;
}

static void flush(struct fixture *f)
{
	struct rec_ring_reader *reader;

	assert_int_equal(rec_epoch_begin(&f->epoch, NULL), 0);
	rec_epoch_enter(&f->cursor);
	while ((reader = rec_epoch_take(&f->epoch, &f->cursor)))
		assert_int_equal(rec_drain_ring(&f->drain, reader, NULL), 0);
	assert_int_equal(rec_drain_flush(&f->drain), 0);
	assert_int_equal(rec_output_checkpoint(&f->out), 0);
	rec_epoch_release(&f->epoch, f->cursor.thread, REC_EPOCH_NO_FRAME);
}

static long resident_len(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long total, resident;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld %ld", &total, &resident), 2);
	fclose(file);
	return resident * sysconf(_SC_PAGESIZE);
}

static void test_long_run__memory_does_not_grow(void **state)
{
	struct fixture *f = *state;
	long early_len = 0, late_len;
	size_t nr;

	for (unsigned second = 0; second < SECONDS; second++) {
		one_second(f, second);
		flush(f);
		if (second == 600)
			early_len = resident_len();
	}
	late_len = resident_len();
	assert_true(late_len < early_len + GROWTH_MAX);
	assert_non_null(rec_frame_index_all(&f->sink.index, &nr));
	assert_int_equal(nr, SECONDS);
	assert_int_equal(f->sink.counts.plain_len,
			 (uint64_t)SECONDS * EXECS * (3 * 48 + MAPS * 128));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_long_run__memory_does_not_grow, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
