#include "format/records/zstd_decompress.h"

#include "format/base/limits.h"
#include "format/file/layout.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define CHUNK_LEN      (128u << 10) /* the most plain text of a zstd block */
#define SEEN_LEN       (PD_RECORD_LEN_MAX + PD_RECORD_HEADER_LEN)
#define ROOM_LEN       (CHUNK_LEN + SEEN_LEN)
#define SKIPPABLE_MASK 0xfffffff0u
#define ALIGN_LEN      8u /* of records in the plain text */

struct pd_zstd_decompress {
	ZSTD_DStream *stream;
	struct pd_zstd_decompress_limits limits;
	uint8_t *plain; /* ROOM_LEN bytes; pos .. len are still to be read */
	size_t pos;
	size_t len;
	uint64_t plain_off; /* of plain[0] in the text of a frame */
	uint64_t plain_len; /* of all text so far */
	uint64_t fed_len;   /* of all text in front of this payload */
	uint64_t allowance; /* plain bytes that the limits still allow */
	ZSTD_inBuffer in;   /* the payload */
	uint64_t file_off;  /* of the COMPRESSED record it is in */
	uint64_t idx;	    /* of the next record from it */
	bool is_drained;    /* zstd has returned all of its text */
	bool is_broken;	    /* wait for a frame's start */
	bool is_lost;	    /* look for a record */
};

struct pd_zstd_decompress *
pd_zstd_decompress_new(const struct pd_zstd_decompress_limits *limits)
{
	struct pd_zstd_decompress *z = calloc(1, sizeof(*z));

	if (!z)
		return NULL;
	z->limits = *limits;
	z->is_drained = true;
	z->plain = malloc(ROOM_LEN);
	z->stream = ZSTD_createDStream();
	if (!z->plain || !z->stream) {
		pd_zstd_decompress_free(z);
		return NULL;
	}
	ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax,
			       PD_LIMIT_ZSTD_WINDOW_LOG);
	return z;
}

void pd_zstd_decompress_free(struct pd_zstd_decompress *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	free(z->plain);
	free(z);
}

