#include "format/records/zstd_compress.h"

#include "format/file/layout.h"
#include "format/records/record.h"

#include <stdbool.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

enum {
	PAYLOAD_MAX = PD_RECORD_LEN_MAX - PD_RECORD_HEADER_LEN,
	LEN_OFF = 6, /* of the length in a record's header */
};

struct pd_zstd_compress {
	ZSTD_CCtx *zstd;
	XXH3_state_t *hash;
	int level;
	struct pd_buf records;
	bool is_handed_out; /* the caller has the records */
	bool in_record;	    /* a record is open */
	size_t record_start;
	size_t payload_len; /* of the record that is open */
	size_t unit_left;   /* plain bytes that it may still take */
};

/* Limit zstd's tables to what a frame needs.  zstd sizes them for input of any
 * length: some 800 MB at level 22, where 20 are enough for a frame of 1 MiB.
 * Up to level 2 the window is smaller anyway, up to level 9 the tables are. */
static bool bound_tables(ZSTD_CCtx *zstd, int level, size_t frame_len_max)
{
	const struct {
		ZSTD_cParameter what;
		int from_level;
		int more;
	} bounds[] = {
		{ ZSTD_c_windowLog, 3, 0 },
		{ ZSTD_c_hashLog, 10, 1 },
		{ ZSTD_c_chainLog, 10, level < 13 ? 0 : 1 },
	};
	int frame_log = 10;
	bool ok = true;

	while (frame_len_max >> frame_log > 1)
		frame_log++;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
		if (level >= bounds[i].from_level)
			ok &= !ZSTD_isError(ZSTD_CCtx_setParameter(
				zstd, bounds[i].what,
				frame_log + bounds[i].more));
	return ok;
}

/* Halve zstd's table at level 1: by the next flush it has left the CPU's cache,
 * so that a larger one costs more than it saves (tests/bench/README.md). */
static bool bound_cold_table(ZSTD_CCtx *zstd, int level)
{
	enum { HASH_LOG = 13 };

	return level != 1 || !ZSTD_isError(ZSTD_CCtx_setParameter(
				     zstd, ZSTD_c_hashLog, HASH_LOG));
}

static int set_up(struct pd_zstd_compress *z, int level, size_t frame_len_max)
{
	size_t unit_nr = frame_len_max / PD_ZSTD_COMPRESS_UNIT_LEN + 2;

	z->level = level;
	z->zstd = ZSTD_createCCtx();
	z->hash = XXH3_createState();
	if (!z->zstd || !z->hash)
		return -ENOMEM;
	if (ZSTD_isError(ZSTD_CCtx_setParameter(
		    z->zstd, ZSTD_c_compressionLevel, level)) ||
	    ZSTD_isError(
		    ZSTD_CCtx_setParameter(z->zstd, ZSTD_c_checksumFlag, 1)) ||
	    !bound_tables(z->zstd, level, frame_len_max) ||
	    !bound_cold_table(z->zstd, level))
		return -EINVAL;
	XXH3_64bits_reset(z->hash);
	pd_buf_reserve(&z->records, unit_nr * PD_RECORD_LEN_MAX);
	return pd_buf_status(&z->records);
}

struct pd_zstd_compress *pd_zstd_compress_new(int level, size_t frame_len_max)
{
	struct pd_zstd_compress *z = calloc(1, sizeof(*z));

	if (z && set_up(z, level, frame_len_max)) {
		pd_zstd_compress_free(z);
		z = NULL;
	}
	return z;
}

void pd_zstd_compress_free(struct pd_zstd_compress *z)
{
	if (!z)
		return;
	ZSTD_freeCCtx(z->zstd);
	XXH3_freeState(z->hash);
	pd_buf_release(&z->records);
	free(z);
}

