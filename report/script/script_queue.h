/* script_queue.h: batches of `script` between the thread that reads and writes
 * and those that format: given in order, done in any, got back in order.
 *
 *	the caller's thread		each other thread
 *	_give(queue, batch)		while ((batch = _take(queue))) {
 *	while ((batch = _next(queue)))		is_whole = make text of it
 *		write and reuse it		_put(queue, batch, is_whole)
 *	_close(queue)			}
 *
 * Where a batch is:
 *
 *	given --_take()--> in hands --_put()--> whole --_next()--> got back
 *			    ^    |
 *			_take()  _put()
 *			    |    v
 *			   with holes (script_batch.h), until the names are read
 *
 * What holds while nobody has the lock:
 *  - Batches are numbered as they are given, and back_nr <= taken_nr <=
 *    given_nr: those below back_nr are the caller's again, those from taken_nr
 *    on wait for a thread.  Between them are those in hands, whole, or with
 *    holes.
 *  - Those with holes stand in holed, from filled_nr to holed_nr.
 *  - made_len is the memory of those that are whole or have holes.
 *
 * Who waits for whom:
 *  - A thread waits for a batch that was given or, where some have holes, for
 *    the kernel's names: one thread asks for these, and wakes the others. Where
 *    most lines need them (is_futile), no batch is begun before they are there:
 *    it would be all holes.
 *  - The caller waits for the next batch.  While it goes on giving, only where
 *    threads have enough to do, or too much is made already; and it is woken
 *    once they have little left, not for each batch.
 * It always ends, since the oldest batch moves: in hands, by its thread; with
 * holes, when the names come; given, by the next thread that takes one, as
 * nothing else can be in hands, have holes, or fill the memory then.
 */
#ifndef RPT_SCRIPT_QUEUE_H
#define RPT_SCRIPT_QUEUE_H

#include "report/script/script_batch.h"

#include <pthread.h>

#define RPT_SCRIPT_QUEUE_NR 512u

/* Batches that wait for a thread or are in its hands, at most. */
#define RPT_SCRIPT_QUEUE_PER_THREAD 4u

enum rpt_script_wait {
	RPT_SCRIPT_WAIT_NONE,
	RPT_SCRIPT_WAIT_ROOM, /* until another batch may be given */
	RPT_SCRIPT_WAIT_ALL,  /* until all that were given are back */
};

struct rpt_script_queue {
	struct rpt_symbols *symbols;
	uint32_t threads_nr;
	uint64_t made_max_len;

	pthread_mutex_t lock; /* of all below, and of the batches' is_whole */
	pthread_cond_t work;  /* for threads */
	pthread_cond_t made;  /* for the caller */
	struct rpt_script_batch *batches[RPT_SCRIPT_QUEUE_NR]; /* by number */
	uint64_t given_nr;
	uint64_t taken_nr;
	uint64_t back_nr;
	struct rpt_script_batch *holed[RPT_SCRIPT_QUEUE_NR]; /* by number too */
	uint64_t holed_nr;  /* how many ever got holes */
	uint64_t filled_nr; /* of these, also those being filled */
	uint32_t in_hands_nr;
	uint64_t made_len;
	bool is_awaited; /* a thread waits for the kernel's names */
	bool is_futile;	 /* most lines of a batch needed them */
	bool is_closed;
	enum rpt_script_wait caller_waits;
};

/* For so many threads and so many bytes of what is made and not got back. */
void rpt_script_queue_init(struct rpt_script_queue *queue,
			   struct rpt_symbols *symbols, uint32_t threads_nr,
			   uint64_t made_max_len);
/* With the batches that are in it; no thread is at it any more. */
void rpt_script_queue_release(struct rpt_script_queue *queue);

/* The caller's thread.  After _give(), _next() until NULL: there is room for
 * another then (RPT_SCRIPT_WAIT_ROOM). */
void rpt_script_queue_give(struct rpt_script_queue *queue,
			   struct rpt_script_batch *batch);
struct rpt_script_batch *rpt_script_queue_next(struct rpt_script_queue *queue,
					       enum rpt_script_wait until);
/* Threads end when there is nothing left that they can do. */
void rpt_script_queue_close(struct rpt_script_queue *queue);

/* Each thread.  NULL: it is to end. */
struct rpt_script_batch *rpt_script_queue_take(struct rpt_script_queue *queue);
void rpt_script_queue_put(struct rpt_script_queue *queue,
			  struct rpt_script_batch *batch, bool is_whole);

#endif
