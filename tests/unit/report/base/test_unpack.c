#include "report/base/unpack.h"

#include "format/base/limits.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#define ROOM ((size_t)1 << 20)

/* Packs len bytes to room; returns how many they became. */
typedef size_t pack_fn(const uint8_t *data, size_t len, uint8_t *room);

static size_t pack_xz(const uint8_t *data, size_t len, uint8_t *room)
{
	size_t at = 0;

	assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL,
						 data, len, room, &at, ROOM),
			 LZMA_OK);
	return at;
}

static size_t pack_gzip(const uint8_t *data, size_t len, uint8_t *room)
{
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)data,
			    .avail_in = (uInt)len,
			    .next_out = room,
			    .avail_out = (uInt)ROOM };

	assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8,
				      Z_DEFAULT_STRATEGY),
			 Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return ROOM - stream.avail_out;
}

static size_t pack_zstd(const uint8_t *data, size_t len, uint8_t *room)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t packed_len;

	assert_non_null(zstd);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	packed_len = ZSTD_compress2(zstd, room, ROOM, data, len);
	assert_false(ZSTD_isError(packed_len));
	ZSTD_freeCCtx(zstd);
	return packed_len;
}

static pack_fn *const packers[] = { pack_xz, pack_gzip, pack_zstd };

#define PACKERS_NR (sizeof(packers) / sizeof(packers[0]))

/* Numbers in a row: len bytes that become a third of it or so. */
static uint8_t *some_bytes(size_t len)
{
	uint8_t *data = malloc(len);

	assert_non_null(data);
	for (size_t i = 0; i < len; i++)
		data[i] = (uint8_t)(i % 7 ? i / 700 : i * i >> 3);
	return data;
}

static int unpack(const uint8_t *data, size_t len)
{
	struct pd_err err = PD_ERR_INIT;
	char *plain;
	size_t plain_len;
	int rc = rpt_unpack(data, len, &plain, &plain_len, &err);

	if (!rc)
		free(plain);
	else
		assert_int_equal(err.code, rc);
	return rc;
}

static void test_unpack__returns_the_packed_bytes(void **state)
{
	size_t len = 300000, packed_len, plain_len;
	uint8_t *data = some_bytes(len), *room = malloc(ROOM);
	char *plain;

	(void)state;
	assert_non_null(room);
	for (size_t i = 0; i < PACKERS_NR; i++) {
		packed_len = packers[i](data, len, room);
		assert_true(rpt_is_packed(room, packed_len));
		assert_int_equal(
			rpt_unpack(room, packed_len, &plain, &plain_len, NULL),
			0);
		assert_int_equal(plain_len, len);
		assert_memory_equal(plain, data, len);
		free(plain);
	}
	free(room);
	free(data);
}

/* Packed piece by piece, as pigz and pzstd do, with what else they leave
 * between and behind the pieces. */
static void test_unpack__continues_after_a_stream(void **state)
{
	static const uint8_t skipped[] = { 0x5a, 0x2a, 0x4d, 0x18, 4,	 0,
					   0,	 0,    0xfd, 0x37, 0x7a, 0x58 };
	static const uint8_t zeros[8], junk[] = "no stream";
	const struct {
		const uint8_t *data;
		size_t len;
	} between[PACKERS_NR] = { { zeros, 8 }, { NULL, 0 }, { skipped, 12 } };
	size_t len = 300000, part = 100000, at, plain_len;
	uint8_t *data = some_bytes(len), *room = malloc(3 * ROOM);
	char *plain;

	(void)state;
	assert_non_null(room);
	for (size_t i = 0; i < PACKERS_NR; i++) {
		at = 0;
		for (size_t done = 0; done < len; done += part) {
			at += packers[i](data + done, part, room + at);
			if (between[i].len)
				memcpy(room + at, between[i].data,
				       between[i].len);
			at += between[i].len;
		}
		memcpy(room + at, junk, sizeof(junk));
		assert_int_equal(rpt_unpack(room, at + sizeof(junk), &plain,
					    &plain_len, NULL),
				 0);
		assert_int_equal(plain_len, len);
		assert_memory_equal(plain, data, len);
		free(plain);
		/* the last stream is cut */
		assert_int_equal(unpack(room, at - between[i].len - 20),
				 -ENODATA);
	}
	free(room);
	free(data);
}

static void test_unpack__refuses_damaged_bytes(void **state)
{
	size_t len = 300000, packed_len;
	uint8_t *data = some_bytes(len), *room = malloc(ROOM);

	(void)state;
	assert_non_null(room);
	assert_false(rpt_is_packed(data, len));
	assert_int_equal(unpack(data, len), -EBADMSG);
	for (size_t i = 0; i < PACKERS_NR; i++) {
		packed_len = packers[i](data, len, room);
		assert_int_equal(unpack(room, packed_len - 20), -ENODATA);
		assert_int_equal(unpack(room, 8), -ENODATA);
		memset(room + packed_len / 2, 0xa5, 40);
		assert_int_equal(unpack(room, packed_len), -EBADMSG);
	}
	free(room);
	free(data);
}

/* Nothing but zeros: a thousandth of their length. */
static void test_unpack__stops_at_the_limit(void **state)
{
	size_t len = (size_t)64 << 20, packed_len;
	uint8_t *zeros = calloc(1, len), *room = malloc(ROOM);

	(void)state;
	assert_non_null(zeros);
	assert_non_null(room);
	for (size_t i = 0; i < PACKERS_NR; i++) {
		packed_len = packers[i](zeros, len, room);
		assert_true(packed_len < ROOM);
		assert_int_equal(unpack(room, packed_len), -EFBIG);
		packed_len = packers[i](zeros, PD_LIMIT_UNPACK_LEN, room);
		assert_int_equal(unpack(room, packed_len), 0);
	}
	free(room);
	free(zeros);
}

/* A window of a GiB, which a block's header of a few bytes asks for. */
static void test_unpack__limits_the_window(void **state)
{
	uint8_t *room = malloc(ROOM), *header = room + 12, *lzma2;
	size_t packed_len, header_len;
	uint32_t crc;

	(void)state;
	assert_non_null(room);
	packed_len = pack_xz((const uint8_t *)"sixteen letters.", 16, room);
	assert_int_equal(unpack(room, packed_len), 0);
	header_len = (header[0] + 1u) * 4;
	lzma2 = memchr(header, 0x21, header_len);
	assert_non_null(lzma2);
	lzma2[2] = 36;
	crc = lzma_crc32(header, header_len - 4, 0);
	for (unsigned i = 0; i < 4; i++)
		header[header_len - 4 + i] = (uint8_t)(crc >> 8 * i);
	assert_int_equal(unpack(room, packed_len), -EFBIG);
	free(room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unpack__returns_the_packed_bytes),
		cmocka_unit_test(test_unpack__continues_after_a_stream),
		cmocka_unit_test(test_unpack__refuses_damaged_bytes),
		cmocka_unit_test(test_unpack__stops_at_the_limit),
		cmocka_unit_test(test_unpack__limits_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
