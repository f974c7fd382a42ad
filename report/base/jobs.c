#include "report/base/jobs.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

struct thread {
	const struct rpt_jobs *jobs;
	atomic_size_t *next;
	void *worker;
	struct pd_err err;
	pthread_t id;
	int rc;
	bool is_started;
};

static void *work(void *arg)
{
	struct thread *thread = arg;
	const struct rpt_jobs *jobs = thread->jobs;

	while (!thread->rc) {
		size_t idx = atomic_fetch_add(thread->next, 1);

		if (idx >= jobs->nr)
			break;
		thread->rc =
			jobs->fn(thread->worker, jobs->ctx, idx, &thread->err);
	}
	return NULL;
}

uint32_t rpt_jobs_threads(uint32_t asked, size_t nr)
{
	long cpu_nr = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t threads = asked;

	if (!threads)
		threads = cpu_nr > 0 ? (uint32_t)cpu_nr : 1;
	if (threads > RPT_JOBS_MAX)
		threads = RPT_JOBS_MAX;
	if (threads > nr)
		threads = nr ? (uint32_t)nr : 1;
	return threads;
}

/* The caller's thread is the first worker; where no other starts, the only
 * one. */
int rpt_jobs_run(const struct rpt_jobs *jobs, struct pd_err *err)
{
	struct thread threads[RPT_JOBS_MAX];
	atomic_size_t next = 0;
	int rc = 0;

	assert(jobs->worker_nr > 0 && jobs->worker_nr <= RPT_JOBS_MAX);
	for (uint32_t i = 0; i < jobs->worker_nr; i++)
		threads[i] = (struct thread){
			.jobs = jobs,
			.next = &next,
			.worker = (char *)jobs->workers + i * jobs->worker_len,
			.err = PD_ERR_INIT,
		};
	for (uint32_t i = 1; i < jobs->worker_nr; i++)
		threads[i].is_started = !pthread_create(&threads[i].id, NULL,
							work, &threads[i]);
	work(&threads[0]);
	for (uint32_t i = 0; i < jobs->worker_nr; i++) {
		if (threads[i].is_started)
			pthread_join(threads[i].id, NULL);
		if (!rc && threads[i].rc) {
			rc = threads[i].rc;
			*err = threads[i].err;
		}
	}
	return rc;
}
