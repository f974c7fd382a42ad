/* drain_pool.h: the drain threads, beside the main thread, which waits.
 *
 *	main thread                         pool's threads
 *	rec_epoch_begin()
 *	rec_pool_run()      ----------->    take rings, drain them, end their
 *	rec_pool_wait()                     frames if requested; the
 *	                                    last one ends the round
 *
 * Threads are started when they are needed first: a short recording needs none.
 * Between rec_pool_run() and the end of that run the epoch belongs to the pool.
 */
#ifndef REC_DRAIN_POOL_H
#define REC_DRAIN_POOL_H

#include "record/ring/affinity.h"
#include "record/ring/boost.h"
#include "record/ring/drain.h"
#include "record/ring/epoch.h"
#include "record/ring/thread_plan.h"

struct rec_pool_conf {
	const struct rec_thread_plan *plan;  /* borrowed */
	const struct rec_affinity *affinity; /* borrowed */
	struct rec_epoch *epoch;	     /* borrowed */
	struct rec_sink *sink;		     /* borrowed */
	struct rec_shape shape;
	const struct rec_sample_layouts *layouts; /* borrowed */
	int level;
	uint64_t slow_ns; /* of a run, after which a slow level is late */
	const struct rec_side_watch *watch; /* borrowed; NULL: none */
	struct rec_held_tasks *held;	    /* borrowed; NULL: none */
	struct rec_boost *boost;	    /* borrowed; NULL: none */
	/* Called by one thread after all frames of a flush are in the file. */
	int (*end_round)(void *ctx);
	void *ctx;
};

struct rec_pool_thread;

struct rec_pool {
	struct rec_pool_conf conf;
	struct rec_pool_thread *threads; /* owned */
	size_t nr;
	size_t started_nr;
	int idle_fd; /* eventfd: written at the end of a run if requested */

	pthread_mutex_t lock;
	pthread_cond_t idle;
	size_t busy_nr;	  /* threads that have not finished this run */
	bool flush;	  /* this run ends all frames */
	uint64_t late_ns; /* when this run has taken slow_ns */
	bool want_event;  /* write idle_fd at the end of this run */
	bool stop;
	int rc;		   /* the first failure of all threads */
	struct pd_err bad; /* the first ring that could not be read */
};

/* Return 0, or -ENOMEM. */
int rec_pool_init(struct rec_pool *pool, const struct rec_pool_conf *conf,
		  struct pd_err *err);
/* Wait for a run to end, then for the threads. */
void rec_pool_release(struct rec_pool *pool);

/* Have the threads drain the epoch; flush: end all frames, too.  The pool must
 * not be busy.  Return 0, or the error of starting a thread. */
int rec_pool_run(struct rec_pool *pool, bool flush, struct pd_err *err);

bool rec_pool_is_busy(struct rec_pool *pool);
/* Return true if it is busy, and will write to idle_fd when the run ends. */
bool rec_pool_want_event(struct rec_pool *pool);
/* Wait until it is idle.  Return 0, or the first failure so far. */
int rec_pool_wait(struct rec_pool *pool);

#endif
