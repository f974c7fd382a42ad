/* spill.h: spare memory that takes what a ring cannot hold.
 *
 * A pool of blocks in one mapping of ordinary memory: it counts neither
 * against kernel.perf_event_mlock_kb nor against ulimit -l, and no page of it
 * exists before it is used.  Blocks hold whole records.  The last blocks are
 * kept back for what matters most:
 *
 *	|========= any record ==========|== cut samples ==|= sideband =|
 *	all free                       1/4               1/8      none free
 */
#ifndef REC_SPILL_H
#define REC_SPILL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	REC_SPILL_BLOCK_LEN = 128 * 1024,
	REC_SPILL_LEN_MIN = 8 * REC_SPILL_BLOCK_LEN,
	REC_SPILL_LEN_DEFAULT = 32 * 1024 * 1024,
};

struct rec_spill_block {
	struct rec_spill_block *next;
	uint8_t *data; /* REC_SPILL_BLOCK_LEN bytes */
	size_t len;    /* of the records in it */
	uint64_t upto; /* where in the ring what follows them stands */
};

/* What there is room for. */
enum rec_spill_level {
	REC_SPILL_ALL,
	REC_SPILL_CUT,
	REC_SPILL_SIDEBAND,
	REC_SPILL_NOTHING,
};

struct rec_spill {
	pthread_mutex_t lock;
	uint8_t *base; /* mapped; NULL: there is no spare memory */
	size_t base_len;
	struct rec_spill_block *blocks; /* owned */
	struct rec_spill_block *free;
	size_t nr;
	size_t free_nr;
	bool is_touched; /* a block was taken since the last trim */
};

/* len: bytes, 0 for none. -ENOMEM. */
int rec_spill_init(struct rec_spill *spill, size_t len);
void rec_spill_release(struct rec_spill *spill);

enum rec_spill_level rec_spill_level(struct rec_spill *spill);
/* An empty block; NULL: none is free. */
struct rec_spill_block *rec_spill_take(struct rec_spill *spill);
void rec_spill_give(struct rec_spill *spill, struct rec_spill_block *block);

/* Hands the pages back to the system where all blocks are free again. */
void rec_spill_trim(struct rec_spill *spill);

#endif
