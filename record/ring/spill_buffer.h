/* spill_buffer.h: spare memory for records that a ring cannot hold.
 *
 * It is a pool of blocks in one mapping of ordinary memory: it counts neither
 * against kernel.perf_event_mlock_kb nor against ulimit -l, and pages are
 * allocated on first use.  Blocks hold whole records.  The last blocks are
 * reserved for the most important ones:
 *
 *	|========= any record ==========|== cut samples ==|= sideband =|
 *	all free                       1/4               1/8      none free
 */
#ifndef REC_SPILL_BUFFER_H
#define REC_SPILL_BUFFER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	REC_SPILL_BUFFER_BLOCK_LEN = 128 * 1024,
	REC_SPILL_BUFFER_LEN_MIN = 8 * REC_SPILL_BUFFER_BLOCK_LEN,
	REC_SPILL_BUFFER_LEN_DEFAULT = 32 * 1024 * 1024,
};

struct rec_spill_buffer_block {
	struct rec_spill_buffer_block *next;
	uint8_t *data; /* REC_SPILL_BUFFER_BLOCK_LEN bytes */
	size_t len;    /* of the records in it */
	uint64_t upto; /* the ring position after them */
};

/* The records for which there is room. */
enum rec_spill_buffer_level {
	REC_SPILL_BUFFER_ALL,
	REC_SPILL_BUFFER_CUT,
	REC_SPILL_BUFFER_SIDEBAND,
	REC_SPILL_BUFFER_NOTHING,
};

struct rec_spill_buffer {
	pthread_mutex_t lock;
	uint8_t *base; /* mapped; NULL: no spare memory */
	size_t base_len;
	struct rec_spill_buffer_block *blocks; /* owned */
	struct rec_spill_buffer_block *free;
	size_t nr;
	size_t free_nr;
	bool is_touched; /* a block was taken since the last trim */
};

/* len: bytes, 0 for none.  Return 0, or -ENOMEM. */
int rec_spill_buffer_init(struct rec_spill_buffer *spill, size_t len);
void rec_spill_buffer_release(struct rec_spill_buffer *spill);

enum rec_spill_buffer_level
rec_spill_buffer_level(struct rec_spill_buffer *spill);
/* Return an empty block; NULL if none is free. */
struct rec_spill_buffer_block *
rec_spill_buffer_take(struct rec_spill_buffer *spill);
void rec_spill_buffer_give(struct rec_spill_buffer *spill,
			   struct rec_spill_buffer_block *block);

/* Return the pages to the system if all blocks are free again. */
void rec_spill_buffer_trim(struct rec_spill_buffer *spill);

#endif
