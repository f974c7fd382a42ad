/* zstd_decompress.h: reads the plain records in COMPRESSED records.
 *
 *	while there is a COMPRESSED record
 *		pd_zstd_decompress_feed(z, payload, len, off);
 *		while ((rc = pd_zstd_decompress_next(z, ..., &rec, &err)) != 0)
 *			...
 *
 * It reads all that writers make (FORMAT.md "Compressed frames"): frames that
 * end and frames that never do, records that yield nothing, plain records that
 * are split over two payloads, several frames in one payload.
 *
 * A payload is decompressed step by step, as its records are read, so that
 * memory does not grow with its plain text, except for zstd's window.
 */
#ifndef PD_ZSTD_DECOMPRESS_H
#define PD_ZSTD_DECOMPRESS_H

#include "format/records/record.h"

struct pd_zstd_decompress;

struct pd_zstd_decompress_limits {
	uint64_t ratio;	     /* plain bytes for each compressed one */
	uint64_t window_len; /* bytes of plain text that zstd may hold */
};

/* Bytes that were skipped. */
struct pd_zstd_decompress_skip {
	uint64_t len;
	bool is_plain; /* they are plain text, not compressed */
};

/* Return NULL if there is no memory. */
struct pd_zstd_decompress *
pd_zstd_decompress_new(const struct pd_zstd_decompress_limits *limits);
void pd_zstd_decompress_free(struct pd_zstd_decompress *z);

/* Set the payload of the COMPRESSED record at off in the file.  Its bytes must
 * stay until pd_zstd_decompress_next() has read it to its end. */
void pd_zstd_decompress_feed(struct pd_zstd_decompress *z,
			     const uint8_t *payload, size_t len, uint64_t off);

/* Return 1 and the next whole record, which is valid until the next call, or 0
 * at the end of the payload.  After an error *ret_skip says what was skipped,
 * and the next call goes on.  Return -EBADMSG if the payload is damaged or no
 * zstd: all is skipped until a payload starts a frame; also if there is no
 * record where one should be: the next call returns the next one that is found.
 * Return -EFBIG, and go on as after damage, if there is more plain text than
 * the limits allow. */
int pd_zstd_decompress_next(struct pd_zstd_decompress *z, bool swap,
			    struct pd_record *ret,
			    struct pd_zstd_decompress_skip *ret_skip,
			    struct pd_err *err);

/* Skip the records right behind rec that have its header and are decompressed
 * already.  Return how many; all are valid until the next call. */
size_t pd_zstd_decompress_pass(struct pd_zstd_decompress *z,
			       const struct pd_record *rec);

/* Return how many plain bytes the payload became; call it at its end. */
uint64_t pd_zstd_decompress_payload_len(const struct pd_zstd_decompress *z);

/* Return how many bytes there are of a record whose rest was not fed. */
size_t pd_zstd_decompress_left(const struct pd_zstd_decompress *z);

/* Return true if the payload starts a zstd frame, by its magic. */
bool pd_zstd_decompress_starts_frame(const uint8_t *payload, size_t len);

#endif
