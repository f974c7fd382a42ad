/* hand_over.h: blocks that threads fill and one uses in their order, a few
 * ahead: which is next, and who waits for whom.
 *
 *	rpt_hand_over_init(&over, BLOCKS_NR);
 *	each that fills:
 *		while (rpt_hand_over_take(&over, &nr))
 *			fill blocks[nr % BLOCKS_NR];
 *			rpt_hand_over_give(&over, nr);
 *	the one that uses them:
 *		idx = rpt_hand_over_next(&over);
 *		use blocks[idx];  rpt_hand_over_used(&over);
 *	or, where it fills some while none is there to be used:
 *		if (!rpt_hand_over_next_or_take(&over, &nr))
 *			fill blocks[nr % BLOCKS_NR];
 *			rpt_hand_over_give(&over, nr);
 *		else	use it;  rpt_hand_over_used(&over);
 *	and at last
 *		rpt_hand_over_end(&over);	wants no more
 *	rpt_hand_over_release(&over);		after the others have ended
 *
 * What the last block is, blocks tell themselves, or rpt_hand_over_limit() was
 * told.
 */
#ifndef RPT_HAND_OVER_H
#define RPT_HAND_OVER_H

#include <pthread.h>
#include <stdbool.h>

#define RPT_HAND_OVER_MAX 32u /* blocks in memory */

struct rpt_hand_over {
	unsigned blocks_nr;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t filled;
	pthread_cond_t room;
	unsigned taken_nr;  /* to be filled; block nr is nr modulo blocks_nr */
	unsigned used_nr;   /* changed by the one that uses alone */
	unsigned wanted_nr; /* no block is from this number on */
	bool is_filled[RPT_HAND_OVER_MAX];
};

/* blocks_nr: RPT_HAND_OVER_MAX at most. */
void rpt_hand_over_init(struct rpt_hand_over *over, unsigned blocks_nr);
void rpt_hand_over_release(struct rpt_hand_over *over);

/* Before any is taken: there are so many in all. */
void rpt_hand_over_limit(struct rpt_hand_over *over, unsigned all_nr);

/* Waits until there is a block to fill: its number, from 0 on.  False: none is
 * wanted. */
bool rpt_hand_over_take(struct rpt_hand_over *over, unsigned *ret_nr);
void rpt_hand_over_give(struct rpt_hand_over *over, unsigned nr);

/* Waits for the next block to use; the same one until it was. */
unsigned rpt_hand_over_next(struct rpt_hand_over *over);
void rpt_hand_over_used(struct rpt_hand_over *over);

/* True: the next block is there.  False: it is not yet, and block *ret_nr is to
 * be filled meanwhile.  Waits where there is neither. */
bool rpt_hand_over_next_or_take(struct rpt_hand_over *over, unsigned *ret_nr);

/* Ends the filling, even of who waits for room. */
void rpt_hand_over_end(struct rpt_hand_over *over);

#endif
