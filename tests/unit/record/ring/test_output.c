#include "record/ring/output.h"
#include "record/ring/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PREFIX_LEN = 24, DATA_OFF = PD_FILE_HEADER_LEN + PREFIX_LEN };

struct fixture {
	char dir[64];
	char path[80];
	char old[96];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/perfpair-output-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/data", f->dir);
	snprintf(f->old, sizeof(f->old), "%s.old", f->path);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	unlink(f->old);
	rmdir(f->dir);
	free(f);
	return 0;
}

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* The whole file; the caller frees. */
static uint8_t *get_file(const char *path, size_t *ret_len)
{
	struct stat st;
	uint8_t *data;
	FILE *file;

	assert_int_equal(stat(path, &st), 0);
	*ret_len = (size_t)st.st_size;
	data = calloc(1, *ret_len + 1);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(data, 1, *ret_len, file), *ret_len);
	fclose(file);
	return data;
}

static uint64_t word_at(const uint8_t *data, size_t off)
{
	uint64_t v;

	memcpy(&v, data + off, sizeof(v));
	return v;
}

/* formats_len: of what stands for TRACING_DATA; 0: none. */
static int start_with(struct fixture *f, struct rec_output *out,
		      const char *first, size_t formats_len)
{
	struct pd_file_header header = { .version = 2,
					 .attr_entry_len = 144,
					 .attrs = { 104, 24 } };
	struct pd_buf prefix = PD_BUF_INIT, records = PD_BUF_INIT;
	int code;

	pd_buf_zero(&prefix, PREFIX_LEN);
	pd_buf_bytes(&records, first, strlen(first));
	assert_int_equal(rec_output_open(out, f->path, NULL), 0);
	out->formats = (struct pd_section){ PD_FILE_HEADER_LEN, formats_len };
	code = rec_output_start(out, &header, &prefix, &records);
	pd_buf_release(&prefix);
	pd_buf_release(&records);
	return code;
}

static void start(struct fixture *f, struct rec_output *out)
{
	assert_int_equal(start_with(f, out, "", 0), 0);
}

static int append(struct rec_output *out, const char *text)
{
	struct iovec part = { (void *)(uintptr_t)text, strlen(text) };

	return rec_output_append(out, &part, 1);
}

static void test_output__checkpoint_covers_what_was_appended(void **state)
{
	struct fixture *f = *state;
	struct rec_output out;
	uint8_t *data;
	size_t len;

	start(f, &out);
	append(&out, "12345678");
	data = get_file(f->path, &len);
	assert_int_equal(len, DATA_OFF + 8);
	assert_int_equal(word_at(data, 40), DATA_OFF);
	assert_int_equal(word_at(data, 48), 0);
	free(data);
	assert_int_equal(rec_output_checkpoint(&out), 0);
	append(&out, "abcdefgh");
	data = get_file(f->path, &len);
	assert_int_equal(len, DATA_OFF + 16);
	assert_int_equal(word_at(data, 48), 8);
	/* no feature bits until the end */
	for (size_t off = 72; off < 104; off += 8)
		assert_int_equal(word_at(data, off), 0);
	free(data);
	rec_output_close(&out, NULL);
	rec_output_release(&out);
}

static void test_output__finish_sets_features_behind_the_data(void **state)
{
	struct fixture *f = *state;
	uint64_t features[4] = { PD_BIT(PD_FEATURE_COMPRESSED), 0, 0, 0 };
	struct pd_buf tail = PD_BUF_INIT;
	struct rec_output out;
	uint8_t *data;
	size_t len;

	start(f, &out);
	append(&out, "12345678");
	pd_buf_bytes(&tail, "TAIL", 4);
	assert_int_equal(rec_output_finish(&out, features, &tail), 0);
	pd_buf_release(&tail);
	assert_int_equal(rec_output_close(&out, NULL), 0);
	rec_output_release(&out);
	data = get_file(f->path, &len);
	assert_int_equal(len, DATA_OFF + 8 + 4);
	assert_int_equal(word_at(data, 0), PD_MAGIC2);
	assert_int_equal(word_at(data, 24), 104);
	assert_int_equal(word_at(data, 48), 8);
	assert_int_equal(word_at(data, 72), features[0]);
	assert_memory_equal(data + DATA_OFF, "12345678TAIL", 12);
	free(data);
}

static void test_output__the_start_is_a_checkpoint(void **state)
{
	struct fixture *f = *state;
	struct rec_output out;
	uint8_t *data;
	size_t len;

	assert_int_equal(start_with(f, &out, "12345678", 0), 0);
	data = get_file(f->path, &len);
	assert_int_equal(len, DATA_OFF + 8);
	assert_int_equal(word_at(data, 48), 8);
	free(data);
	rec_output_close(&out, NULL);
	rec_output_release(&out);
}

