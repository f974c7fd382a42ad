/* ring.h: one perf_event mmap area, drained without copying.
 *
 * Layout, set by the kernel (perf_event_open(2), "MMAP layout"): one control
 * page, then 2^n data pages.  The kernel writes at data_head, we read at
 * data_tail; both are byte counts that only grow and wrap modulo the size.
 *
 *	        tail            upto          head
 *	  ...    |== to drain ===|== later ====|  ...
 *
 * Protocol of one drain:
 *     rec_ring_load(ring)         acquire-loads data_head into ring->upto;
 *                                 the coordinator's, for all rings of an epoch
 *     n = rec_ring_peek(ring, to, span)
 *     ... hand span[0..n-1] to the writer, which must be done with them ...
 *     rec_ring_consume(ring)      release-stores data_tail
 * The last two are called only by the thread that owns the ring.
 *
 * Records are 8-aligned and never longer than the area, so that an aligned u64
 * never lies across the wrap: rec_ring_u64() reads one at any position.
 */
#ifndef REC_RING_H
#define REC_RING_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct perf_event_mmap_page;

/* A record's header in this machine's byte order. */
struct rec_record_header {
	uint32_t type;
	uint16_t misc;
	uint16_t len;
};

struct rec_span {
	const uint8_t *ptr;
	size_t len;
};

struct rec_ring {
	struct perf_event_mmap_page *control; /* NULL: ordinary memory */
	const uint8_t *data;
	size_t data_len; /* a power of two */
	uint64_t tail;	 /* all before it was given back to the kernel */
	uint64_t upto;	 /* the end of the running epoch */
};

/* control: the page of the kernel (or a test); data_len bytes of data follow
 * page_len bytes after it.  Borrowed, never unmapped here. */
void rec_ring_init(struct rec_ring *ring, void *control, size_t page_len,
		   size_t data_len);

/* Make a ring of whole records in ordinary memory, to be drained once. len is a
 * multiple of 8. */
void rec_ring_init_memory(struct rec_ring *ring, const void *records,
			  size_t len);

/* Use the kernel's head as the end of the next drain.  Return -EBADMSG if the
 * head is invalid: less than the tail, or more than the area ahead of it. */
int rec_ring_load(struct rec_ring *ring, struct pd_err *err);

static inline size_t rec_ring_left(const struct rec_ring *ring)
{
	return (size_t)(ring->upto - ring->tail);
}

/* Return len as a share of the ring, in 1/256. */
static inline unsigned rec_ring_share(const struct rec_ring *ring, size_t len)
{
	return (unsigned)((uint64_t)len * 256 / ring->data_len);
}

/* Set span to the bytes between tail and to, in order.  Return the number of
 * spans: 0, 1 or 2. */
unsigned rec_ring_peek(const struct rec_ring *ring, uint64_t to,
		       struct rec_span span[2]);

/* Copy len bytes from pos on, over the wrap. */
void rec_ring_copy(const struct rec_ring *ring, uint64_t pos, size_t len,
		   void *to);

/* Return the aligned u64 at a byte count between tail and upto. */
static inline uint64_t rec_ring_u64(const struct rec_ring *ring, uint64_t pos)
{
	uint64_t v;

	memcpy(&v, ring->data + (pos & (ring->data_len - 1)), sizeof(v));
	return v;
}

/* Read the header of the record at pos.  Return false if it is invalid. */
static inline bool rec_ring_header(const struct rec_ring *ring, uint64_t pos,
				   struct rec_record_header *ret)
{
	uint64_t word;

	if (pos == ring->upto)
		return false;
	word = rec_ring_u64(ring, pos);
	memcpy(ret, &word, sizeof(*ret));
	return ret->len >= sizeof(*ret) && ret->len % 8 == 0 &&
	       ret->len <= ring->upto - pos;
}

/* Give everything up to pos, at most upto, back to the kernel. */
void rec_ring_release(struct rec_ring *ring, uint64_t pos);

/* Give everything up to upto back. */
static inline void rec_ring_consume(struct rec_ring *ring)
{
	rec_ring_release(ring, ring->upto);
}

#endif
