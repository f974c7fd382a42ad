#include "format/reader/reader.h"

#include "tests/unit/made_file.h"
#include "tests/unit/seen_records.h"

#include <errno.h>

#define STEP 65536

static void check_pieces(const struct made *m, size_t len)
{
	const struct pd_chunk *pieces;
	struct pd_reader *r = NULL;
	struct seen seen = { .sample_nr = 0 };
	size_t nr;

	assert_int_equal(pd_reader_open(&r, m->file.data, len, NULL, NULL), 0);
	assert_int_equal(pd_reader_chunks(r, 16, &pieces, &nr, NULL), 0);
	assert_true(nr >= 2);
	assert_int_equal(pieces[0].file_off, m->frames[0].file_off);
	assert_true(pieces[0].is_frame);
	assert_true(pieces[nr - 1].is_frame);
	assert_int_equal(pieces[nr - 1].file_off, m->frames[1].file_off);
	for (size_t i = nr; i-- > 0;) {
		seen.last_seq = 0;
		seen_walk(r, pieces[i], &seen);
	}
	assert_int_equal(seen.sample_nr, 2 * FRAME_SAMPLE_NR);
	assert_int_equal(seen.other_nr, 1);
	assert_int_equal(seen.damage.skipped_nr, 0);
	pd_reader_close(r);
}

static void test_chunks__are_read_alone_in_any_order(void **state)
{
	struct made m;

	(void)state;
	made_whole(&m);
	check_pieces(&m, m.file.len);
	/* without its footer the index is rebuilt from record headers */
	check_pieces(&m, m.file.len - 1);
	pd_buf_release(&m.file);
}

struct guessed {
	size_t piece_nr;
	size_t plain_nr; /* of them */
	unsigned record_nr;
};

/* What was read, as reading is told. */
struct told_reading {
	uint64_t start;
	uint64_t end;
	size_t passed_nr;
	size_t looks_nr;
};

static void count_passed(void *ctx, uint64_t file_off, uint64_t len)
{
	struct told_reading *told = ctx;

	if (told->passed_nr++)
		assert_int_equal(file_off, told->end);
	else
		told->start = file_off;
	told->end = file_off + len;
}

static void count_looks(void *ctx, uint64_t file_off)
{
	assert_int_not_equal(file_off, 0);
	((struct told_reading *)ctx)->looks_nr++;
}

static struct guessed guess(const struct pd_buf *file)
{
	struct guessed ret = { .record_nr = 0 };
	const struct pd_chunk *pieces;
	struct pd_reader *r = NULL;
	struct pd_record rec;
	struct told_reading told = { 0 };
	const struct pd_read_progress reading = { count_passed, count_looks,
						  &told, STEP };

	assert_int_equal(pd_reader_open(&r, file->data, file->len, NULL, NULL),
			 0);
	pd_reader_set_progress(r, &reading);
	assert_int_equal(
		pd_reader_guess_chunks(r, 64, &pieces, &ret.piece_nr, NULL), 0);
	assert_int_equal(told.looks_nr, ret.piece_nr);
	for (size_t i = 0; i < ret.piece_nr; i++) {
		struct pd_records it;

		pd_records_init(&it, r, pieces[i]);
		while (pd_records_next(&it, &rec, NULL) > 0)
			ret.record_nr++;
		ret.plain_nr += pd_records_was_plain(&it);
		pd_records_release(&it);
	}
	assert_int_equal(told.passed_nr, ret.piece_nr);
	pd_reader_close(r);
	return ret;
}

/* Some way behind, all of it once. */
static void test_chunks__report_what_was_passed(void **state)
{
	struct made m = { .file = PD_BUF_INIT };
	const struct pd_chunk *pieces;
	struct pd_reader *r = NULL;
	struct pd_file_header h;
	struct pd_record rec;
	size_t piece_nr;

	(void)state;
	made_head(&m, &h);
	while (m.file.len < 4 * STEP)
		made_plain(&m.file, 100);
	made_end(&m, &h, false);
	assert_int_equal(
		pd_reader_open(&r, m.file.data, m.file.len, NULL, NULL), 0);
	for (unsigned by_cut = 0; by_cut < 2; by_cut++) {
		struct told_reading told = { 0 };
		const struct pd_read_progress reading = { count_passed,
							  count_looks, &told,
							  STEP };
		struct pd_chunk data = pd_reader_data(r);
		struct pd_records it;

		pd_reader_set_progress(r, &reading);
		if (by_cut) {
			assert_int_equal(pd_reader_chunks(r, data.len, &pieces,
							  &piece_nr, NULL),
					 0);
		} else {
			pd_records_init(&it, r, data);
			while (pd_records_next(&it, &rec, NULL) > 0)
				assert_true(told.end <= rec.file_off - STEP +
								rec.len ||
					    !told.passed_nr);
			pd_records_release(&it);
		}
		assert_true(told.passed_nr >= 3);
		assert_int_equal(told.start, data.file_off);
		assert_int_equal(told.end, data.file_off + data.len);
	}
	pd_reader_close(r);
	pd_buf_release(&m.file);
}

