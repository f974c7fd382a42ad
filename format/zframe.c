#include "format/zframe.h"

#include "format/layout.h"
#include "format/record.h"

#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

#define PAYLOAD_LEN_MAX (PD_RECORD_LEN_MAX - PD_RECORD_HEADER_LEN)

/* Frames hold about a MiB: a window over all of it, whatever the level. */
#define WINDOW_LOG 20

struct pd_zframe_writer {
	ZSTD_CCtx *zstd;
	XXH3_state_t *hash;
	struct pd_buf records;
	size_t frame_len_max;
	size_t plain_len;  /* taken into the frame */
	size_t unit_len;   /* plain bytes of the record that is open */
	size_t record_off; /* where that begins in records */
	int status;
	bool is_done; /* records are the caller's until the next add */
};

static bool set_up(struct pd_zframe_writer *w, int level)
{
	static const struct {
		ZSTD_cParameter name;
		int value;
	} fixed[] = {
		{ ZSTD_c_checksumFlag, 1 },
		{ ZSTD_c_windowLog, WINDOW_LOG },
	};
	size_t rc =
		ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, level);

	if (level > ZSTD_maxCLevel() || level < ZSTD_minCLevel())
		return false;
	for (size_t i = 0; !ZSTD_isError(rc) && i < 2; i++)
		rc = ZSTD_CCtx_setParameter(w->zstd, fixed[i].name,
					    fixed[i].value);
	return !ZSTD_isError(rc);
}

struct pd_zframe_writer *pd_zframe_writer_new(int level, size_t frame_len_max)
{
	struct pd_zframe_writer *w = calloc(1, sizeof(*w));
	size_t unit_nr = frame_len_max / PD_ZFRAME_UNIT_LEN + 1;

	if (!w)
		return NULL;
	w->frame_len_max = frame_len_max;
	w->zstd = ZSTD_createCCtx();
	w->hash = XXH3_createState();
	if (!w->zstd || !w->hash || !set_up(w, level) ||
	    !pd_buf_reserve(&w->records, unit_nr * (PD_RECORD_LEN_MAX + 1))) {
		pd_zframe_writer_free(w);
		return NULL;
	}
	w->is_done = true;
	return w;
}

void pd_zframe_writer_free(struct pd_zframe_writer *w)
{
	if (!w)
		return;
	ZSTD_freeCCtx(w->zstd);
	XXH3_freeState(w->hash);
	pd_buf_release(&w->records);
	free(w);
}

static void begin_frame(struct pd_zframe_writer *w)
{
	ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_only);
	XXH3_64bits_reset(w->hash);
	pd_buf_reset(&w->records);
	w->plain_len = w->unit_len = 0;
	w->status = 0;
	w->is_done = false;
}

/* Hands a part of the open unit to zstd; what comes out is payload of the open
 * record.  All of it fits, as a unit's worst case does. */
static int compress(struct pd_zframe_writer *w, const void *plain, size_t len,
		    ZSTD_EndDirective how)
{
	size_t used = w->records.len - w->record_off - PD_RECORD_HEADER_LEN;
	ZSTD_inBuffer in = { plain, len, 0 };
	ZSTD_outBuffer out = { NULL, PAYLOAD_LEN_MAX - used, 0 };
	size_t left;

	out.dst = pd_buf_reserve(&w->records, out.size);
	if (!out.dst)
		return -ENOMEM;
	left = ZSTD_compressStream2(w->zstd, &out, &in, how);
	pd_buf_commit(&w->records, out.pos);
	if (ZSTD_isError(left) || in.pos != in.size)
		return -EIO;
	return how != ZSTD_e_continue && left ? -EIO : 0;
}

static void open_unit(struct pd_zframe_writer *w)
{
	w->record_off = pd_record_begin(&w->records, PD_RECORD_COMPRESSED, 0);
	w->unit_len = 0;
}

/* Not padded to 8: the payload is zstd's to the last byte. */
static int close_unit(struct pd_zframe_writer *w, ZSTD_EndDirective how)
{
	int code = compress(w, NULL, 0, how);
	size_t len = w->records.len - w->record_off;

	if (!code)
		pd_buf_patch_u16(&w->records, w->record_off + 6, (uint16_t)len);
	return code;
}

/* A full unit stays open until there is more: only then it is known that the
 * frame does not end with it. */
static int add_part(struct pd_zframe_writer *w, const uint8_t *plain,
		    size_t len, size_t *ret_used)
{
	int code = 0;

	if (w->plain_len && w->unit_len == PD_ZFRAME_UNIT_LEN) {
		code = close_unit(w, ZSTD_e_flush);
		open_unit(w);
	} else if (!w->plain_len) {
		open_unit(w);
	}
	if (code)
		return code;
	if (len > PD_ZFRAME_UNIT_LEN - w->unit_len)
		len = PD_ZFRAME_UNIT_LEN - w->unit_len;
	w->unit_len += len;
	w->plain_len += len;
	*ret_used = len;
	return compress(w, plain, len, ZSTD_e_continue);
}

int pd_zframe_writer_add(struct pd_zframe_writer *w, const void *plain,
			 size_t len)
{
	const uint8_t *at = plain;

	if (w->is_done)
		begin_frame(w);
	if (!w->status && len > w->frame_len_max - w->plain_len)
		w->status = -EFBIG;
	if (w->status)
		return w->status;
	XXH3_64bits_update(w->hash, plain, len);
	while (len && !w->status) {
		size_t used = 0;

		w->status = add_part(w, at, len, &used);
		at += used;
		len -= used;
	}
	return w->status;
}

int pd_zframe_writer_end(struct pd_zframe_writer *w,
			 const struct pd_buf **ret_records, uint64_t *ret_hash)
{
	if (w->is_done)
		begin_frame(w);
	w->is_done = true;
	if (w->plain_len && !w->status)
		w->status = close_unit(w, ZSTD_e_end);
	if (!w->status)
		w->status = pd_buf_status(&w->records);
	if (w->status)
		return w->status;
	*ret_records = &w->records;
	*ret_hash = XXH3_64bits_digest(w->hash);
	return 0;
}