/* FINISHED_INIT, misc 0, of this length */
static uint64_t mark_of(uint64_t len)
{
	return PD_RECORD_FINISHED_INIT | len << 48;
}

static void test_output__formats_follow_each_checkpoint(void **state)
{
	struct fixture *f = *state;
	struct rec_output out;
	uint8_t *data;
	size_t len;

	assert_int_equal(start_with(f, &out, "12345678", 16), 0);
	append(&out, "abcdefgh");
	data = get_file(f->path, &len);
	assert_int_equal(len, DATA_OFF + 8 + 24 + 8);
	assert_int_equal(word_at(data, 48), 8 + 8);
	assert_int_equal(word_at(data, DATA_OFF + 8), mark_of(8));
	assert_int_equal(word_at(data, DATA_OFF + 16), PD_FILE_HEADER_LEN);
	assert_int_equal(word_at(data, DATA_OFF + 24), 16);
	free(data);
	assert_int_equal(rec_output_checkpoint(&out), 0);
	data = get_file(f->path, &len);
	assert_int_equal(len, DATA_OFF + 8 + 24 + 8 + 24);
	assert_int_equal(word_at(data, 48), 8 + 24 + 8 + 8);
	assert_int_equal(word_at(data, DATA_OFF + 8), mark_of(24));
	assert_int_equal(word_at(data, DATA_OFF + 40), mark_of(8));
	free(data);
	rec_output_close(&out, NULL);
	rec_output_release(&out);
}

/* The table names a payload within the first records. */
static void test_output__so_does_the_place_of_compressed(void **state)
{
	struct pd_file_header header = { .version = 2,
					 .attr_entry_len = 144,
					 .attrs = { 104, 24 } };
	struct pd_buf prefix = PD_BUF_INIT, records = PD_BUF_INIT;
	struct fixture *f = *state;
	struct rec_output out;
	uint8_t *data;
	size_t len;

	pd_buf_zero(&prefix, PREFIX_LEN);
	pd_buf_bytes(&records, "12345678payload.", 16);
	assert_int_equal(rec_output_open(&out, f->path, NULL), 0);
	out.formats = (struct pd_section){ PD_FILE_HEADER_LEN, 16 };
	out.compressed = (struct pd_section){ 8, 8 };
	assert_int_equal(rec_output_start(&out, &header, &prefix, &records), 0);
	append(&out, "abcdefgh");
	assert_int_equal(rec_output_checkpoint(&out), 0);
	data = get_file(f->path, &len);
	assert_int_equal(len, DATA_OFF + 16 + 40 + 8 + 40);
	assert_int_equal(word_at(data, 48), 16 + 40 + 8 + 8);
	assert_int_equal(word_at(data, DATA_OFF + 16), mark_of(40));
	assert_int_equal(word_at(data, DATA_OFF + 64), mark_of(8));
	for (size_t at = DATA_OFF + 24; at <= DATA_OFF + 72; at += 48) {
		assert_int_equal(word_at(data, at), PD_FILE_HEADER_LEN);
		assert_int_equal(word_at(data, at + 8), 16);
		assert_int_equal(word_at(data, at + 16), DATA_OFF + 8);
		assert_int_equal(word_at(data, at + 24), 8);
	}
	free(data);
	rec_output_close(&out, NULL);
	rec_output_release(&out);
	pd_buf_release(&prefix);
	pd_buf_release(&records);
}

/* HOSTNAME stands between the two, and makes no table by itself. */
static void test_output__a_host_name_goes_with_others(void **state)
{
	struct pd_file_header header = { .version = 2,
					 .attr_entry_len = 144,
					 .attrs = { 104, 24 } };
	struct fixture *f = *state;

	for (int has_table = 0; has_table < 2; has_table++) {
		struct pd_buf prefix = PD_BUF_INIT, records = PD_BUF_INIT;
		struct rec_output out;
		uint8_t *data;
		size_t len;

		pd_buf_zero(&prefix, PREFIX_LEN);
		pd_buf_bytes(&records, "12345678payload.", 16);
		assert_int_equal(rec_output_open(&out, f->path, NULL), 0);
		out.hostname = (struct pd_section){ 4, 4 };
		if (has_table)
			out.compressed = (struct pd_section){ 8, 8 };
		assert_int_equal(
			rec_output_start(&out, &header, &prefix, &records), 0);
		data = get_file(f->path, &len);
		assert_int_equal(len, DATA_OFF + 16 + has_table * 40);
		if (has_table) {
			assert_int_equal(word_at(data, DATA_OFF + 24),
					 DATA_OFF + 4);
			assert_int_equal(word_at(data, DATA_OFF + 32), 4);
			assert_int_equal(word_at(data, DATA_OFF + 40),
					 DATA_OFF + 8);
		}
		free(data);
		rec_output_close(&out, NULL);
		rec_output_release(&out);
		pd_buf_release(&prefix);
		pd_buf_release(&records);
	}
}

