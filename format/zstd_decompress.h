/* zstd_decompress.h: reads the plain records out of COMPRESSED records.
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
 * A payload is decompressed step by step, as its records are read: memory does
 * not grow with its plain text, except for zstd's window.
 */
#ifndef PD_ZSTD_DECOMPRESS_H
#define PD_ZSTD_DECOMPRESS_H

#include "format/record.h"

struct pd_zstd_decompress;

struct pd_zstd_decompress_limits {
	uint64_t ratio;	     /* plain bytes a byte: PD_LIMIT_ZSTD_RATIO */
	uint64_t window_len; /* bytes that zstd may keep of the plain text */
};

/* Bytes that were passed over. */
struct pd_zstd_decompress_skip {
	uint64_t len;
	bool is_plain; /* bytes of the plain text, not of the record */
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
 * if the payload is read.  On errors, something was passed over (*ret_skip) and
 * the next call goes on.  -EBADMSG: the payload is damaged or no zstd, and what
 * follows is passed over until a payload starts a frame; or there is no record
 * where one should be, and the next call returns the next that is found behind
 * it.  -EFBIG: more plain text than the limits allow; as if damaged. */
int pd_zstd_decompress_next(struct pd_zstd_decompress *z, bool swap,
			    struct pd_record *ret,
			    struct pd_zstd_decompress_skip *ret_skip,
			    struct pd_err *err);

/* Pass over the records right behind rec that have its header and are
 * decompressed already.  Return how many; all are valid until the next call. */
size_t pd_zstd_decompress_pass(struct pd_zstd_decompress *z,
			       const struct pd_record *rec);

/* Return how many plain bytes the payload became, once it is read. */
uint64_t pd_zstd_decompress_payload_len(const struct pd_zstd_decompress *z);

/* Return how many bytes of a record there are whose rest was not fed. */
size_t pd_zstd_decompress_left(const struct pd_zstd_decompress *z);

/* Return true if the payload starts a zstd frame, by its magic. */
bool pd_zstd_decompress_starts_frame(const uint8_t *payload, size_t len);

#endif
