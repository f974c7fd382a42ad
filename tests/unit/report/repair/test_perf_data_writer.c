#include "report/repair/perf_data_writer.h"

#include "format/file/feature.h"
#include "format/reader/reader.h"
#include "report/input/file_source.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { SAMPLE_NR = 200000, SAMPLE_LEN = 24 };

static char path[64];

static int set_up(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/test_perf_file.%d", (int)getpid());
	unlink(path);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static const struct pd_attr attr = {
	.type = PD_TYPE_SOFTWARE,
	.attr_len = PD_ATTR_LEN_VER7,
	.sample_type = PD_SAMPLE_IP | PD_SAMPLE_TIME,
};

static void begin(struct rpt_perf_data_writer *file, bool swap, int level)
{
	struct pd_event_set events = { .nr = 0 };

	assert_int_equal(pd_event_set_add(&events, &attr, NULL, NULL), 0);
	assert_int_equal(pd_event_set_add_id(&events, 0, 77), 0);
	assert_int_equal(rpt_perf_data_writer_open(file, path, false, NULL), 0);
	rpt_perf_data_writer_begin(file, &events, attr.attr_len, swap, level);
	pd_event_set_release(&events);
}

static void put_record(struct rpt_perf_data_writer *file, uint32_t type,
		       const uint64_t *words, size_t nr, const char *behind)
{
	struct pd_buf b = { .swap = file->swap };
	size_t start = pd_record_begin(&b, type, 0);

	for (size_t i = 0; i < nr; i++)
		pd_buf_u64(&b, words[i]);
	pd_record_end(&b, start);
	rpt_perf_data_writer_record(file,
				    &(struct rpt_written){
					    .type = type,
					    .data = b.data,
					    .len = b.len,
					    .behind = (const uint8_t *)behind,
					    .behind_len = strlen(behind),
					    .time_ns = nr == 2 ? words[1] : 0,
				    });
	pd_buf_release(&b);
}

static void put_samples(struct rpt_perf_data_writer *file)
{
	for (uint64_t i = 0; i < SAMPLE_NR; i++) {
		uint64_t words[] = { 0x401000, 100 + i };

		put_record(file, PD_RECORD_SAMPLE, words, 2, "");
		if (i % 1000 == 0)
			rpt_perf_data_writer_round(file);
	}
}

static void put_trace(struct rpt_perf_data_writer *file)
{
	const uint64_t words[] = { 8, 0, 0, 0, 0 };

	put_record(file, PD_RECORD_AUXTRACE, words, 5, "eight...");
}

/* Samples seen, one after the other; trace records in *ret_trace_off. */
static unsigned walk(struct pd_reader *r, uint64_t *ret_trace_off)
{
	struct pd_records it;
	struct pd_record rec;
	unsigned nr = 0;

	pd_records_init(&it, r, pd_reader_data(r));
	while (pd_records_next(&it, &rec, NULL) > 0) {
		if (rec.type == PD_RECORD_SAMPLE)
			assert_int_equal(
				pd_event_set_time_of(pd_reader_events(r), &rec),
				100 + nr++);
		if (rec.type == PD_RECORD_AUXTRACE)
			*ret_trace_off = rec.file_off;
	}
	assert_int_equal(it.damage.skipped_nr, 0);
	pd_records_release(&it);
	return nr;
}

static void read_back(bool swap, bool is_compressed)
{
	uint64_t trace_off = 0, frame_len = 0;
	const struct pd_trailer *t;
	struct rpt_file_source src;
	struct pd_reader *r;
	struct pd_cursor c;

	assert_int_equal(rpt_file_source_open(&src, path, NULL), 0);
	assert_int_equal(pd_reader_open(&r, src.base, src.len, NULL, NULL), 0);
	assert_int_equal(pd_reader_header(r)->swap, swap);
	assert_int_equal(pd_reader_events(r)->events[0].ids[0], 77);
	assert_int_equal(walk(r, &trace_off), SAMPLE_NR);
	assert_int_equal(pd_reader_damage(r)->skipped_nr, 0);
	assert_true(pd_reader_feature(r, PD_FEATURE_AUXTRACE, &c));
	assert_int_equal(pd_cursor_u64(&c), 1);
	assert_int_equal(pd_cursor_u64(&c), trace_off);
	assert_int_equal(pd_cursor_u64(&c), 48);
	t = pd_reader_trailer(r);
	assert_non_null(t);
	assert_true(t->has_sums);
	assert_int_equal(pd_reader_check_rest(r), 0);
	for (size_t i = 0; i < t->frame_nr; i++) {
		assert_int_equal(t->frames[i].is_plain, !is_compressed);
		assert_false(t->frames[i].has_sideband);
		frame_len += t->frames[i].plain_len;
	}
	assert_int_equal(frame_len, SAMPLE_NR * SAMPLE_LEN);
	pd_reader_close(r);
	rpt_file_source_close(&src);
}

static void test_perf_file__reader_reads_what_was_written(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct rpt_perf_data_writer file;
		struct stat st;

		begin(&file, i & 1, i / 2);
		put_samples(&file);
		put_trace(&file);
		assert_int_equal(access(path, F_OK), -1);
		assert_int_equal(rpt_perf_data_writer_finish(&file, NULL), 0);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0600);
		assert_int_equal(st.st_size, file.len);
		rpt_perf_data_writer_release(&file);
		read_back(i & 1, i / 2);
		unlink(path);
	}
}

static void test_perf_file__what_is_there_stays(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_perf_data_writer file;
	FILE *other;

	(void)state;
	/* it comes while ours is written */
	begin(&file, false, 0);
	other = fopen(path, "w");
	assert_non_null(other);
	fclose(other);
	assert_int_equal(rpt_perf_data_writer_finish(&file, &err), -EEXIST);
	rpt_perf_data_writer_release(&file);
	/* it was there before */
	assert_int_equal(rpt_perf_data_writer_open(&file, path, false, &err),
			 -EEXIST);
	rpt_perf_data_writer_release(&file);
	assert_int_equal(rpt_perf_data_writer_open(&file, path, true, &err), 0);
	rpt_perf_data_writer_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_perf_file__reader_reads_what_was_written, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			test_perf_file__what_is_there_stays, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
