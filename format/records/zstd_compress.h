/* zstd_compress.h: compresses plain records into the COMPRESSED records of a
 * frame; the mirror of zstd_decompress.h.
 *
 *	pd_zstd_compress_add(z, plain, len)    in parts of any length
 *	pd_zstd_compress_flush(z, &records)    to be written now
 *	...
 *	pd_zstd_compress_end(z, &records, &hash)
 *
 * Each COMPRESSED record holds at most PD_ZSTD_COMPRESS_UNIT_LEN plain bytes
 * and is flushed at its end, so that no zstd block is split over two records
 * and each yields something.  The caller ends a frame at the end of a plain
 * record.  FORMAT.md "Compressed frames" gives these rules.
 *
 * Nothing is allocated between pd_zstd_compress_new() and
 * pd_zstd_compress_free() if no frame is longer than the former was told.
 */
#ifndef PD_ZSTD_COMPRESS_H
#define PD_ZSTD_COMPRESS_H

#include "format/base/buf.h"

/* So many plain bytes always fit one record: ZSTD_compressBound(65000) is
 * 65285, and a record holds 65527 bytes of payload. */
#define PD_ZSTD_COMPRESS_UNIT_LEN 65000u
/* mmap_len of the feature COMPRESSED: a unit, rounded up to pages. */
#define PD_ZSTD_COMPRESS_MMAP_LEN 65536u

struct pd_zstd_compress;

/* Return a compressor of zstd's level 1 to 22 for frames of up to frame_len_max
 * plain bytes; NULL if there is no memory. */
struct pd_zstd_compress *pd_zstd_compress_new(int level, size_t frame_len_max);
void pd_zstd_compress_free(struct pd_zstd_compress *z);
/* Before the first use: have a smaller table and window at level 1, for a frame
 * that grows by some KB at a time, between which they leave the CPU's cache: a
 * quarter less time for 3 % more bytes (tests/bench/README.md). */
void pd_zstd_compress_expect_little(struct pd_zstd_compress *z);
/* Set whether the records' headers are in the other byte order than this
 * machine's. */
void pd_zstd_compress_set_swap(struct pd_zstd_compress *z, bool swap);

/* Add len plain bytes, which may be overwritten afterwards.  Return 0, -ENOMEM,
 * or -EIO if zstd fails. */
int pd_zstd_compress_add(struct pd_zstd_compress *z, const void *plain,
			 size_t len);

/* Return in *ret_records the COMPRESSED records since the last flush, which
 * hold all that was added and are valid until the next pd_zstd_compress_add();
 * none if nothing was added.  The frame goes on: what it holds so far serves to
 * compress what comes next. */
int pd_zstd_compress_flush(struct pd_zstd_compress *z,
			   const struct pd_buf **ret_records);

/* End the frame.  *ret_records are its COMPRESSED records since the last flush,
 * valid until the next pd_zstd_compress_add(); *ret_hash is XXH3-64 of the
 * frame's plain text.  Do not call this if nothing was added since the frame
 * began or was flushed: a record would hold no text. */
int pd_zstd_compress_end(struct pd_zstd_compress *z,
			 const struct pd_buf **ret_records, uint64_t *ret_hash);

#endif
