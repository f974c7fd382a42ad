/* overwrite_rings.h: rings that the kernel overwrites: --overwrite, the flight
 * recorder.
 *
 * The kernel writes such a ring backwards (attr.write_backward), each record in
 * front of the previous one, and never waits for a reader:
 *
 *	data_head
 *	    |newest|....|....|oldest that is whole|torn|
 *
 * data_head goes down from 0 and wraps modulo 2^64.  A ring is paused while it
 * is read; records that were copied are not copied again.
 */
#ifndef REC_OVERWRITE_RINGS_H
#define REC_OVERWRITE_RINGS_H

#include "record/ring/ring_set.h"
#include "record/ring/sample_layouts.h"

struct rec_overwrite_rings {
	struct rec_ring_set set;
	uint64_t *seen; /* owned, by ring: data_head of the last copy, or 0 */
	uint8_t *copy;	/* owned, as long as a ring */
};

/* Map a ring for each CPU (or thread) of the events that are written backwards,
 * as rec_ring_set_map() does. */
int rec_overwrite_rings_map(struct rec_overwrite_rings *ret,
			    const struct rec_open_set *open, size_t data_len,
			    struct pd_err *err);
void rec_overwrite_rings_unmap(struct rec_overwrite_rings *rings);

/* Called with the records of one ring, oldest first; returns 0 or -errno. */
typedef int rec_overwrite_rings_fn(void *ctx, const void *records, size_t len);

/* Pause all rings, show what they have of maps to layouts, which cut samples by
 * them, copy one after the other and resume it.  Return 0, or the first failure
 * of take; the later rings are still read. */
int rec_overwrite_rings_take(struct rec_overwrite_rings *rings,
			     const struct rec_sample_layouts *layouts,
			     rec_overwrite_rings_fn *take, void *ctx);

/* Copy the whole records of a ring from head up to seen at most, oldest first,
 * to the end of copy (data_len bytes), and return the offset of the first.  A
 * malformed record ends the copy. */
size_t rec_overwrite_rings_copy(const uint8_t *data, size_t data_len,
				uint64_t head, uint64_t seen, uint8_t *copy);

#endif
