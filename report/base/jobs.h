/* jobs.h: numbered pieces of work given to several threads. */
#ifndef RPT_JOBS_H
#define RPT_JOBS_H

#include "format/err.h"

#include <stddef.h>
#include <stdint.h>

#define RPT_JOBS_MAX 64u /* threads */

/* Does piece number idx; 0 or a negative errno, which ends this worker. */
typedef int rpt_job_fn(void *worker, const void *ctx, size_t idx,
		       struct pd_err *err);

/* Each thread has a worker of its own: worker_nr of them, worker_len bytes
 * each. */
struct rpt_jobs {
	void *workers;
	size_t worker_len;
	uint32_t worker_nr; /* 1 at least, rpt_jobs_threads() at most */
	size_t nr;	    /* pieces of work */
	rpt_job_fn *fn;
	const void *ctx;
};

/* How many threads are of use for nr pieces: 1 at least, and no more than
 * pieces.  asked 0: as many as there are CPUs. */
uint32_t rpt_jobs_threads(uint32_t asked, size_t nr);

/* Every piece to one of the workers, each of which gets its pieces in their
 * order.  0, or what the first worker that failed said. */
int rpt_jobs_run(const struct rpt_jobs *jobs, struct pd_err *err);

#endif
