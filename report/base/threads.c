#include "report/base/threads.h"

#include <assert.h>
#include <unistd.h>

static void *run_thread(void *arg)
{
	struct rpt_threads *threads = arg;

	threads->fn(threads->ctx, atomic_fetch_add(&threads->next_idx, 1));
	return NULL;
}

uint32_t rpt_threads_start(struct rpt_threads *threads, uint32_t nr,
			   rpt_thread_fn *fn, void *ctx)
{
	assert(!threads->nr && nr <= RPT_THREADS_MAX);
	threads->fn = fn;
	threads->ctx = ctx;
	atomic_store(&threads->next_idx, 0);
	while (threads->nr < nr && !pthread_create(&threads->ids[threads->nr],
						   NULL, run_thread, threads))
		threads->nr++;
	return threads->nr;
}

void rpt_threads_join(struct rpt_threads *threads)
{
	while (threads->nr)
		pthread_join(threads->ids[--threads->nr], NULL);
}

struct run {
	const struct rpt_jobs *jobs;
	atomic_size_t next; /* piece that nobody has begun */
	struct pd_err errs[RPT_THREADS_MAX];
	int rcs[RPT_THREADS_MAX]; /* by worker */
};

static void do_jobs(struct run *run, uint32_t worker)
{
	const struct rpt_jobs *jobs = run->jobs;
	void *own = (char *)jobs->workers + worker * jobs->worker_len;
	size_t idx;

	while (!run->rcs[worker] &&
	       (idx = atomic_fetch_add(&run->next, 1)) < jobs->nr)
		run->rcs[worker] =
			jobs->fn(own, jobs->ctx, idx, &run->errs[worker]);
}

static void do_jobs_in_thread(void *ctx, uint32_t idx)
{
	do_jobs(ctx, idx + 1);
}

uint32_t rpt_jobs_threads(uint32_t asked, size_t nr)
{
	long cpu_nr = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t threads = asked;

	if (!threads)
		threads = cpu_nr > 0 ? (uint32_t)cpu_nr : 1;
	if (threads > RPT_THREADS_MAX)
		threads = RPT_THREADS_MAX;
	if (threads > nr)
		threads = nr ? (uint32_t)nr : 1;
	return threads;
}

/* The caller's thread is the first worker; if no other starts, the only one. */
int rpt_jobs_run(const struct rpt_jobs *jobs, struct pd_err *err)
{
	struct rpt_threads threads = { 0 };
	struct run run = { .jobs = jobs };

	assert(jobs->worker_nr > 0 && jobs->worker_nr <= RPT_THREADS_MAX);
	for (uint32_t i = 0; i < jobs->worker_nr; i++)
		run.errs[i] = (struct pd_err)PD_ERR_INIT;
	rpt_threads_start(&threads, jobs->worker_nr - 1, do_jobs_in_thread,
			  &run);
	do_jobs(&run, 0);
	rpt_threads_join(&threads);
	for (uint32_t i = 0; i < jobs->worker_nr; i++) {
		if (run.rcs[i]) {
			*err = run.errs[i];
			return run.rcs[i];
		}
	}
	return 0;
}
