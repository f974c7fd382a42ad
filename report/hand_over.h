/* hand_over.h: blocks that one thread fills and another one uses in the same
 * order, a few ahead: which is next, and who waits for whom.
 *
 *	rpt_hand_over_init(&over, BLOCKS_NR);
 *	one thread:	while (rpt_hand_over_room(&over, &idx))
 *				fill blocks[idx];  rpt_hand_over_filled(&over);
 *	the other:	idx = rpt_hand_over_next(&over);
 *			use blocks[idx];  rpt_hand_over_used(&over);
 *			rpt_hand_over_end(&over);	wants no more
 *	rpt_hand_over_release(&over);		after the other has ended
 *
 * What the last block is, blocks tell themselves.
 */
#ifndef RPT_HAND_OVER_H
#define RPT_HAND_OVER_H

#include <pthread.h>
#include <stdbool.h>

struct rpt_hand_over {
	unsigned blocks_nr;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	unsigned filled_nr; /* changed by the one thread alone */
	unsigned used_nr;   /* by the other */
	bool is_over;	    /* no block is wanted any more */
};

void rpt_hand_over_init(struct rpt_hand_over *over, unsigned blocks_nr);
void rpt_hand_over_release(struct rpt_hand_over *over);

/* Waits until there is a block to fill.  False: none is wanted. */
bool rpt_hand_over_room(struct rpt_hand_over *over, unsigned *ret_idx);
void rpt_hand_over_filled(struct rpt_hand_over *over);

/* Waits for the next block to use; the same one until it was. */
unsigned rpt_hand_over_next(struct rpt_hand_over *over);
void rpt_hand_over_used(struct rpt_hand_over *over);

/* Ends the filling, even of who waits for room. */
void rpt_hand_over_end(struct rpt_hand_over *over);

#endif
