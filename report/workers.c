#include "report/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define JOBS_MAX  64u
#define PIECE_LEN ((uint64_t)8 << 20)

struct pool {
	const struct pd_piece *pieces;
	size_t piece_nr;
	atomic_size_t next;
};

struct worker {
	struct pool *pool;
	struct rpt_profile profile;
	struct pd_err err;
	pthread_t thread;
	int rc;
	bool is_started;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	while (!w->rc) {
		size_t idx = atomic_fetch_add(&w->pool->next, 1);

		if (idx >= w->pool->piece_nr)
			break;
		w->rc = rpt_profile_add_piece(&w->profile, w->pool->pieces[idx],
					      &w->err);
	}
	return NULL;
}

static bool must_be_alone(const struct rpt_profile_conf *conf)
{
	const struct pd_event_set *events = pd_reader_events(conf->reader);

	for (size_t i = 0; i < events->nr; i++) {
		if (events->events[i].attr.sample_type & PD_SAMPLE_READ)
			return true;
	}
	return conf->unwind;
}

static uint32_t jobs_of(const struct rpt_profile *profile, uint32_t jobs,
			size_t piece_nr)
{
	long cpu_nr = sysconf(_SC_NPROCESSORS_ONLN);

	if (!jobs)
		jobs = cpu_nr > 0 ? (uint32_t)cpu_nr : 1;
	if (jobs > JOBS_MAX)
		jobs = JOBS_MAX;
	if (jobs > piece_nr)
		jobs = piece_nr ? (uint32_t)piece_nr : 1;
	return must_be_alone(&profile->conf) ? 1 : jobs;
}

static int run(struct rpt_profile *profile, struct pool *pool, uint32_t jobs,
	       struct pd_err *err)
{
	struct worker *workers = calloc(jobs, sizeof(*workers));
	int rc = workers ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < jobs && !rc; i++) {
		workers[i].pool = pool;
		rc = rpt_profile_init(&workers[i].profile, &profile->conf, err);
	}
	for (uint32_t i = 1; i < jobs && !rc; i++)
		workers[i].is_started = !pthread_create(
			&workers[i].thread, NULL, work, &workers[i]);
	if (!rc)
		work(&workers[0]);
	for (uint32_t i = 0; workers && i < jobs; i++) {
		struct worker *w = &workers[i];

		if (w->is_started)
			pthread_join(w->thread, NULL);
		if (!rc && w->rc) {
			rc = w->rc;
			*err = w->err;
		}
		if (!rc)
			rc = rpt_profile_merge(profile, &w->profile, err);
		rpt_profile_release(&w->profile);
	}
	free(workers);
	return rc;
}

int rpt_workers_count(struct rpt_profile *profile, uint32_t jobs,
		      struct pd_err *err)
{
	struct pool pool = { 0 };
	int rc = pd_reader_pieces(profile->conf.reader, PIECE_LEN, &pool.pieces,
				  &pool.piece_nr, err);

	if (rc)
		return rc;
	jobs = jobs_of(profile, jobs, pool.piece_nr);
	if (jobs > 1)
		return run(profile, &pool, jobs, err);
	return rpt_profile_add_piece(profile,
				     pd_reader_data(profile->conf.reader), err);
}