bool pd_zstd_decompress_starts_frame(const uint8_t *payload, size_t len)
{
	uint32_t magic;

	if (len < sizeof(magic))
		return false;
	magic = (uint32_t)payload[0] | (uint32_t)payload[1] << 8 |
		(uint32_t)payload[2] << 16 | (uint32_t)payload[3] << 24;
	return magic == ZSTD_MAGICNUMBER ||
	       (magic & SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

void pd_zstd_decompress_feed(struct pd_zstd_decompress *z,
			     const uint8_t *payload, size_t len, uint64_t off)
{
	z->in = (ZSTD_inBuffer){ .src = payload, .size = len };
	z->fed_len = z->plain_len;
	z->file_off = off;
	z->idx = 0;
	z->is_drained = !len;
	if (pd_zstd_decompress_starts_frame(payload, len)) {
		z->is_broken = false;
		if (z->pos == z->len)
			z->plain_off = z->pos = z->len = 0;
	}
	if (__builtin_add_overflow(z->allowance, len * z->limits.ratio,
				   &z->allowance))
		z->allowance = UINT64_MAX;
}

/* Skip the rest of the frame. */
static int give_up(struct pd_zstd_decompress *z, int code, const char *why,
		   struct pd_zstd_decompress_skip *ret_skip, struct pd_err *err)
{
	*ret_skip = (struct pd_zstd_decompress_skip){ z->in.size - z->in.pos,
						      false };
	if (!z->in.pos)
		ret_skip->len += PD_RECORD_HEADER_LEN;
	ZSTD_DCtx_reset(z->stream, ZSTD_reset_session_only);
	z->is_broken = true;
	z->is_lost = false;
	z->is_drained = true;
	z->pos = z->len = 0;
	z->plain_off = 0;
	return pd_err_at(err, code, z->file_off,
			 "compressed data: %s; the rest of its frame is lost",
			 why);
}

/* Return true if the limits allow made_len bytes more. */
static bool is_allowed(struct pd_zstd_decompress *z, size_t made_len)
{
	uint64_t window_len = ZSTD_sizeof_DStream(z->stream);

	if (made_len > z->allowance)
		return false;
	z->allowance -= made_len;
	z->plain_len += made_len;
	/* memory that no text has filled yet is not in use */
	if (window_len > z->plain_len)
		window_len = z->plain_len;
	return window_len <= z->limits.window_len;
}

/* Decompress more of the plain text behind what is left of it. */
static int fill(struct pd_zstd_decompress *z,
		struct pd_zstd_decompress_skip *ret_skip, struct pd_err *err)
{
	size_t left = z->len - z->pos, rc;
	ZSTD_outBuffer out = { z->plain, ROOM_LEN, left };
	ZSTD_inBuffer in = z->in;

	if (z->is_broken)
		return give_up(z, -EBADMSG, "its beginning was not read",
			       ret_skip, err);
	if (z->pos && left)
		memmove(z->plain, z->plain + z->pos, left);
	z->plain_off += z->pos;
	z->pos = 0;
	z->len = left;
	rc = ZSTD_decompressStream(z->stream, &out, &in);
	if (ZSTD_isError(rc))
		return give_up(z, -EBADMSG, ZSTD_getErrorName(rc), ret_skip,
			       err);
	if (!is_allowed(z, out.pos - left))
		return give_up(z, -EFBIG,
			       "it becomes more plain text than the limit "
			       "allows",
			       ret_skip, err);
	z->in = in;
	z->len = out.pos;
	z->is_drained = in.pos == in.size && out.pos < out.size;
	return 0;
}

/* Raise the cost of len bytes of text to cost_len; len was taken from the
 * allowance when they were decompressed. */
static void charge(struct pd_zstd_decompress *z, uint64_t len,
		   uint64_t cost_len)
{
	if (len >= cost_len)
		return;
	cost_len -= len;
	z->allowance -= cost_len < z->allowance ? cost_len : z->allowance;
}

/* Return true if there are several records in a row at pos; if the text ends
 * before, at least one. */
static bool is_row(const struct pd_zstd_decompress *z, bool swap)
{
	enum { ENOUGH_NR = 3 };
	size_t pos = z->pos;

	for (unsigned i = 0; i < ENOUGH_NR; i++) {
		struct pd_record rec;
		int rc = pd_record_read(z->plain + pos, z->len - pos, 0, swap,
					&rec, NULL);

		if (rc == -ENODATA)
			return i > 0;
		if (rc || rec.len % ALIGN_LEN || !pd_record_type_name(rec.type))
			return false;
		pos += rec.len;
	}
	return true;
}

/* Go on to where a record may start.  Return how many bytes that skips. */
static size_t step(struct pd_zstd_decompress *z, bool swap)
{
	size_t len = ALIGN_LEN - (z->plain_off + z->pos) % ALIGN_LEN;

	if (len == ALIGN_LEN && is_row(z, swap)) {
		z->is_lost = false;
		return 0;
	}
	z->pos += len;
	charge(z, len, PD_LIMIT_ZSTD_STEP_LEN);
	return len;
}

/* Skip what is no record, until one is found or the payload ends. */
static void find_record(struct pd_zstd_decompress *z, bool swap,
			struct pd_zstd_decompress_skip *ret_skip)
{
	struct pd_zstd_decompress_skip broken = { 0 };
	uint64_t len = 0;

	while (z->is_lost) {
		size_t left = z->len - z->pos;

		if (left >= SEEN_LEN ||
		    (z->is_drained && left >= PD_RECORD_HEADER_LEN))
			len += step(z, swap);
		else if (z->is_drained || fill(z, &broken, NULL))
			break;
	}
	*ret_skip = (struct pd_zstd_decompress_skip){ len + broken.len, true };
}

/* Read the record at pos.  Return -ENODATA if it is not whole. */
static int read_record(const struct pd_zstd_decompress *z, bool swap,
		       struct pd_record *ret)
{
	return pd_record_read(z->plain + z->pos, z->len - z->pos, z->file_off,
			      swap, ret, NULL);
}

int pd_zstd_decompress_next(struct pd_zstd_decompress *z, bool swap,
			    struct pd_record *ret,
			    struct pd_zstd_decompress_skip *ret_skip,
			    struct pd_err *err)
{
	int rc = z->is_lost ? -EBADMSG : read_record(z, swap, ret);

	while (rc == -ENODATA && !z->is_drained) {
		rc = fill(z, ret_skip, err);
		if (rc)
			return rc;
		rc = read_record(z, swap, ret);
	}
	if (rc == -ENODATA || (rc && z->is_lost && z->is_drained))
		return 0;
	if (rc) {
		pd_err_at(err, rc, z->file_off,
			  "compressed data holds no record where one should "
			  "be");
		z->is_lost = true;
		find_record(z, swap, ret_skip);
		return rc;
	}
	ret->plain_off = z->plain_off + z->pos;
	z->pos += ret->len;
	ret->seq = pd_record_seq(z->file_off, z->idx++);
	charge(z, ret->len, PD_LIMIT_ZSTD_RECORD_LEN);
	return 1;
}

size_t pd_zstd_decompress_pass(struct pd_zstd_decompress *z,
			       const struct pd_record *rec)
{
	size_t nr = 0;

	while (z->idx < PD_RECORD_SEQ_IDX_MAX && z->len - z->pos >= rec->len &&
	       !memcmp(z->plain + z->pos, rec->data, PD_RECORD_HEADER_LEN)) {
		z->pos += rec->len;
		z->idx++;
		nr++;
	}
	charge(z, nr * rec->len, nr * PD_LIMIT_ZSTD_RECORD_LEN);
	return nr;
}

uint64_t pd_zstd_decompress_payload_len(const struct pd_zstd_decompress *z)
{
	return z->plain_len - z->fed_len;
}

size_t pd_zstd_decompress_left(const struct pd_zstd_decompress *z)
{
	return z->len - z->pos;
}