void pd_zstd_compress_expect_little(struct pd_zstd_compress *z)
{
	enum { WINDOW_LOG = 17, HASH_LOG = 12 };

	if (z->level != 1)
		return;
	/* zstd takes these values always. */
	ZSTD_CCtx_setParameter(z->zstd, ZSTD_c_windowLog, WINDOW_LOG);
	ZSTD_CCtx_setParameter(z->zstd, ZSTD_c_hashLog, HASH_LOG);
}

void pd_zstd_compress_set_swap(struct pd_zstd_compress *z, bool swap)
{
	z->records.swap = swap;
}

static void open_record(struct pd_zstd_compress *z)
{
	z->record_start = pd_record_begin(&z->records, PD_RECORD_COMPRESSED, 0);
	z->payload_len = 0;
	z->unit_left = PD_ZSTD_COMPRESS_UNIT_LEN;
	z->in_record = true;
}

/* Set the length of the record, without padding: its payload is zstd only. */
static void close_record(struct pd_zstd_compress *z)
{
	pd_buf_patch_u16(&z->records, z->record_start + LEN_OFF,
			 (uint16_t)(PD_RECORD_HEADER_LEN + z->payload_len));
	z->in_record = false;
}

/* Let zstd write into the open record. */
static int step(struct pd_zstd_compress *z, ZSTD_inBuffer *in,
		ZSTD_EndDirective how)
{
	size_t room = PAYLOAD_MAX - z->payload_len;
	ZSTD_outBuffer out = { pd_buf_reserve(&z->records, room), room, 0 };
	size_t left;

	if (!out.dst)
		return -ENOMEM;
	left = ZSTD_compressStream2(z->zstd, &out, in, how);
	pd_buf_commit(&z->records, out.pos);
	z->payload_len += out.pos;
	/* zstd allocates at its first use; nothing else can fail */
	if (ZSTD_isError(left))
		return -ENOMEM;
	if (in->pos < in->size)
		return -EIO;
	if (how == ZSTD_e_continue)
		return 0;
	close_record(z);
	return left ? -EIO : 0; /* a unit always fits a record */
}

static int close_unit(struct pd_zstd_compress *z, ZSTD_EndDirective how)
{
	ZSTD_inBuffer nothing = { NULL, 0, 0 };

	return step(z, &nothing, how);
}

int pd_zstd_compress_add(struct pd_zstd_compress *z, const void *plain,
			 size_t len)
{
	const uint8_t *at = plain;
	int code = 0;

	if (z->is_handed_out)
		pd_buf_reset(&z->records);
	z->is_handed_out = false;
	XXH3_64bits_update(z->hash, plain, len);
	while (len && !code) {
		ZSTD_inBuffer in = { at, len, 0 };

		/* A full unit is closed only when more comes: the end of the
		 * frame closes the last one, and must not make a record of its
		 * own. */
		if (z->in_record && !z->unit_left)
			code = close_unit(z, ZSTD_e_flush);
		if (code)
			break;
		if (!z->in_record)
			open_record(z);
		if (in.size > z->unit_left)
			in.size = z->unit_left;
		code = step(z, &in, ZSTD_e_continue);
		z->unit_left -= in.size;
		at += in.size;
		len -= in.size;
	}
	return code;
}

static int hand_out(struct pd_zstd_compress *z, int code,
		    const struct pd_buf **ret_records)
{
	z->is_handed_out = true;
	*ret_records = &z->records;
	return code ? code : pd_buf_status(&z->records);
}

int pd_zstd_compress_flush(struct pd_zstd_compress *z,
			   const struct pd_buf **ret_records)
{
	int code = z->in_record ? close_unit(z, ZSTD_e_flush) : 0;

	if (z->is_handed_out)
		pd_buf_reset(&z->records);
	return hand_out(z, code, ret_records);
}

int pd_zstd_compress_end(struct pd_zstd_compress *z,
			 const struct pd_buf **ret_records, uint64_t *ret_hash)
{
	int code = close_unit(z, ZSTD_e_end);

	*ret_hash = XXH3_64bits_digest(z->hash);
	XXH3_64bits_reset(z->hash);
	return hand_out(z, code, ret_records);
}
