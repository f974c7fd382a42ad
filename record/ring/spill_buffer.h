/* spill_buffer.h: spare memory for records that a ring cannot hold.
 *
 * It is a pool of blocks in one mapping of ordinary memory: it counts neither
 * against kernel.perf_event_mlock_kb nor against ulimit -l, and pages are
 * allocated on first use.  Blocks hold whole records.  The last blocks are
 * reserved for the most important ones:
 *
 *	|========= any record ==========|== cut samples ==|= sideband =|
 *	all free                       1/4               1/8      none free
 *
 * Once half of them are taken, blocks that wait are packed (zstd level 1): one
 * block then holds the records of several, as
 *
 *	[u32 length packed][u32 length plain][one zstd frame] ...
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
};

struct rec_spill_buffer_block {
	struct rec_spill_buffer_block *next;
	uint8_t *data;	  /* REC_SPILL_BUFFER_BLOCK_LEN bytes */
	size_t len;	  /* of what is in it */
	size_t plain_len; /* of its records: len, unless they are packed */
	uint64_t upto;	  /* the ring position after them */
	bool is_packed;
	bool is_tried; /* packing does not make it shorter */
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
	size_t touched_nr; /* the blocks below it may have pages */
};

/* Return how much a recording has by itself: 32 MiB and one more for each ring,
 * but at most a 32nd of the machine's memory (ram_len), and a quarter of what
 * the control groups leave (room_len, UINT64_MAX: no limit) but for 6 MiB: the
 * rest is for names (carry.h).
 *
 * Sizes.  60 s at 99 Hz are 5,940 samples a CPU.  Each has 64 bytes and 8 for
 * each frame of its call chain: 2.3 MB for 40 frames, 6.4 MB for the 127 that
 * kernel.perf_event_max_stack allows.  Packed, 128 KiB at a time, that was a
 * fifth of a mixed load and a 14th of deep recursion.  Each ring has a block
 * that is being filled and, on average, half of one that is packed into: 0.2
 * MB.  So 64 CPUs need 42 MB for 40 frames, 53 MB for 127 at a tenth, and have
 * 96 MiB, of which samples may take 88 MB.  600 programs that start in a second
 * write 0.7 MB a second: 8 MB packed.
 */
size_t rec_spill_buffer_len_default(size_t ring_nr, uint64_t ram_len,
				    uint64_t room_len);

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

/* Return true if so little is free that blocks that wait are to be packed. */
bool rec_spill_buffer_is_scarce(struct rec_spill_buffer *spill);

/* Pack the records of a block: into the packed block before it (NULL: there is
 * none) if that has room for them, else in its own place.  Return true if the
 * block before it has them now. */
bool rec_spill_buffer_pack(struct rec_spill_buffer_block *block,
			   struct rec_spill_buffer_block *before);
/* Unpack the records at *at of a packed block into plain, which has
 * REC_SPILL_BUFFER_BLOCK_LEN bytes, and move *at on.  Return 0, -ENOMEM, or
 * -EIO if that is not what was packed. */
int rec_spill_buffer_unpack(const struct rec_spill_buffer_block *block,
			    size_t *at, uint8_t *plain, size_t *ret_len);

/* Return the pages to the system if all blocks are free again, but for those of
 * the lowest blocks. */
void rec_spill_buffer_trim(struct rec_spill_buffer *spill);

#endif
