#include "format/inflate.h"

#include "format/layout.h"
#include "format/limits.h"

#include <stdlib.h>
#include <zstd.h>

#define CHUNK_LEN      (128u << 10) /* a zstd block's plain text at most */
#define SKIPPABLE_MASK 0xfffffff0u

struct pd_inflate {
	ZSTD_DStream *stream;
	struct pd_buf plain;
	size_t pos;	   /* in plain: where the next record starts */
	uint64_t file_off; /* of the COMPRESSED record that was fed last */
	uint64_t idx;	   /* of the next record out of that one */
	uint64_t text_off; /* of plain's first byte, since the frame began */
	bool is_broken;	   /* wait for a frame's start */
};

struct pd_inflate *pd_inflate_new(void)
{
	struct pd_inflate *z = calloc(1, sizeof(*z));

	if (!z)
		return NULL;
	z->stream = ZSTD_createDStream();
	if (!z->stream) {
		free(z);
		return NULL;
	}
	ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax,
			       PD_LIMIT_ZSTD_WINDOW_LOG);
	return z;
}

void pd_inflate_free(struct pd_inflate *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	pd_buf_release(&z->plain);
	free(z);
}

bool pd_inflate_starts_frame(const uint8_t *payload, size_t len)
{
	uint32_t magic;

	if (len < sizeof(magic))
		return false;
	magic = (uint32_t)payload[0] | (uint32_t)payload[1] << 8 |
		(uint32_t)payload[2] << 16 | (uint32_t)payload[3] << 24;
	return magic == ZSTD_MAGICNUMBER ||
	       (magic & SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

static void drop_plain(struct pd_inflate *z)
{
	pd_buf_reset(&z->plain);
	z->pos = 0;
}

/* Moves the piece of a record that is left over to the front. */
static void keep_rest(struct pd_inflate *z)
{
	size_t left = z->plain.len - z->pos;

	if (z->pos && left)
		memmove(z->plain.data, z->plain.data + z->pos, left);
	z->text_off += z->pos;
	z->plain.len = left;
	z->pos = 0;
}

static int give_up(struct pd_inflate *z, int code, const char *why,
		   struct pd_err *err)
{
	z->is_broken = true;
	ZSTD_DCtx_reset(z->stream, ZSTD_reset_session_only);
	drop_plain(z);
	return pd_err_at(err, code, z->file_off, "compressed data: %s", why);
}

/* Runs zstd until the input is used up and it has nothing more to say. */
static int inflate_all(struct pd_inflate *z, ZSTD_inBuffer *in,
		       struct pd_err *err)
{
	for (;;) {
		ZSTD_outBuffer out = { .size = CHUNK_LEN };
		size_t rc;

		out.dst = pd_buf_reserve(&z->plain, CHUNK_LEN);
		if (!out.dst)
			return pd_err_set(err, -ENOMEM, "out of memory");
		rc = ZSTD_decompressStream(z->stream, &out, in);
		if (ZSTD_isError(rc))
			return give_up(z, -EBADMSG, ZSTD_getErrorName(rc), err);
		pd_buf_commit(&z->plain, out.pos);
		if (z->plain.len > PD_LIMIT_INFLATED_RECORD)
			return give_up(z, -EFBIG, "too much of one record",
				       err);
		if (in->pos == in->size && out.pos < out.size)
			return 0;
	}
}

int pd_inflate_feed(struct pd_inflate *z, const uint8_t *payload, size_t len,
		    uint64_t off, struct pd_err *err)
{
	ZSTD_inBuffer in = { .src = payload, .size = len };

	z->file_off = off;
	z->idx = 0;
	if (z->is_broken && !pd_inflate_starts_frame(payload, len))
		return -EBADMSG;
	z->is_broken = false;
	keep_rest(z);
	if (!z->plain.len && pd_inflate_starts_frame(payload, len))
		z->text_off = 0;
	return inflate_all(z, &in, err);
}

int pd_inflate_next(struct pd_inflate *z, bool swap, struct pd_record *ret,
		    struct pd_err *err)
{
	size_t left = z->plain.len - z->pos;
	int rc;

	if (left < PD_RECORD_HEADER_LEN)
		return 0;
	rc = pd_record_read(z->plain.data + z->pos, left, z->file_off, swap,
			    ret, NULL);
	if (rc == -ENODATA)
		return 0;
	if (rc) {
		drop_plain(z);
		return pd_err_at(err, rc, z->file_off,
				 "compressed data holds no record where one "
				 "should be");
	}
	ret->plain_off = z->text_off + z->pos;
	z->pos += ret->len;
	ret->seq = pd_record_seq(z->file_off, z->idx++);
	return 1;
}

size_t pd_inflate_left(const struct pd_inflate *z)
{
	return z->plain.len - z->pos;
}
