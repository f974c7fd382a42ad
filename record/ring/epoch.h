/* epoch.h: one round of draining all rings, by any number of threads.
 *
 *	coordinator                     each drain thread
 *	rec_epoch_begin()  loads heads
 *	                                rec_epoch_enter()
 *	                                while (ring = rec_epoch_take())
 *	                                        drain it up to its goal
 *	all done: append the frames, then FINISHED_ROUND
 *
 * Why a marker may follow: a reader lets everything go, at marker k, that is
 * not newer than what it saw up to marker k-1 (FORMAT.md "Order").  All heads
 * of an epoch are loaded after everything that was drained in the epoch before
 * had been written by the kernel; so what is not in the file at marker k is
 * newer than all of epoch k-1.  In which order the rings of one epoch are
 * drained does not matter, nor that some are drained beyond their goal.
 * Several epochs may share one marker: the rule holds for the last of them.
 *
 * A thread that took a ring keeps it, over epochs, until the frame is in the
 * file that holds the last records of that ring: so what is in one ring comes
 * into the file in its own order, whoever drains it, even without times.  Each
 * thread counts its frames; rec_epoch_note() says which one a ring went into,
 * rec_epoch_release() which one is still open.
 */
#ifndef REC_EPOCH_H
#define REC_EPOCH_H

#include "record/ring/ring_reader.h"

enum { REC_EPOCH_NOBODY = 0 };
#define REC_EPOCH_NO_FRAME UINT64_MAX

struct rec_epoch_slot {
	uint32_t pin;	/* the one thread that may take it, or nobody */
	uint32_t claim; /* atomic: who took it, or nobody */
	uint64_t frame; /* of that thread: where its last records are */
	bool is_pending;
};

struct rec_epoch {
	struct rec_ring_reader *readers; /* borrowed */
	struct rec_epoch_slot *slots;	 /* owned, of the same index */
	size_t reader_nr;
	uint64_t seq;	   /* counts epochs, 1 in the first */
	size_t pending_nr; /* rings with something to drain */
	size_t bytes_len;  /* to drain in this epoch */
	unsigned fill;	   /* of the fullest ring, in 1/256 */
};

/* Threads are numbered from 1. */
struct rec_epoch_cursor {
	uint32_t thread;
	size_t own_idx;
	size_t any_idx;
};

/* -ENOMEM. */
int rec_epoch_init(struct rec_epoch *epoch, struct rec_ring_reader *readers,
		   size_t reader_nr);
void rec_epoch_free(struct rec_epoch *epoch);

/* Only this thread takes the ring. */
void rec_epoch_pin(struct rec_epoch *epoch, size_t idx, uint32_t thread);

/* Load the heads of all rings, while nobody drains.  -EBADMSG: a ring's head
 * cannot be; that ring has nothing to drain from then on, the others have. */
int rec_epoch_begin(struct rec_epoch *epoch, struct pd_err *err);

/* Before a thread takes the first of an epoch. */
static inline void rec_epoch_enter(struct rec_epoch_cursor *cursor)
{
	cursor->own_idx = cursor->any_idx = 0;
}

/* The next ring for this thread; NULL: the others are not for it. */
struct rec_ring_reader *rec_epoch_take(struct rec_epoch *epoch,
				       struct rec_epoch_cursor *cursor);

/* Return whether a thread other than this one keeps a ring that others could
 * take. */
bool rec_epoch_is_kept(const struct rec_epoch *epoch, uint32_t beside);

/* Drained by the thread that took it; its last records are in that thread's
 * frame of this number. */
void rec_epoch_note(struct rec_epoch *epoch,
		    const struct rec_ring_reader *reader, uint64_t frame);

/* What this thread keeps may be taken by anybody again, but for rings with
 * records in open_frame (REC_EPOCH_NO_FRAME: it has none).  While nobody
 * drains. */
void rec_epoch_release(struct rec_epoch *epoch, uint32_t thread,
		       uint64_t open_frame);

#endif
