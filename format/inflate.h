/* inflate.h: COMPRESSED records back into the plain records they hold.
 *
 *	while there is a COMPRESSED record
 *		pd_inflate_feed(z, payload, len, &err);
 *		while (pd_inflate_next(z, ..., &rec) > 0)
 *			...
 *
 * Takes what writers made of zstd (FORMAT.md "Compressed frames"): frames that
 * end and frames that never do, records that yield nothing, records that are
 * split over two payloads, several frames in one payload.  Memory grows with
 * the plain text of one payload, up to PD_LIMIT_INFLATED_RECORD.
 */
#ifndef PD_INFLATE_H
#define PD_INFLATE_H

#include "format/record.h"

struct pd_inflate;

/* NULL when out of memory. */
struct pd_inflate *pd_inflate_new(void);
void pd_inflate_free(struct pd_inflate *z);

/* Appends the plain text of one payload to what is left over from the ones
 * before it; off is where the record stands in the file.  -EBADMSG: not zstd,
 * or damaged; from then on payloads are passed over until one starts a frame.
 * -EFBIG: too much of it. */
int pd_inflate_feed(struct pd_inflate *z, const uint8_t *payload, size_t len,
		    uint64_t off, struct pd_err *err);

/* 1 and the next whole record, good until the next feed; 0: feed more;
 * -EBADMSG: what stands there is no record; all that is left is dropped. */
int pd_inflate_next(struct pd_inflate *z, bool swap, struct pd_record *ret,
		    struct pd_err *err);

/* Bytes of a record whose rest was not fed. */
size_t pd_inflate_left(const struct pd_inflate *z);

/* True if a payload starts a zstd frame, by its magic. */
bool pd_inflate_starts_frame(const uint8_t *payload, size_t len);

#endif
