/* threads.h: the program's threads; each of them is started here.
 *
 * jobs.h has several do numbered pieces of work, and work_queue.h blocks of
 * work whose results are used in order.  A background task is one thread that
 * its caller waits for later:
 *
 *	struct rpt_threads task = { 0 };
 *	rpt_threads_start(&task, 1, read_names, ctx);
 *	do other things
 *	rpt_threads_join(&task);
 */
#ifndef RPT_THREADS_H
#define RPT_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define RPT_THREADS_MAX 64u

/* The work of one thread; idx is its number, from 0 on. */
typedef void rpt_thread_fn(void *ctx, uint32_t idx);

/* A zeroed struct has no threads.  It must not move while threads run. */
struct rpt_threads {
	rpt_thread_fn *fn;
	void *ctx;
	atomic_uint_least32_t next_idx;
	uint32_t nr; /* threads that were started and not joined */
	pthread_t ids[RPT_THREADS_MAX];
};

/* Start up to nr threads, RPT_THREADS_MAX at most.  Return how many were
 * started: fewer if the system has no more. */
uint32_t rpt_threads_start(struct rpt_threads *threads, uint32_t nr,
			   rpt_thread_fn *fn, void *ctx);

/* Wait until all threads have ended.  Safe on a zeroed struct, and twice. */
void rpt_threads_join(struct rpt_threads *threads);

#endif
