/* epoch.h: one round of draining all rings, by any number of threads.
 *
 *	coordinator                     each drain thread
 *	rec_epoch_begin()  loads heads
 *	                                while (ring = rec_epoch_take())
 *	                                        drain it up to ring->upto
 *	                                        rec_epoch_done()
 *	all done: append the frames, then FINISHED_ROUND
 *
 * Why a marker may follow: a reader lets everything go, at marker k, that is
 * not newer than what it saw up to marker k-1 (FORMAT.md "Order").  All heads
 * of an epoch are loaded after those of the epoch before; so what is not in
 * the file at marker k was written by the kernel after all of epoch k-1 had
 * been.  In which order the rings of one epoch are drained does not matter.
 * Several epochs may share one marker: the rule holds for the last of them.
 */
#ifndef REC_EPOCH_H
#define REC_EPOCH_H

#include "record/ring.h"

#include <stdbool.h>

struct rec_epoch {
	struct rec_ring *rings; /* borrowed */
	size_t ring_nr;
	uint64_t seq;	   /* counts epochs, 1 in the first */
	size_t next_idx;   /* atomic: the first ring that nobody took */
	size_t pending_nr; /* atomic: rings taken or not, but not done */
	size_t bytes_len;  /* to drain in this epoch */
};

void rec_epoch_init(struct rec_epoch *epoch, struct rec_ring *rings,
		    size_t ring_nr);

/* Loads the heads of all rings.  -EBADMSG: a ring's head cannot be; that ring
 * has nothing to drain from then on, the others have. */
int rec_epoch_begin(struct rec_epoch *epoch, struct pd_err *err);

/* The next ring with something in it; NULL: all are taken.  The taker owns it
 * until rec_epoch_done(). */
struct rec_ring *rec_epoch_take(struct rec_epoch *epoch);

/* True for the caller that finished the last ring of the epoch. */
bool rec_epoch_done(struct rec_epoch *epoch);

#endif
