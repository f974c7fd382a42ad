/* jobs.h: numbered pieces of work that several threads do. */
#ifndef RPT_JOBS_H
#define RPT_JOBS_H

#include "format/err.h"
#include "report/base/threads.h"

#include <stddef.h>
#include <stdint.h>

#define RPT_JOBS_MAX RPT_THREADS_MAX

/* Does piece number idx.  Returns 0, or a negative errno, which ends this
 * worker. */
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
