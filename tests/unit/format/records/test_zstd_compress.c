#include "format/records/zstd_compress.h"

#include "format/file/layout.h"
#include "format/records/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <zstd.h>

#include <cmocka.h>

enum { FRAME_LEN_MAX = 1 << 20 };

/* Bytes that look like records: little that repeats, much that does. */
static void fill(uint8_t *plain, size_t len, bool random)
{
	uint64_t state = 88172645463325252u;

	for (size_t i = 0; i < len; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		plain[i] = (uint8_t)(random || i % 16 == 0 ? state : i % 16);
	}
}

/* What stock perf needs of each record: type 81, at least one byte out of it,
 * all of its input used up, the frame's end in the last one only. */
static size_t decompress(const struct pd_buf *records, uint8_t *plain,
			 size_t cap, size_t *ret_record_nr)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_outBuffer out = { plain, cap, 0 };
	size_t at = 0, rc = 1;

	*ret_record_nr = 0;
	while (at < records->len) {
		struct pd_record rec;
		ZSTD_inBuffer in;
		size_t before = out.pos;

		assert_int_not_equal(rc, 0);
		assert_int_equal(pd_record_read(records->data + at,
						records->len - at, at, false,
						&rec, NULL),
				 0);
		assert_int_equal(rec.type, PD_RECORD_COMPRESSED);
		in = (ZSTD_inBuffer){ rec.data + 8, rec.len - 8u, 0 };
		rc = ZSTD_decompressStream(stream, &out, &in);
		assert_false(ZSTD_isError(rc));
		assert_int_equal(in.pos, in.size);
		assert_true(out.pos > before);
		assert_true(out.pos - before <= PD_ZSTD_COMPRESS_UNIT_LEN);
		at += rec.len;
		++*ret_record_nr;
	}
	assert_int_equal(rc, 0);
	ZSTD_freeDStream(stream);
	return out.pos;
}

/* Return the size of the first frame's window, RFC 8878 "Window_Descriptor". */
static size_t window_len(const struct pd_buf *records)
{
	return (size_t)1 << (10 + (records->data[8 + 5] >> 3));
}

static void round_trip_by(struct pd_zstd_compress *w, bool is_little,
			  size_t len, size_t step, bool random,
			  size_t record_nr)
{
	uint8_t *plain = malloc(len), *back = malloc(len + 1);
	const struct pd_buf *records = NULL;
	uint64_t hash = 0;
	size_t got_nr;

	fill(plain, len, random);
	for (size_t at = 0; at < len; at += step)
		assert_int_equal(
			pd_zstd_compress_add(w, plain + at,
					     len - at < step ? len - at : step),
			0);
	assert_int_equal(pd_zstd_compress_end(w, &records, &hash), 0);
	assert_int_equal(decompress(records, back, len + 1, &got_nr), len);
	assert_memory_equal(plain, back, len);
	assert_int_equal(got_nr, record_nr);
	assert_true((window_len(records) == 1 << 17) == is_little);
	free(plain);
	free(back);
}

static void round_trip(size_t len, size_t step, bool random, size_t record_nr)
{
	for (int is_little = 0; is_little < 2; is_little++) {
		struct pd_zstd_compress *w =
			pd_zstd_compress_new(1, FRAME_LEN_MAX);

		if (is_little)
			pd_zstd_compress_expect_little(w);
		round_trip_by(w, is_little, len, step, random, record_nr);
		pd_zstd_compress_free(w);
	}
}

static void test_zstd_compress__one_byte_is_a_frame(void **state)
{
	(void)state;
	round_trip(1, 1, true, 1);
}

static void test_zstd_compress__a_full_unit_ends_the_frame(void **state)
{
	(void)state;
	round_trip(PD_ZSTD_COMPRESS_UNIT_LEN, PD_ZSTD_COMPRESS_UNIT_LEN, false,
		   1);
	round_trip(PD_ZSTD_COMPRESS_UNIT_LEN + 1, PD_ZSTD_COMPRESS_UNIT_LEN,
		   false, 2);
	round_trip(2 * PD_ZSTD_COMPRESS_UNIT_LEN, 1000, false, 2);
}

static void
test_zstd_compress__incompressible_units_fit_their_record(void **state)
{
	(void)state;
	round_trip(FRAME_LEN_MAX, 777, true, 17);
	round_trip(FRAME_LEN_MAX, FRAME_LEN_MAX, true, 17);
	round_trip(3 * PD_ZSTD_COMPRESS_UNIT_LEN, PD_ZSTD_COMPRESS_UNIT_LEN,
		   true, 3);
}

static void test_zstd_compress__every_frame_is_complete(void **state)
{
	struct pd_zstd_compress *w = pd_zstd_compress_new(1, FRAME_LEN_MAX);
	const struct pd_buf *records;
	uint8_t plain[5000], back[5000];
	uint64_t first = 0, hash = 0;
	size_t nr;

	(void)state;
	fill(plain, sizeof(plain), false);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pd_zstd_compress_add(w, plain, sizeof(plain)),
				 0);
		assert_int_equal(pd_zstd_compress_end(w, &records, &hash), 0);
		assert_int_equal(decompress(records, back, sizeof(back), &nr),
				 sizeof(plain));
		assert_memory_equal(plain, back, sizeof(plain));
		if (!i)
			first = hash;
		assert_true(hash == first);
	}
	pd_zstd_compress_free(w);
}

/* What was flushed is read before its frame ends, and what comes next is packed
 * by it. */
static void test_zstd_compress__a_flushed_frame_goes_on(void **state)
{
	struct pd_zstd_compress *w = pd_zstd_compress_new(1, FRAME_LEN_MAX);
	ZSTD_DStream *stream = ZSTD_createDStream();
	uint8_t plain[5000], back[5000];
	const struct pd_buf *records;
	uint64_t hash;
	size_t first_len = 0;

	(void)state;
	fill(plain, sizeof(plain), true);
	for (int i = 0; i < 3; i++) {
		ZSTD_outBuffer out = { back, sizeof(back), 0 };
		ZSTD_inBuffer in;
		size_t rc;

		assert_int_equal(pd_zstd_compress_add(w, plain, sizeof(plain)),
				 0);
		if (i < 2)
			assert_int_equal(pd_zstd_compress_flush(w, &records),
					 0);
		else
			assert_int_equal(
				pd_zstd_compress_end(w, &records, &hash), 0);
		in = (ZSTD_inBuffer){ records->data + 8, records->len - 8, 0 };
		rc = ZSTD_decompressStream(stream, &out, &in);
		assert_int_equal(out.pos, sizeof(back));
		assert_memory_equal(plain, back, sizeof(back));
		assert_true(i < 2 ? rc && !ZSTD_isError(rc) : !rc);
		if (!i)
			first_len = records->len;
		else
			assert_true(records->len < first_len / 10);
	}
	assert_int_equal(pd_zstd_compress_flush(w, &records), 0);
	assert_int_equal(records->len, 0);
	ZSTD_freeDStream(stream);
	pd_zstd_compress_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zstd_compress__one_byte_is_a_frame),
		cmocka_unit_test(
			test_zstd_compress__a_full_unit_ends_the_frame),
		cmocka_unit_test(
			test_zstd_compress__incompressible_units_fit_their_record),
		cmocka_unit_test(test_zstd_compress__every_frame_is_complete),
		cmocka_unit_test(test_zstd_compress__a_flushed_frame_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
