#include "report/file_pieces.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define JOBS_MAX 64u

struct job {
	const struct rpt_pieces *pieces;
	atomic_size_t *next;
	rpt_piece_fn *fn;
	void *worker;
	struct pd_err err;
	pthread_t thread;
	int rc;
	bool is_started;
};

static void *work(void *arg)
{
	struct job *job = arg;

	while (!job->rc) {
		size_t idx = atomic_fetch_add(job->next, 1);

		if (idx >= job->pieces->nr)
			break;
		job->rc = job->fn(job->worker, job->pieces->items[idx],
				  &job->err);
	}
	return NULL;
}

uint32_t rpt_pieces_jobs(const struct rpt_pieces *pieces)
{
	long cpu_nr = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t jobs = pieces->jobs;

	if (!jobs)
		jobs = cpu_nr > 0 ? (uint32_t)cpu_nr : 1;
	if (jobs > JOBS_MAX)
		jobs = JOBS_MAX;
	if (jobs > pieces->nr)
		jobs = pieces->nr ? (uint32_t)pieces->nr : 1;
	return jobs;
}

/* The caller's thread is the first worker; where no other starts, the only
 * one. */
int rpt_pieces_run(const struct rpt_pieces *pieces,
		   const struct rpt_piece_workers *workers, struct pd_err *err)
{
	struct job jobs[JOBS_MAX];
	atomic_size_t next = 0;
	int rc = 0;

	assert(workers->nr > 0);
	for (uint32_t i = 0; i < workers->nr; i++)
		jobs[i] = (struct job){
			.pieces = pieces,
			.next = &next,
			.fn = workers->fn,
			.worker = (char *)workers->items + i * workers->len,
			.err = PD_ERR_INIT,
		};
	for (uint32_t i = 1; i < workers->nr; i++)
		jobs[i].is_started =
			!pthread_create(&jobs[i].thread, NULL, work, &jobs[i]);
	work(&jobs[0]);
	for (uint32_t i = 0; i < workers->nr; i++) {
		if (jobs[i].is_started)
			pthread_join(jobs[i].thread, NULL);
		if (!rc && jobs[i].rc) {
			rc = jobs[i].rc;
			*err = jobs[i].err;
		}
	}
	return rc;
}
