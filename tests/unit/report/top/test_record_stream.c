#include "report/top/record_stream.h"

#include "format/file/file_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

enum { SAMPLE_NR = 40 };

/* The numbers that samples have, in the order in which they were given. */
struct seen {
	uint32_t nr;
	uint32_t payload_len;
	bool is_ordered;
	uint64_t last;
};

static void take(void *ctx, const struct pd_record *rec, const uint8_t *payload,
		 size_t payload_len)
{
	struct seen *seen = ctx;
	uint64_t number;

	(void)payload;
	seen->payload_len += (uint32_t)payload_len;
	if (rec->type != PD_RECORD_SAMPLE)
		return;
	number = pd_record_word(rec, PD_RECORD_HEADER_LEN);
	seen->is_ordered &= number > seen->last;
	seen->last = number;
	seen->nr++;
}

static void put_sample(struct pd_buf *b, uint64_t number)
{
	size_t start = pd_record_begin(b, PD_RECORD_SAMPLE, 2);

	pd_buf_u64(b, number);
	pd_buf_u64(b, number * 3);
	pd_record_end(b, start);
}

static void put_header(struct pd_buf *b)
{
	const struct pd_file_header header = { .version = 2, .is_pipe = true };

	pd_file_header_write(b, &header);
}

/* A pipe with plain samples, formats of tracepoints between them. */
static void put_pipe(struct pd_buf *b)
{
	size_t start;

	put_header(b);
	for (uint64_t i = 1; i <= SAMPLE_NR; i++) {
		put_sample(b, i);
		if (i != 5)
			continue;
		start = pd_record_begin(b, PD_RECORD_HEADER_TRACING_DATA, 0);
		pd_buf_u32(b, 21);
		pd_buf_u32(b, 0);
		pd_record_end(b, start);
		pd_buf_zero(b, 24);
	}
}

/* Read b in pieces of len bytes. */
static struct seen read_all(const struct pd_buf *b, size_t len,
			    struct pd_damage *ret_damage)
{
	struct seen seen = { .is_ordered = true };
	struct pd_err err = PD_ERR_INIT;
	struct rpt_record_stream stream;

	rpt_record_stream_init(&stream, take, &seen);
	for (size_t at = 0; at < b->len; at += len) {
		size_t n = b->len - at < len ? b->len - at : len;
		/* a copy of its own, so that ASan sees reads behind it */
		uint8_t *piece = malloc(n);

		memcpy(piece, b->data + at, n);
		assert_int_equal(rpt_record_stream_add(&stream, piece, n, &err),
				 0);
		free(piece);
	}
	assert_int_equal(rpt_record_stream_end(&stream, &err), 0);
	*ret_damage = stream.damage;
	rpt_record_stream_release(&stream);
	return seen;
}

static void test_record_stream__pieces_of_any_length_are_the_same(void **state)
{
	static const size_t lens[] = { 1, 3, 7, 64, 1000 };
	struct pd_buf b = { 0 };
	struct pd_damage damage;

	(void)state;
	put_pipe(&b);
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		struct seen seen = read_all(&b, lens[i], &damage);

		assert_int_equal(seen.nr, SAMPLE_NR);
		assert_true(seen.is_ordered);
		assert_int_equal(seen.payload_len, 24);
		assert_int_equal(damage.skipped_nr, 0);
	}
	pd_buf_release(&b);
}

static void test_record_stream__goes_on_behind_damage(void **state)
{
	struct pd_buf b = { 0 };
	struct pd_damage damage;
	struct seen seen;

	(void)state;
	put_header(&b);
	for (uint64_t i = 1; i <= 10; i++)
		put_sample(&b, i);
	pd_buf_zero(&b, 133);
	for (uint64_t i = 11; i <= SAMPLE_NR; i++)
		put_sample(&b, i);
	pd_buf_u32(&b, PD_RECORD_SAMPLE); /* the start of one more */
	seen = read_all(&b, 50, &damage);
	assert_int_equal(seen.nr, SAMPLE_NR);
	assert_true(seen.is_ordered);
	assert_int_equal(damage.skipped_nr, 2);
	assert_int_equal(damage.skipped_len, 133 + 4);
	assert_int_equal(damage.first.off, 16 + 10 * 24);
	pd_buf_release(&b);
}

/* Each byte changed, each length cut: an answer, whatever it is. */
static void test_record_stream__survives_any_damage(void **state)
{
	struct pd_buf b = { 0 };
	struct pd_damage damage;

	(void)state;
	put_pipe(&b);
	for (size_t i = PD_PIPE_HEADER_LEN; i < b.len; i++) {
		uint8_t was = b.data[i];

		b.data[i] = (uint8_t)~was;
		assert_in_range(read_all(&b, 97, &damage).nr, 0, SAMPLE_NR);
		b.data[i] = was;
	}
	while (--b.len > PD_PIPE_HEADER_LEN)
		read_all(&b, 97, &damage);
	pd_buf_release(&b);
}

static void test_record_stream__refuses_what_is_no_pipe(void **state)
{
	const struct pd_file_header file = { .version = 2 };
	struct rpt_record_stream stream;
	struct pd_err err = PD_ERR_INIT;
	struct pd_buf b = { 0 };

	(void)state;
	rpt_record_stream_init(&stream, take, NULL);
	assert_int_equal(rpt_record_stream_end(&stream, &err), -ENODATA);
	err = (struct pd_err)PD_ERR_INIT;
	pd_file_header_write(&b, &file);
	assert_int_equal(rpt_record_stream_add(&stream, b.data, 16, &err),
			 -ENOTSUP);
	rpt_record_stream_release(&stream);
	rpt_record_stream_init(&stream, take, NULL);
	err = (struct pd_err)PD_ERR_INIT;
	assert_int_equal(rpt_record_stream_add(&stream,
					       (const uint8_t *)"hello, hello, "
								"hello",
					       19, &err),
			 -EBADMSG);
	rpt_record_stream_release(&stream);
	pd_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_record_stream__pieces_of_any_length_are_the_same),
		cmocka_unit_test(test_record_stream__goes_on_behind_damage),
		cmocka_unit_test(test_record_stream__survives_any_damage),
		cmocka_unit_test(test_record_stream__refuses_what_is_no_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