static void count_passed_alone(void *ctx, uint64_t file_off, uint64_t len)
{
	(void)file_off;
	assert_true(len > 0);
	((struct told_reading *)ctx)->passed_nr++;
}

/* Where no record can be, as in a hole of the file. */
static void test_chunks__report_the_search_for_records(void **state)
{
	struct told_reading told = { 0 };
	const struct pd_read_progress reading = { count_passed_alone,
						  count_looks, &told, STEP };
	struct made m = { .file = PD_BUF_INIT };
	struct pd_reader *r = NULL;
	struct pd_file_header h;
	struct pd_record rec;
	struct pd_records it;

	(void)state;
	made_head(&m, &h);
	pd_buf_zero(&m.file, 3 * STEP + 8);
	made_plain(&m.file, 100);
	made_end(&m, &h, false);
	assert_int_equal(
		pd_reader_open(&r, m.file.data, m.file.len, NULL, NULL), 0);
	pd_reader_set_progress(r, &reading);
	pd_records_init(&it, r, pd_reader_data(r));
	assert_int_equal(pd_records_next(&it, &rec, NULL), 1);
	assert_int_equal(told.passed_nr, 3);
	pd_records_release(&it);
	pd_reader_close(r);
	pd_buf_release(&m.file);
}

/* Where no sample is to be found, all of it is looked at. */
static void test_chunks__report_where_a_guess_looked(void **state)
{
	struct told_reading told = { 0 };
	const struct pd_read_progress reading = { count_passed, count_looks,
						  &told, STEP };
	struct made m = { .file = PD_BUF_INIT };
	const struct pd_chunk *pieces;
	struct pd_reader *r = NULL;
	struct pd_file_header h;
	uint64_t end;
	size_t nr;

	(void)state;
	made_head(&m, &h);
	pd_buf_zero(&m.file, 3 * STEP);
	made_end(&m, &h, false);
	assert_int_equal(
		pd_reader_open(&r, m.file.data, m.file.len, NULL, NULL), 0);
	pd_reader_set_progress(r, &reading);
	assert_int_equal(pd_reader_guess_chunks(r, 64, &pieces, &nr, NULL), 0);
	assert_int_equal(nr, 1);
	assert_in_range(told.start, pieces[0].file_off,
			pieces[0].file_off + 100);
	end = pieces[0].file_off + pieces[0].len;
	assert_in_range(told.end, end - STEP, end);
	pd_reader_close(r);
	pd_buf_release(&m.file);
}

static void test_chunks__guessed_ones_of_a_plain_file_are_plain(void **state)
{
	struct made m = { .file = PD_BUF_INIT };
	struct pd_file_header h;
	struct guessed got;

	(void)state;
	made_head(&m, &h);
	made_plain(&m.file, 100);
	made_marker(&m.file);
	made_plain(&m.file, 200);
	made_end(&m, &h, false);
	got = guess(&m.file);
	assert_true(got.piece_nr > 2);
	assert_int_equal(got.plain_nr, got.piece_nr);
	assert_int_equal(got.record_nr, 2 * FRAME_SAMPLE_NR + 1);
	pd_buf_release(&m.file);
}

static void put_samples(struct pd_buf *b)
{
	made_plain(b, 100);
}

/* Records of no more than a header, as stack copies can have them. */
static void put_headers(struct pd_buf *b)
{
	for (unsigned i = 0; i < 100; i++)
		pd_record_end(b, pd_record_begin(b, PD_RECORD_SAMPLE, 2));
}

/* Of a file that begins with a record in which put() puts what seems to be
 * records; samples follow. */
