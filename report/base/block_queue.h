/* block_queue.h: blocks that threads fill and one uses in their order, a few
 * ahead: which is next, and who waits for whom.
 *
 *	rpt_block_queue_init(&over, BLOCKS_NR);
 *	each that fills:
 *		while (rpt_block_queue_take(&over, &nr))
 *			fill blocks[nr % BLOCKS_NR];
 *			rpt_block_queue_give(&over, nr);
 *	the one that uses them:
 *		idx = rpt_block_queue_next(&over);
 *		use blocks[idx];  rpt_block_queue_used(&over);
 *	or, where it fills some while none is there to be used:
 *		if (!rpt_block_queue_next_or_take(&over, &nr))
 *			fill blocks[nr % BLOCKS_NR];
 *			rpt_block_queue_give(&over, nr);
 *		else	use it;  rpt_block_queue_used(&over);
 *	and at last
 *		rpt_block_queue_end(&over);	wants no more
 *	rpt_block_queue_release(&over);		after the others have ended
 *
 * What the last block is, blocks tell themselves, or rpt_block_queue_limit()
 * was told.
 */
#ifndef RPT_BLOCK_QUEUE_H
#define RPT_BLOCK_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

#define RPT_BLOCK_QUEUE_MAX 32u /* blocks in memory */

struct rpt_block_queue {
	unsigned blocks_nr;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t filled;
	pthread_cond_t room;
	unsigned taken_nr;  /* to be filled; block nr is nr modulo blocks_nr */
	unsigned used_nr;   /* changed by the one that uses alone */
	unsigned wanted_nr; /* no block is from this number on */
	bool is_filled[RPT_BLOCK_QUEUE_MAX];
};

/* blocks_nr: RPT_BLOCK_QUEUE_MAX at most. */
void rpt_block_queue_init(struct rpt_block_queue *over, unsigned blocks_nr);
void rpt_block_queue_release(struct rpt_block_queue *over);

/* Before any is taken: there are so many in all. */
void rpt_block_queue_limit(struct rpt_block_queue *over, unsigned all_nr);

/* Waits until there is a block to fill: its number, from 0 on.  False: none is
 * wanted. */
bool rpt_block_queue_take(struct rpt_block_queue *over, unsigned *ret_nr);
void rpt_block_queue_give(struct rpt_block_queue *over, unsigned nr);

/* Waits for the next block to use; the same one until it was. */
unsigned rpt_block_queue_next(struct rpt_block_queue *over);
void rpt_block_queue_used(struct rpt_block_queue *over);

/* True: the next block is there.  False: it is not yet, and block *ret_nr is to
 * be filled meanwhile.  Waits where there is neither. */
bool rpt_block_queue_next_or_take(struct rpt_block_queue *over,
				  unsigned *ret_nr);

/* Ends the filling, even of who waits for room. */
void rpt_block_queue_end(struct rpt_block_queue *over);

#endif
