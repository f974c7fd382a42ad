#include "record/ring/drain_pool.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/base/limits.h"
#include "format/file/layout.h"
#include "format/records/zstd_decompress.h"

enum {
	PAGE_LEN = 4096,
	RING_MAX = 1024,
	MAIN_THREAD = 1,
	SAMPLE_LEN = 48,
	RING_OFF = 8,
	SEQ_OFF = 24,
};

struct host {
	size_t ring_nr;
	size_t ring_len;
	size_t thread_nr;
	int level;
	size_t few;  /* records of each ring: one thread is woken for them */
	size_t many; /* all are */
};
static const struct host small_host = { 6, 1 << 18, 3, 1, 20, 3000 };
static const struct host plain_host = { 6, 1 << 18, 3, 0, 20, 3000 };
static const struct host big_host = { RING_MAX, 4096, 16, 1, 2, 80 };

/* No times: a reader has nothing but the order in the file. */
static const struct rec_shape shape = { .sample_time_off = -1 };

struct fixture {
	const struct host *host;
	char path[64];
	uint8_t *memory[RING_MAX];
	struct rec_ring rings[RING_MAX];
	struct rec_ring_reader feeds[RING_MAX];
	uint64_t put_nr[RING_MAX]; /* records, of each ring */
	struct rec_epoch epoch;
	struct rec_thread_plan plan;
	struct rec_affinity affinity;
	struct rec_output out;
	struct rec_sink sink;
	struct rec_pool pool;
	unsigned round_nr;
};

static int end_round(void *ctx)
{
	struct fixture *f = ctx;

	f->round_nr++;
	return rec_output_checkpoint(&f->out);
}

static int setup_host(void **state, const struct host *host)
{
	struct pd_file_header header = { .version = 2, .attr_entry_len = 144 };
	struct fixture *f = calloc(1, sizeof(*f));
	struct pd_buf no_records = PD_BUF_INIT;
	struct pd_buf prefix = PD_BUF_INIT;
	struct rec_pool_conf conf = { .plan = &f->plan,
				      .affinity = &f->affinity,
				      .epoch = &f->epoch,
				      .sink = &f->sink,
				      .shape = shape,
				      .level = host->level,
				      .end_round = end_round,
				      .ctx = f };

	f->host = host;
	strcpy(f->path, "/tmp/perfpair-pool-XXXXXX");
	close(mkstemp(f->path));
	for (size_t i = 0; i < f->host->ring_nr; i++) {
		f->memory[i] =
			aligned_alloc(PAGE_LEN, PAGE_LEN + host->ring_len);
		memset(f->memory[i], 0, PAGE_LEN + host->ring_len);
		rec_ring_init(&f->rings[i], f->memory[i], PAGE_LEN,
			      host->ring_len);
		rec_ring_reader_init(&f->feeds[i], &f->rings[i], (int)i);
	}
	f->plan.thread_nr = host->thread_nr;
	assert_int_equal(rec_epoch_init(&f->epoch, f->feeds, host->ring_nr), 0);
	assert_int_equal(rec_output_open(&f->out, f->path, NULL), 0);
	assert_int_equal(
		rec_output_start(&f->out, &header, &prefix, &no_records), 0);
	assert_int_equal(rec_sink_init(&f->sink, &f->out), 0);
	assert_int_equal(rec_pool_init(&f->pool, &conf, NULL), 0);
	*state = f;
	return 0;
}

static int setup(void **state)
{
	return setup_host(state, &small_host);
}

static int setup_plain(void **state)
{
	return setup_host(state, &plain_host);
}

static int setup_big(void **state)
{
	return setup_host(state, &big_host);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rec_pool_release(&f->pool);
	rec_epoch_free(&f->epoch);
	rec_sink_release(&f->sink);
	rec_output_close(&f->out, NULL);
	rec_output_release(&f->out);
	for (size_t i = 0; i < f->host->ring_nr; i++) {
		rec_ring_reader_release(&f->feeds[i]);
		free(f->memory[i]);
	}
	unlink(f->path);
	free(f);
	return 0;
}

/* Samples that say their ring and their number in it. */
static void put_samples(struct fixture *f, size_t ring, size_t nr)
{
	struct perf_event_mmap_page *page = f->rings[ring].control;
	uint8_t *data = f->memory[ring] + PAGE_LEN;

	for (; nr; nr--) {
		uint64_t words[SAMPLE_LEN / 8] = {
			PD_RECORD_SAMPLE | (uint64_t)SAMPLE_LEN << 48,
			[RING_OFF / 8] = ring,
			[SEQ_OFF / 8] = f->put_nr[ring]++,
		};

		for (size_t i = 0; i < SAMPLE_LEN / 8; i++) {
			memcpy(data + page->data_head % f->host->ring_len,
			       &words[i], 8);
			page->data_head += 8;
		}
	}
}