/* What memory was short for is no end: the file is as a kill leaves it. */
static void test_output__a_failed_end_leaves_the_checkpoint(void **state)
{
	struct fixture *f = *state;
	uint64_t features[4] = { PD_BIT(PD_FEATURE_COMPRESSED), 0, 0, 0 };
	struct pd_buf tail = { .status = -ENOMEM };
	struct rec_output out;
	uint8_t *data;
	size_t len;

	start(f, &out);
	append(&out, "12345678");
	assert_int_equal(rec_output_checkpoint(&out), 0);
	assert_int_equal(rec_output_finish(&out, features, &tail), -ENOMEM);
	rec_output_close(&out, NULL);
	rec_output_release(&out);
	data = get_file(f->path, &len);
	assert_int_equal(len, DATA_OFF + 8);
	assert_int_equal(word_at(data, 48), 8);
	assert_int_equal(word_at(data, 72), 0);
	free(data);
}

static void test_output__a_start_without_memory_is_none(void **state)
{
	struct pd_file_header header = { .version = 2 };
	struct pd_buf prefix = PD_BUF_INIT, records = { .status = -ENOMEM };
	struct fixture *f = *state;
	struct rec_output out;
	size_t len;

	assert_int_equal(rec_output_open(&out, f->path, NULL), 0);
	assert_int_equal(rec_output_start(&out, &header, &prefix, &records),
			 -ENOMEM);
	rec_output_close(&out, NULL);
	rec_output_release(&out);
	free(get_file(f->path, &len));
	assert_int_equal(len, 0);
}

static void test_output__renames_the_previous_file_to_old(void **state)
{
	struct fixture *f = *state;
	struct rec_output out;
	uint8_t *data;
	size_t len;

	put_file(f->path, "before");
	put_file(f->old, "long before");
	start(f, &out);
	rec_output_close(&out, NULL);
	rec_output_release(&out);
	data = get_file(f->old, &len);
	assert_string_equal((char *)data, "before");
	free(data);
}

static void test_output__does_not_rename_an_empty_file(void **state)
{
	struct fixture *f = *state;
	struct rec_output out;
	struct stat st;

	put_file(f->path, "");
	start(f, &out);
	rec_output_close(&out, NULL);
	rec_output_release(&out);
	assert_int_equal(stat(f->old, &st), -1);
}

static void test_output__abandon_puts_the_old_file_back(void **state)
{
	struct fixture *f = *state;
	struct rec_output out;
	struct stat st;
	uint8_t *data;
	size_t len;

	put_file(f->path, "before");
	start(f, &out);
	rec_output_abandon(&out, NULL);
	rec_output_release(&out);
	data = get_file(f->path, &len);
	assert_string_equal((char *)data, "before");
	free(data);
	assert_int_equal(stat(f->old, &st), -1);
}

