/* work_queue.h: blocks of work that threads do, and that the caller gets back
 * in the order in which it gave them.
 *
 *	rpt_work_queue_start(&queue, &conf);
 *	for (i = 0; i < BLOCKS_NR; i++)
 *		rpt_work_queue_give(&queue, &blocks[i]);
 *	while ((block = rpt_work_queue_next(&queue)))
 *		use what conf.fn made of block;
 *		give it again, if there is more to do
 *	rpt_work_queue_stop(&queue);
 *
 * Blocks are begun in the order in which they are given: a single thread does
 * one after the other.  If no thread can be started (or conf.threads_nr is 0),
 * rpt_work_queue_next() does the work.  An error is noted in the block by
 * conf.fn.  All functions are for the caller's thread.
 */
#ifndef RPT_WORK_QUEUE_H
#define RPT_WORK_QUEUE_H

#include "report/base/threads.h"

#include <stdbool.h>

#define RPT_WORK_QUEUE_MAX 64u /* blocks in the queue; a power of 2 */

/* Do the work of one block.  thread is the number of the thread that does it,
 * from 0 on; the caller's is conf.threads_nr. */
typedef void rpt_work_fn(void *ctx, uint32_t thread, void *block);

struct rpt_work_queue_conf {
	uint32_t threads_nr; /* beside the caller's */
	bool is_helped;	     /* the caller's thread works while it waits */
	rpt_work_fn *fn;
	void *ctx;
};

struct rpt_work_queue_slot {
	void *block; /* the caller's */
	bool is_done;
};

struct rpt_work_queue {
	struct rpt_work_queue_conf conf;
	struct rpt_threads threads;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t given;
	pthread_cond_t done;
	struct rpt_work_queue_slot slots[RPT_WORK_QUEUE_MAX]; /* by number */
	uint64_t given_nr;
	uint64_t begun_nr;
	uint64_t back_nr; /* the caller's again */
	bool is_stopped;
};

/* Start the threads.  The queue must not move afterwards. */
void rpt_work_queue_start(struct rpt_work_queue *queue,
			  const struct rpt_work_queue_conf *conf);

/* Put block behind the others; it is the queue's until it comes back.  There
 * must be room for it. */
void rpt_work_queue_give(struct rpt_work_queue *queue, void *block);

/* Return the oldest block that was given and is not back yet, after its work is
 * done.  NULL: there is none. */
void *rpt_work_queue_next(struct rpt_work_queue *queue);

/* Stop the threads, after the blocks that they are at, and free the queue.
 * Blocks that did not come back remain the caller's. */
void rpt_work_queue_stop(struct rpt_work_queue *queue);

#endif