/* As the recorder's main thread does it, which has drained nothing itself. */
static void drain(struct fixture *f, size_t nr, bool flush)
{
	for (size_t i = 0; i < f->host->ring_nr; i++)
		put_samples(f, i, nr);
	assert_int_equal(rec_epoch_begin(&f->epoch, NULL), 0);
	rec_epoch_release(&f->epoch, MAIN_THREAD, REC_EPOCH_NO_FRAME);
	assert_int_equal(rec_pool_run(&f->pool, flush, NULL), 0);
	assert_int_equal(rec_pool_wait(&f->pool), 0);
	for (size_t i = 0; i < f->host->ring_nr; i++)
		assert_int_equal(rec_ring_left(&f->rings[i]), 0);
}

/* The next one of its ring, in the order of the file. */
static void check_sample(const struct pd_record *rec, uint64_t *next)
{
	uint64_t ring, seq;

	assert_int_equal(rec->type, PD_RECORD_SAMPLE);
	memcpy(&ring, rec->data + RING_OFF, 8);
	memcpy(&seq, rec->data + SEQ_OFF, 8);
	assert_in_range(ring, 0, RING_MAX - 1);
	assert_int_equal(seq, next[ring]);
	next[ring]++;
}

static void check_packed(struct pd_zstd_decompress *z,
			 const struct pd_record *outer, size_t at,
			 uint64_t *next)
{
	struct pd_zstd_decompress_skip skip;
	struct pd_record rec;

	pd_zstd_decompress_feed(z, outer->data + 8, outer->len - 8u, at);
	while (pd_zstd_decompress_next(z, false, &rec, &skip, NULL) > 0)
		check_sample(&rec, next);
}

/* Each ring's samples stand in the file in their own order, without a gap; next
 * gets how many. */
static void read_file(struct fixture *f, uint64_t *next)
{
	const struct pd_zstd_decompress_limits limits = { PD_LIMIT_ZSTD_RATIO,
							  PD_LIMIT_WINDOW_LEN };
	struct pd_zstd_decompress *z = pd_zstd_decompress_new(&limits);
	size_t len = (size_t)(f->out.len - f->out.data_off), at = 0;
	uint8_t *data = malloc(len + 1);
	int fd = open(f->path, O_RDONLY);

	assert_int_equal(pread(fd, data, len, (off_t)f->out.data_off), len);
	close(fd);
	while (at < len) {
		struct pd_record rec;

		assert_int_equal(pd_record_read(data + at, len - at, at, false,
						&rec, NULL),
				 0);
		if (rec.type == PD_RECORD_COMPRESSED)
			check_packed(z, &rec, at, next);
		else
			check_sample(&rec, next);
		at += rec.len;
	}
	pd_zstd_decompress_free(z);
	free(data);
}

/* All that was put stands in the file. */
static void check_file(struct fixture *f)
{
	uint64_t next[RING_MAX] = { 0 };

	read_file(f, next);
	for (size_t i = 0; i < f->host->ring_nr; i++)
		assert_int_equal(next[i], f->put_nr[i]);
}

static void test_drain_pool__rings_stay_in_order_over_runs(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 1; i <= 120; i++)
		drain(f, i % 2 ? f->host->few : f->host->many, i % 20 == 0);
	assert_int_equal(f->round_nr, 6);
	check_file(f);
}

static void test_drain_pool__a_host_of_1024_cpus(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 1; i <= 12; i++)
		drain(f, i % 2 ? f->host->few : f->host->many, i % 4 == 0);
	assert_int_equal(f->round_nr, 3);
	assert_int_equal(f->put_nr[RING_MAX - 1], 6 * (2 + 80));
	check_file(f);
}

static void test_drain_pool__what_is_in_the_file_is_for_anybody(void **state)
{
	struct fixture *f = *state;

	drain(f, f->host->few, false);
	assert_int_equal(rec_epoch_is_kept(&f->epoch, MAIN_THREAD),
			 f->pool.conf.level > 0);
	drain(f, 0, true);
	assert_false(rec_epoch_is_kept(&f->epoch, MAIN_THREAD));
	assert_int_equal(f->round_nr, 1);
	check_file(f);
}

static void test_drain_pool__threads_share_the_room_for_samples(void **state)
{
	enum { ROOM = 25001 };
	struct fixture *f = *state;
	uint64_t next[RING_MAX] = { 0 };
	size_t nr = 0;

	f->sink.sample_room = ROOM;
	for (unsigned i = 1; i <= 4; i++)
		drain(f, f->host->many, i % 2 == 0);
	read_file(f, next);
	for (size_t i = 0; i < f->host->ring_nr; i++)
		nr += next[i];
	assert_int_equal(nr, ROOM);
	assert_int_equal(f->sink.counts.sample_nr, ROOM);
}

#define POOL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define PLAIN_TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_plain, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		POOL_TEST(test_drain_pool__rings_stay_in_order_over_runs),
		PLAIN_TEST(test_drain_pool__rings_stay_in_order_over_runs),
		POOL_TEST(test_drain_pool__threads_share_the_room_for_samples),
		PLAIN_TEST(test_drain_pool__threads_share_the_room_for_samples),
		POOL_TEST(test_drain_pool__what_is_in_the_file_is_for_anybody),
		PLAIN_TEST(test_drain_pool__what_is_in_the_file_is_for_anybody),
		cmocka_unit_test_setup_teardown(
			test_drain_pool__a_host_of_1024_cpus, setup_big,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
