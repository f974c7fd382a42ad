/* epoch.h: one round of draining all rings, by any number of threads.
 *
 *	coordinator                     each drain thread
 *	rec_epoch_begin()  loads heads
 *	                                rec_epoch_enter()
 *	                                while (ring = rec_epoch_take())
 *	                                        drain it up to its goal
 *	all done: append the frames, then FINISHED_ROUND
 *
 * Why a marker may follow: at marker k, a reader processes all records that are
 * not newer than those that it read up to marker k-1 (FORMAT.md "Order").  All
 * heads of an epoch are loaded after the kernel had written everything that was
 * drained in the epoch before; so records that are not in the file at marker k
 * are newer than all of epoch k-1.  The order in which the rings of one epoch
 * are drained does not matter, nor that some are drained beyond their goal.
 * Several epochs may share one marker: the rule holds for the last of them.
 *
 * A thread that claims a ring keeps it, over epochs, until the frame with the
 * last records of that ring is in the file: so the records of one ring are in
 * order in the file, whichever thread drains it, even without times.  Each
 * thread counts its frames; rec_epoch_note() records the frame of a ring,
 * rec_epoch_release() names the one that is still open.
 */
#ifndef REC_EPOCH_H
#define REC_EPOCH_H

#include "record/ring/ring_reader.h"

enum { REC_EPOCH_NOBODY = 0 };
#define REC_EPOCH_NO_FRAME UINT64_MAX

struct rec_epoch_slot {
	uint32_t pin;	/* the one thread that may claim it, or nobody */
	uint32_t claim; /* atomic: the thread that claimed it, or nobody */
	uint64_t frame; /* of that thread: the frame with its last records */
	bool is_pending;
};

struct rec_epoch {
	struct rec_ring_reader *readers; /* borrowed */
	struct rec_epoch_slot *slots;	 /* owned, with the index of readers */
	size_t reader_nr;
	uint64_t seq;	   /* number of the epoch, 1 for the first */
	size_t pending_nr; /* rings with something to drain */
	size_t bytes_len;  /* to drain in this epoch */
	unsigned fill;	   /* of the fullest ring, in 1/256 */
};

/* A drain thread; they are numbered from 1. */
struct rec_epoch_cursor {
	uint32_t thread;
	size_t own_idx;
	size_t any_idx;
};

int rec_epoch_init(struct rec_epoch *epoch, struct rec_ring_reader *readers,
		   size_t reader_nr);
void rec_epoch_free(struct rec_epoch *epoch);

/* Let only this thread claim the ring. */
void rec_epoch_pin(struct rec_epoch *epoch, size_t idx, uint32_t thread);

/* Load the heads of all rings, while nobody drains.  Return -EBADMSG if one is
 * invalid; that ring is not drained from then on, the others are. */
int rec_epoch_begin(struct rec_epoch *epoch, struct pd_err *err);

/* Called before that epoch is drained, if samples are cut by maps: look at all
 * rings.  A map is in its ring before a sample of its process is in any. */
void rec_epoch_look(struct rec_epoch *epoch,
		    const struct rec_sample_layouts *layouts);

/* Called before a thread takes its first ring of an epoch. */
static inline void rec_epoch_enter(struct rec_epoch_cursor *cursor)
{
	cursor->own_idx = cursor->any_idx = 0;
}

/* Return the next ring for this thread; NULL if no other is for it. */
struct rec_ring_reader *rec_epoch_take(struct rec_epoch *epoch,
				       struct rec_epoch_cursor *cursor);

/* Return true if another thread has claimed a ring that others could take. */
bool rec_epoch_is_kept(const struct rec_epoch *epoch, uint32_t beside);

/* Record that the last records of a ring are in the frame of this number;
 * called by the thread that drained it. */
void rec_epoch_note(struct rec_epoch *epoch,
		    const struct rec_ring_reader *reader, uint64_t frame);

/* Release the rings that this thread has claimed, except those with records in
 * open_frame (REC_EPOCH_NO_FRAME: it has none).  Called while nobody drains. */
void rec_epoch_release(struct rec_epoch *epoch, uint32_t thread,
		       uint64_t open_frame);

#endif
