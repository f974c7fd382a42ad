#include "report/base/unpack.h"

#include "report/base/memory.h"

#include "format/base/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#define FIRST_LEN   ((size_t)64 << 10)
#define GZIP_WINDOW (16 + MAX_WBITS) /* with gzip's header */

struct plain {
	char *data;
	size_t len;
	size_t cap;
	size_t max_len;
};

/* Make room behind the plain bytes.  Return its length; 0 if max_len is
 * reached.
 */
static size_t make_room(struct plain *plain)
{
	size_t cap = plain->cap ? plain->cap * 2 : FIRST_LEN;

	if (plain->cap > plain->len)
		return plain->cap - plain->len;
	if (cap > plain->max_len)
		cap = plain->max_len;
	if (cap <= plain->len)
		return 0;
	plain->data = rpt_realloc_array(plain->data, cap, 1);
	plain->cap = cap;
	return cap - plain->len;
}

/* Several streams may follow each other.  Bytes at the end that are no stream
 * are ignored, as gzip does. */
static bool begins_with(const uint8_t *data, size_t len, const char *magic,
			size_t magic_len)
{
	return len >= magic_len && !memcmp(data, magic, magic_len);
}

static bool is_xz(const uint8_t *data, size_t len)
{
	return begins_with(data, len,
			   "\xfd"
			   "7zXZ\0",
			   6);
}

static bool is_gzip(const uint8_t *data, size_t len)
{
	return begins_with(data, len, "\x1f\x8b", 2);
}

/* A frame, or a skippable one, which pzstd puts before each frame. */
static bool is_zstd(const uint8_t *data, size_t len)
{
	return begins_with(data, len, "\x28\xb5\x2f\xfd", 4) ||
	       (len >= 4 && (data[0] & 0xf0) == 0x50 &&
		!memcmp(data + 1, "\x2a\x4d\x18", 3));
}

/* Start the next stream with the same decoder.  Return LZMA_STREAM_END if there
 * is none. */
static lzma_ret next_xz(lzma_stream *stream)
{
	/* padding between streams: words of zeros */
	while (stream->avail_in >= 4 && !memcmp(stream->next_in, "\0\0\0", 4)) {
		stream->next_in += 4;
		stream->avail_in -= 4;
	}
	return is_xz(stream->next_in, stream->avail_in)
		       ? lzma_stream_decoder(stream, PD_LIMIT_UNPACK_WINDOW, 0)
		       : LZMA_STREAM_END;
}

static int unpack_xz(const uint8_t *data, size_t len, struct plain *plain)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status =
		lzma_stream_decoder(&stream, PD_LIMIT_UNPACK_WINDOW, 0);
	size_t room;

	stream.next_in = data;
	stream.avail_in = len;
	while (status == LZMA_OK && (room = make_room(plain))) {
		stream.next_out = (uint8_t *)plain->data + plain->len;
		stream.avail_out = room;
		status = lzma_code(&stream, LZMA_FINISH);
		plain->len += room - stream.avail_out;
		if (status == LZMA_STREAM_END)
			status = next_xz(&stream);
	}
	lzma_end(&stream);
	switch (status) {
	case LZMA_STREAM_END:
		return 0;
	case LZMA_OK: /* there was no room */
	case LZMA_MEMLIMIT_ERROR:
		return -EFBIG;
	case LZMA_BUF_ERROR:
		return -ENODATA;
	default:
		return -EBADMSG;
	}
}

static int unpack_gzip(const uint8_t *data, size_t len, struct plain *plain)
{
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)data,
			    .avail_in = (uInt)len };
	int status = inflateInit2(&stream, GZIP_WINDOW);
	size_t room;

	while (status == Z_OK && (room = make_room(plain))) {
		stream.next_out = (Bytef *)plain->data + plain->len;
		stream.avail_out = (uInt)room;
		status = inflate(&stream, Z_NO_FLUSH);
		plain->len += room - stream.avail_out;
		if (status == Z_STREAM_END &&
		    is_gzip(stream.next_in, stream.avail_in))
			status = inflateReset(&stream);
	}
	inflateEnd(&stream);
	if (status == Z_STREAM_END || status == Z_OK)
		return status == Z_OK ? -EFBIG : 0;
	return status == Z_BUF_ERROR ? -ENODATA : -EBADMSG;
}

static int unpack_zstd(const uint8_t *data, size_t len, struct plain *plain)
{
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	ZSTD_inBuffer in = { data, len, 0 };
	size_t left = 1, room;
	int rc = 0;

	ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax,
			       PD_LIMIT_ZSTD_WINDOW_LOG);
	while (!rc && (left || is_zstd(data + in.pos, len - in.pos))) {
		ZSTD_outBuffer out = { .size = room = make_room(plain) };

		out.dst = plain->data + plain->len;
		if (!room)
			rc = -EFBIG;
		else
			left = ZSTD_decompressStream(zstd, &out, &in);
		plain->len += out.pos;
		if (ZSTD_isError(left))
			rc = -EBADMSG;
		else if (room && left && !out.pos && in.pos == in.size)
			rc = -ENODATA;
	}
	ZSTD_freeDCtx(zstd);
	return rc;
}

static const struct kind {
	bool (*is_kind)(const uint8_t *data, size_t len);
	int (*unpack)(const uint8_t *data, size_t len, struct plain *plain);
} kinds[] = {
	{ is_xz, unpack_xz },
	{ is_gzip, unpack_gzip },
	{ is_zstd, unpack_zstd },
};

static const struct kind *kind_of(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].is_kind(data, len))
			return &kinds[i];
	return NULL;
}

bool rpt_is_packed(const uint8_t *data, size_t len)
{
	return kind_of(data, len);
}

int rpt_unpack(const uint8_t *data, size_t len, char **ret, size_t *ret_len,
	       struct pd_err *err)
{
	const struct kind *kind = kind_of(data, len);
	struct plain plain = { .data = NULL };
	int rc = kind ? 0 : -EBADMSG;

	if (len > PD_LIMIT_PACKED_LEN)
		rc = -EFBIG;
	plain.max_len = PD_LIMIT_UNPACK_LEN + PD_LIMIT_UNPACK_RATIO * len;
	if (!rc)
		rc = kind->unpack(data, len, &plain);
	if (rc) {
		free(plain.data);
		return pd_err_set(err, rc,
				  rc == -EFBIG ? "unpacked it is larger than "
						 "the limit allows"
					       : "it cannot be unpacked");
	}
	*ret = plain.data;
	*ret_len = plain.len;
	return 0;
}