static struct guessed guess_with(void (*put)(struct pd_buf *b))
{
	struct made m = { .file = PD_BUF_INIT };
	struct pd_file_header h;
	struct guessed got;
	size_t start;

	made_head(&m, &h);
	start = pd_record_begin(&m.file, PD_RECORD_SAMPLE, 2);
	put(&m.file);
	pd_record_end(&m.file, start);
	made_plain(&m.file, 200);
	made_end(&m, &h, false);
	got = guess(&m.file);
	pd_buf_release(&m.file);
	return got;
}

static void test_chunks__a_guess_inside_a_record_is_not_plain(void **state)
{
	struct guessed got = guess_with(put_samples);

	(void)state;
	assert_true(got.piece_nr > 2);
	assert_int_equal(got.plain_nr, got.piece_nr - 1);
}

static void test_chunks__are_guessed_at_samples_only(void **state)
{
	struct guessed got = guess_with(put_headers);

	(void)state;
	assert_true(got.piece_nr > 1);
	assert_int_equal(got.plain_nr, got.piece_nr);
	assert_int_equal(got.record_nr, 1 + FRAME_SAMPLE_NR);
}

static void test_chunks__are_not_guessed_in_compressed_files(void **state)
{
	const struct pd_chunk *pieces;
	struct pd_reader *r = NULL;
	struct made m;
	size_t nr;

	(void)state;
	made_whole(&m);
	assert_int_equal(
		pd_reader_open(&r, m.file.data, m.file.len, NULL, NULL), 0);
	assert_int_equal(pd_reader_guess_chunks(r, 64, &pieces, &nr, NULL),
			 -ENOTSUP);
	pd_reader_close(r);
	pd_buf_release(&m.file);
}

/* As the files of a directory: data, then parts with a stream each; what lies
 * between is not looked at. */
static void test_chunks__parts_have_their_own_streams(void **state)
{
	struct made m = { .file = PD_BUF_INIT };
	const struct pd_chunk *pieces;
	struct seen seen = { .sample_nr = 0 };
	struct pd_reader *r = NULL;
	struct pd_file_header h;
	uint64_t main_len;
	size_t nr;

	(void)state;
	made_head(&m, &h);
	made_plain(&m.file, 100);
	made_end(&m, &h, true);
	main_len = m.file.len;
	pd_buf_zero(&m.file, 4096 - m.file.len % 4096);
	made_frame(&m, 0, 200);
	pd_buf_zero(&m.file, 4096 - m.file.len % 4096);
	made_frame(&m, 1, 300);
	assert_int_equal(pd_reader_open(&r, m.file.data, main_len, NULL, NULL),
			 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(
			pd_reader_add_part(
				r,
				&(struct pd_section){ m.frames[i].file_off,
						      m.frames[i].file_len }),
			0);
	assert_true(pd_reader_has_parts(r));
	seen_walk(r, pd_reader_data(r), &seen);
	assert_int_equal(seen.sample_nr, 3 * FRAME_SAMPLE_NR);
	assert_int_equal(seen.last_time_ns, 300 + FRAME_SAMPLE_NR - 1);
	assert_int_equal(seen.damage.skipped_nr, 0);
	assert_int_equal(pd_reader_chunks(r, 16, &pieces, &nr, NULL), 0);
	seen = (struct seen){ .sample_nr = 0 };
	for (size_t i = 0; i < nr; i++)
		seen_walk(r, pieces[i], &seen);
	assert_int_equal(seen.sample_nr, 3 * FRAME_SAMPLE_NR);
	assert_int_equal(seen.damage.skipped_nr, 0);
	pd_reader_close(r);
	pd_buf_release(&m.file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chunks__are_read_alone_in_any_order),
		cmocka_unit_test(test_chunks__parts_have_their_own_streams),
		cmocka_unit_test(
			test_chunks__guessed_ones_of_a_plain_file_are_plain),
		cmocka_unit_test(
			test_chunks__a_guess_inside_a_record_is_not_plain),
		cmocka_unit_test(test_chunks__are_guessed_at_samples_only),
		cmocka_unit_test(test_chunks__report_what_was_passed),
		cmocka_unit_test(test_chunks__report_where_a_guess_looked),
		cmocka_unit_test(test_chunks__report_the_search_for_records),
		cmocka_unit_test(
			test_chunks__are_not_guessed_in_compressed_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
