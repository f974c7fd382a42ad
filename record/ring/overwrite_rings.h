/* overwrite_rings.h: rings that are overwritten: --overwrite, the flight
 * recorder.
 *
 * The kernel writes such a ring backwards (attr.write_backward), each record in
 * front of the one before, and never waits for a reader:
 *
 *	data_head
 *	    |newest|....|....|oldest that is whole|torn|
 *
 * data_head goes down from 0 and wraps modulo 2^64.  While a ring is read its
 * output is paused.  What was copied once is not copied again.
 */
#ifndef REC_OVERWRITE_RINGS_H
#define REC_OVERWRITE_RINGS_H

#include "record/targets/event_open.h"

struct rec_overwrite_rings_ring {
	void *base; /* mmap'ed, read only */
	size_t map_len;
	uint64_t seen; /* data_head of the last copy; 0 at first */
	int cpu;
	pid_t tid;
	int fd; /* of the open set */
};

struct rec_overwrite_rings {
	struct rec_overwrite_rings_ring *rings; /* owned */
	size_t nr;
	size_t data_len; /* of each ring */
	uint8_t *copy;	 /* owned, data_len bytes */
};

/* Maps a ring for each CPU (or thread) of the events that are written
 * backwards, and sends them there.  data_len is a power of two; where the
 * memory limit forbids so much, it is halved. */
int rec_overwrite_rings_map(struct rec_overwrite_rings *ret,
			    const struct rec_open_set *open, size_t data_len,
			    struct pd_err *err);
void rec_overwrite_rings_unmap(struct rec_overwrite_rings *flight);

/* Gets the records of one ring, oldest first.  0, or a negative errno. */
typedef int rec_overwrite_rings_fn(void *ctx, const void *records, size_t len,
				   int cpu);

/* Pauses all rings, copies one after the other and lets it go on.  0, or what
 * take returned first that was not; the rings behind are taken all the same. */
int rec_overwrite_rings_take(struct rec_overwrite_rings *flight,
			     rec_overwrite_rings_fn *take, void *ctx);

/* The whole records of a ring from head up to at most seen, oldest first, at
 * the end of copy (data_len bytes): where they begin there.  A record that
 * cannot be ends them. */
size_t rec_overwrite_rings_copy(const uint8_t *data, size_t data_len,
				uint64_t head, uint64_t seen, uint8_t *copy);

#endif
