/* threads.h: the program's threads; each of them is started here.
 *
 * Several threads do numbered pieces of work (rpt_jobs), or blocks of work
 * whose results are used in order (work_queue.h).  A background task is one
 * thread that its caller waits for later:
 *
 *	struct rpt_threads task = { 0 };
 *	rpt_threads_start(&task, 1, read_names, ctx);
 *	do other things
 *	rpt_threads_join(&task);
 */
#ifndef RPT_THREADS_H
#define RPT_THREADS_H

#include "format/base/err.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
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

/* Do piece number idx.  Return 0, or a negative errno, which ends this worker.
 */
typedef int rpt_job_fn(void *worker, const void *ctx, size_t idx,
		       struct pd_err *err);

/* Each thread has a worker of its own: worker_nr of them, worker_len bytes
 * each. */
struct rpt_jobs {
	void *workers;
	size_t worker_len;
	uint32_t worker_nr; /* 1 at least, rpt_jobs_threads() at most */
	size_t nr;	    /* number of pieces of work */
	rpt_job_fn *fn;
	const void *ctx;
};

/* Return how many threads are of use for nr pieces of work: 1 at least, and not
 * more than pieces.  If asked is 0, as many as there are CPUs. */
uint32_t rpt_jobs_threads(uint32_t asked, size_t nr);

/* Give every piece to one of the workers, each of which gets its pieces in
 * ascending order.  Return 0, or what the first worker that failed returned. */
int rpt_jobs_run(const struct rpt_jobs *jobs, struct pd_err *err);

#endif
