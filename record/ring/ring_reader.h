/* ring_reader.h: one ring, and the records moved from it to spare memory.
 *
 *	         spilled blocks            ring
 *	  ...  |==block==|==block==|  |tail ==== upto ==== head|
 *	       older                                      newer
 *
 * One thread drains a reader; at the same time others may move records to spare
 * memory (spill), so that the kernel gets its ring back while the first waits
 * for zstd or for the disk.  All hold the reader's lock while they use the ring
 * or the list.  A block belongs to the drain thread once it is off the list.
 *
 * Blocks do not hold the unused bytes after the end of a stack copy.
 *
 * Under pressure records go into blocks; if few blocks are left, stack copies
 * are cut, then samples dropped while other records are still stored, and no
 * more of either than brings the ring down to half (spill_buffer.h has the
 * levels).  Cut and dropped samples are counted by event, with the time.
 */
#ifndef REC_RING_READER_H
#define REC_RING_READER_H

#include "record/ring/ring.h"
#include "record/ring/sample_layouts.h"
#include "record/ring/spill_buffer.h"

/* Samples lost or cut, and between which times. */
struct rec_ring_reader_loss {
	uint64_t nr;
	uint64_t time_lo_ns;
	uint64_t time_hi_ns;
};

struct rec_ring_reader {
	struct rec_ring *ring; /* borrowed */
	int cpu;	       /* -1: it follows a thread */
	pthread_mutex_t lock;
	struct rec_spill_buffer *spill;		  /* borrowed; NULL: none */
	const struct rec_sample_layouts *layouts; /* borrowed */
	struct rec_spill_buffer_block *first;
	struct rec_spill_buffer_block *last;
	size_t waiting_len;   /* atomic: of the records in those blocks */
	uint64_t pressed_len; /* atomic: spilled while half a ring would not
			       * have sufficed */
	uint64_t goal;	      /* the ring position where this epoch ends */
	uint64_t looked_pos;  /* what tells of code was seen up to there */

	uint64_t time_ns; /* atomic: the newest drained; 0: none */
	/* From LOST records, with the times of the records around them. */
	struct rec_ring_reader_loss lost;
	struct rec_ring_reader_loss *dropped; /* owned, by event; dropped by
					       * us */
	struct rec_ring_reader_loss cut;      /* all events together */
};

/* Return 0, or -ENOMEM. */
int rec_ring_reader_init(struct rec_ring_reader *reader, struct rec_ring *ring,
			 int cpu);
/* Allow spilling.  Return 0, or -ENOMEM. */
int rec_ring_reader_allow_spill(struct rec_ring_reader *reader,
				struct rec_spill_buffer *spill,
				const struct rec_sample_layouts *layouts);
void rec_ring_reader_release(struct rec_ring_reader *reader);

/* Load the ring's head as the goal of an epoch, while nobody drains but others
 * may spill; *ret_len
 * is the length to drain.  Return -EBADMSG as rec_ring_load() does. */
int rec_ring_reader_begin(struct rec_ring_reader *reader, size_t *ret_len,
			  struct pd_err *err);

/* Show what the ring has of maps to layouts, which cut samples by them. */
void rec_ring_reader_look(struct rec_ring_reader *reader,
			  const struct rec_sample_layouts *layouts);

/* Return the bytes in the ring; without the lock. */
size_t rec_ring_reader_ring_len(const struct rec_ring_reader *reader);
/* Return the bytes that the kernel has ever written to it; without the lock. */
uint64_t rec_ring_reader_came_len(const struct rec_ring_reader *reader);
/* Return the bytes that wait in spare memory; without the lock. */
static inline size_t
rec_ring_reader_waiting_len(const struct rec_ring_reader *reader)
{
	return __atomic_load_n(&reader->waiting_len, __ATOMIC_RELAXED);
}
/* Called by the draining thread; rec_ring_reader_time() needs no lock. */
static inline void rec_ring_reader_set_time(struct rec_ring_reader *reader,
					    uint64_t time_ns)
{
	__atomic_store_n(&reader->time_ns, time_ns, __ATOMIC_RELAXED);
}
static inline uint64_t
rec_ring_reader_time(const struct rec_ring_reader *reader)
{
	return __atomic_load_n(&reader->time_ns, __ATOMIC_RELAXED);
}
/* Return the bytes that were spilled while more than half a ring waited: the
 * ring alone might have overflowed.  Without the lock. */
static inline uint64_t
rec_ring_reader_pressed_len(const struct rec_ring_reader *reader)
{
	return __atomic_load_n(&reader->pressed_len, __ATOMIC_RELAXED);
}
/* Return the share of the ring that is full, in 1/256; without the lock. */
unsigned rec_ring_reader_fill(const struct rec_ring_reader *reader);
enum {
	REC_RING_READER_BEHIND =
		64, /* what woke us is still there the next time */
	REC_RING_READER_HALF = 128,
	REC_RING_READER_PRESSED =
		192, /* it may overflow before it is drained */
};

/* Spill all that is in the ring, as far as there is room. */
void rec_ring_reader_spill(struct rec_ring_reader *reader);
/* Spill no more than what belongs to the epoch: all maps that its samples have
 * were seen (rec_epoch_look()). */
void rec_ring_reader_spill_epoch(struct rec_ring_reader *reader);
/* Do the one or the other without holding the lock.  Return false if another
 * thread has it. */
bool rec_ring_reader_try_spill(struct rec_ring_reader *reader, bool of_epoch);

/* Pack the oldest full block that is not yet.  Return false if there is none,
 * or another thread has the lock. */
bool rec_ring_reader_try_pack(struct rec_ring_reader *reader);

/* Take the oldest block off the list, with the lock held; NULL: none. */
struct rec_spill_buffer_block *
rec_ring_reader_pop(struct rec_ring_reader *reader);

void rec_ring_reader_loss_add(struct rec_ring_reader_loss *loss, uint64_t nr,
			      uint64_t time_lo_ns, uint64_t time_hi_ns);

#endif