/* A limit on the file's length stands for a full disk: both tear an append. */
static void test_output__a_torn_append_is_cut_off(void **state)
{
	struct fixture *f = *state;
	struct rlimit before, limit;
	struct rec_output out;
	struct pd_err err = PD_ERR_INIT;
	uint8_t *data;
	size_t len;

	signal(SIGXFSZ, SIG_IGN);
	start(f, &out);
	append(&out, "whole---");
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = DATA_OFF + 8 + 3;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(append(&out, "torn----"), -EFBIG);
	assert_int_equal(append(&out, "more----"), -EFBIG);
	assert_int_equal(rec_output_checkpoint(&out), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(rec_output_close(&out, &err), -EFBIG);
	rec_output_release(&out);
	assert_int_equal(err.code, -EFBIG);
	data = get_file(f->path, &len);
	assert_int_equal(len, DATA_OFF + 8);
	assert_int_equal(word_at(data, 48), 8);
	free(data);
}

/* What follows the end of a file finds no room: the file stays as it was. */
static void test_output__a_finished_file_is_not_covered_again(void **state)
{
	struct fixture *f = *state;
	uint64_t features[4] = { PD_BIT(PD_FEATURE_COMPRESSED), 0, 0, 0 };
	struct pd_buf tail = PD_BUF_INIT, more = PD_BUF_INIT;
	struct rlimit before, limit;
	struct rec_output out;
	uint8_t *data, *again;
	size_t len, again_len;

	signal(SIGXFSZ, SIG_IGN);
	start(f, &out);
	append(&out, "12345678");
	pd_buf_zero(&tail, 32);
	pd_buf_zero(&more, 64);
	assert_int_equal(rec_output_checkpoint(&out), 0);
	assert_int_equal(rec_output_finish(&out, features, &tail), 0);
	data = get_file(f->path, &len);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = len + 32;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(rec_output_append_end(&out, &more), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	again = get_file(f->path, &again_len);
	assert_int_equal(again_len, len);
	assert_memory_equal(again, data, len);
	free(again);
	free(data);
	rec_output_close(&out, NULL);
	rec_output_release(&out);
	pd_buf_release(&tail);
	pd_buf_release(&more);
}

static int append_sample(struct rec_sink *sink)
{
	const struct rec_counts counts = { .sample_nr = 1 };
	struct pd_trailer_frame frame = { 0 };
	struct iovec part = { "samples-", 8 };

	return rec_sink_append(sink, &frame, &counts, &part, 1,
			       REC_FRAME_BEGINS | REC_FRAME_ENDS);
}

/* The table of a checkpoint finds no room: what the one before covers counts.
 */
static void
test_output__counts_and_length_are_those_of_a_checkpoint(void **state)
{
	struct fixture *f = *state;
	struct rlimit before, limit;
	struct pd_err err = PD_ERR_INIT;
	struct rec_output out;
	struct rec_sink sink;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(start_with(f, &out, "", 16), 0);
	assert_int_equal(rec_sink_init(&sink, &out), 0);
	assert_int_equal(append_sample(&sink), 0);
	assert_int_equal(rec_sink_checkpoint(&sink), 0);
	assert_int_equal(append_sample(&sink), 0);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = DATA_OFF + 24 + 8 + 24 + 8;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(append_sample(&sink), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(sink.counts.sample_nr, 2);
	rec_sink_end(&sink);
	assert_int_equal(sink.counts.sample_nr, 1);
	assert_int_equal(rec_output_close(&out, &err), -EFBIG);
	assert_int_equal(strtoul(err.hint, NULL, 10), DATA_OFF + 24 + 8 + 24);
	rec_sink_release(&sink);
	rec_output_release(&out);
}

static void test_output__no_space_reports_the_whole_length(void **state)
{
	struct pd_file_header header = { .version = 2 };
	struct pd_buf prefix = PD_BUF_INIT;
	struct pd_err err = PD_ERR_INIT;
	struct rec_output out;

	(void)state;
	if (access("/dev/full", W_OK))
		skip();
	assert_int_equal(rec_output_open(&out, "/dev/full", NULL), 0);
	assert_int_equal(rec_output_start(&out, &header, &prefix, &prefix),
			 -ENOSPC);
	rec_output_abandon(&out, NULL);
	assert_int_equal(access("/dev/full", W_OK), 0);
	rec_output_close(&out, &err);
	rec_output_release(&out);
	assert_string_equal(err.text, "writing: No space left on device");
	assert_non_null(strstr(err.hint, "0 bytes are whole"));
}

static void test_output__reports_an_unwritable_folder(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct rec_output out;

	(void)state;
	assert_int_equal(rec_output_open(&out, "/nonexistent/x", &err),
			 -ENOENT);
	assert_non_null(strstr(err.hint, "-o"));
	rec_output_release(&out);
	err = (struct pd_err)PD_ERR_INIT;
	assert_int_equal(rec_output_check(&out, "/nonexistent/x", &err),
			 -ENOENT);
	assert_non_null(strstr(err.hint, "-o"));
	rec_output_release(&out);
}

#define OUTPUT_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OUTPUT_TEST(test_output__checkpoint_covers_what_was_appended),
		OUTPUT_TEST(test_output__finish_sets_features_behind_the_data),
		OUTPUT_TEST(test_output__the_start_is_a_checkpoint),
		OUTPUT_TEST(test_output__formats_follow_each_checkpoint),
		OUTPUT_TEST(test_output__so_does_the_place_of_compressed),
		OUTPUT_TEST(test_output__a_host_name_goes_with_others),
		OUTPUT_TEST(test_output__a_failed_end_leaves_the_checkpoint),
		OUTPUT_TEST(test_output__a_start_without_memory_is_none),
		OUTPUT_TEST(test_output__renames_the_previous_file_to_old),
		OUTPUT_TEST(test_output__does_not_rename_an_empty_file),
		OUTPUT_TEST(test_output__abandon_puts_the_old_file_back),
		OUTPUT_TEST(test_output__a_torn_append_is_cut_off),
		OUTPUT_TEST(test_output__a_finished_file_is_not_covered_again),
		OUTPUT_TEST(
			test_output__counts_and_length_are_those_of_a_checkpoint),
		OUTPUT_TEST(test_output__no_space_reports_the_whole_length),
		OUTPUT_TEST(test_output__reports_an_unwritable_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
