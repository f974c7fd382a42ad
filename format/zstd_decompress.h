/* zstd_decompress.h: COMPRESSED records back into the plain records they hold.
 *
 *	while there is a COMPRESSED record
 *		pd_zstd_decompress_feed(z, payload, len, off);
 *		while ((rc = pd_zstd_decompress_next(z, ..., &rec, &err)) != 0)
 *			...
 *
 * Takes what writers made of zstd (FORMAT.md "Compressed frames"): frames that
 * end and frames that never do, records that yield nothing, records that are
 * split over two payloads, several frames in one payload.
 *
 * A payload is inflated piece by piece, as its records are asked for: memory
 * does not grow with what it inflates to, but for zstd's window.
 */
#ifndef PD_ZSTD_DECOMPRESS_H
#define PD_ZSTD_DECOMPRESS_H

#include "format/record.h"

struct pd_zstd_decompress;

struct pd_zstd_decompress_limits {
	uint64_t ratio;	     /* plain bytes a byte: PD_LIMIT_ZSTD_RATIO */
	uint64_t window_len; /* bytes that zstd may keep of the plain text */
};

/* What was passed over. */
struct pd_zstd_decompress_skip {
	uint64_t len;  /* bytes, of the text or of the COMPRESSED record */
	bool is_plain; /* of the text */
};

/* NULL when out of memory. */
struct pd_zstd_decompress *
pd_zstd_decompress_new(const struct pd_zstd_decompress_limits *limits);
void pd_zstd_decompress_free(struct pd_zstd_decompress *z);

/* The payload of the COMPRESSED record at off in the file, to be read by
 * pd_zstd_decompress_next() before the next one.  Its bytes must stay. */
void pd_zstd_decompress_feed(struct pd_zstd_decompress *z,
			     const uint8_t *payload, size_t len, uint64_t off);

/* 1 and the next whole record, good until the next call; 0: feed more.
 * Else something was passed over, and it goes on with the next call:
 * -EBADMSG: not zstd, or damaged: from there on payloads are passed over until
 * one starts a frame; or no record where one should be: the next that is found
 * behind it follows.  -EFBIG: more than the limits allow; as damaged. */
int pd_zstd_decompress_next(struct pd_zstd_decompress *z, bool swap,
			    struct pd_record *ret,
			    struct pd_zstd_decompress_skip *ret_skip,
			    struct pd_err *err);

/* After rec: passes over the records right behind it that have its header, as
 * far as they are there without more of the payload being inflated; how many.
 * All are good until the next call. */
size_t pd_zstd_decompress_pass(struct pd_zstd_decompress *z,
			       const struct pd_record *rec);

/* Bytes of plain text that the payload has become, once all was read. */
uint64_t pd_zstd_decompress_payload_len(const struct pd_zstd_decompress *z);

/* Bytes of a record whose rest was not fed. */
size_t pd_zstd_decompress_left(const struct pd_zstd_decompress *z);

/* True if a payload starts a zstd frame, by its magic. */
bool pd_zstd_decompress_starts_frame(const uint8_t *payload, size_t len);

#endif
