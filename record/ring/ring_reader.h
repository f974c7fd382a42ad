/* ring_reader.h: one ring, and what was taken out of it into spare memory.
 *
 *	         spilled blocks            ring
 *	  ...  |==block==|==block==|  |tail ==== upto ==== head|
 *	       older                                      newer
 *
 * At any time one thread drains a reader; another, the collector, may spill it
 * meanwhile, so that the kernel gets its ring back while the first waits for
 * zstd or for the disk.  Both hold the reader's lock while they look at the
 * ring.  A block that the drain took off the list is its own.
 *
 * A stack copy goes into a block without what follows the stack's end.
 *
 * Under pressure records go into blocks; where few blocks are left, stack
 * copies are cut, then samples dropped and only the others kept, and no more
 * of either than brings the ring down to half (spill_buffer.h has the levels).
 * What was cut or dropped is counted by event, with the time.
 */
#ifndef REC_RING_READER_H
#define REC_RING_READER_H

#include "record/ring/ring.h"
#include "record/ring/sample_layouts.h"
#include "record/ring/spill_buffer.h"

/* Samples lost, or cut, and between which times. */
struct rec_ring_reader_loss {
	uint64_t nr;
	uint64_t time_lo_ns;
	uint64_t time_hi_ns;
};

struct rec_ring_reader {
	struct rec_ring *ring; /* borrowed */
	int cpu;	       /* -1: it follows a thread */
	pthread_mutex_t lock;
	struct rec_spill_buffer *spill; /* borrowed; NULL: there is none */
	const struct rec_sample_layouts *layouts; /* borrowed */
	struct rec_spill_buffer_block *first;
	struct rec_spill_buffer_block *last;
	size_t waiting_len;   /* atomic: of the records in those blocks */
	uint64_t pressed_len; /* atomic: spilled while a ring would not do */
	uint64_t goal; /* the ring position that this epoch drains up to */

	uint64_t time_ns; /* atomic: the newest that was drained; 0: none */
	/* As LOST records say; between the records around them. */
	struct rec_ring_reader_loss lost;
	struct rec_ring_reader_loss *dropped; /* owned, by event; by us */
	struct rec_ring_reader_loss cut;      /* all events together */
};

/* -ENOMEM. */
int rec_ring_reader_init(struct rec_ring_reader *reader, struct rec_ring *ring,
			 int cpu);
/* Allow spilling; -ENOMEM. */
int rec_ring_reader_allow_spill(struct rec_ring_reader *reader,
				struct rec_spill_buffer *spill,
				const struct rec_sample_layouts *layouts);
void rec_ring_reader_release(struct rec_ring_reader *reader);

/* Load the ring's head as the goal of an epoch, while nobody drains; what
 * there is to drain is left in *ret_len.  -EBADMSG as rec_ring_load(). */
int rec_ring_reader_begin(struct rec_ring_reader *reader, size_t *ret_len,
			  struct pd_err *err);

/* What is in the ring, in bytes; without the lock. */
size_t rec_ring_reader_ring_len(const struct rec_ring_reader *reader);
/* What was taken out of it and waits, in bytes; without the lock. */
static inline size_t
rec_ring_reader_waiting_len(const struct rec_ring_reader *reader)
{
	return __atomic_load_n(&reader->waiting_len, __ATOMIC_RELAXED);
}
/* By who drains it; rec_ring_reader_time() without the lock. */
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
/* What came to spare memory while more waited than half a ring holds: the ring
 * alone might have run over.  Without the lock. */
static inline uint64_t
rec_ring_reader_pressed_len(const struct rec_ring_reader *reader)
{
	return __atomic_load_n(&reader->pressed_len, __ATOMIC_RELAXED);
}
/* The share of the ring that is full, in 1/256; without the lock. */
unsigned rec_ring_reader_fill(const struct rec_ring_reader *reader);
enum {
	REC_RING_READER_BEHIND =
		64, /* what woke us was not drained by the next time */
	REC_RING_READER_HALF = 128,
	REC_RING_READER_PRESSED =
		192, /* it may overflow before it is drained */
};

/* Take all that is in the ring, or what there is room for. */
void rec_ring_reader_spill(struct rec_ring_reader *reader);
/* The same by a thread that does not hold the lock; false where another one
 * does. */
bool rec_ring_reader_try_spill(struct rec_ring_reader *reader);

/* With the lock held: the oldest block, taken off the list; NULL: none. */
struct rec_spill_buffer_block *
rec_ring_reader_pop(struct rec_ring_reader *reader);

void rec_ring_reader_loss_add(struct rec_ring_reader_loss *loss, uint64_t nr,
			      uint64_t time_lo_ns, uint64_t time_hi_ns);

#endif
