#include "record/ring/drain_pool.h"

#include "record/base/runtime.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* For less it does not pay to wake another thread. */
enum { BYTES_PER_THREAD = 256 * 1024 };

struct rec_pool_thread {
	struct rec_pool *pool;
	struct rec_drain drain;
	struct rec_epoch_cursor cursor; /* thread: 2 and up, 1 is main */
	pthread_t thread;
	sem_t go;
	size_t last_idx; /* the ring it was moved to; SIZE_MAX: none */
	bool is_wanted;	 /* takes part in this run */
};

static int init_thread(struct rec_pool *pool, size_t idx)
{
	struct rec_pool_thread *thread = &pool->threads[idx];
	const struct rec_pool_conf *conf = &pool->conf;
	int rc;

	thread->pool = pool;
	thread->cursor.thread = (uint32_t)idx + 2;
	thread->last_idx = SIZE_MAX;
	sem_init(&thread->go, 0, 0);
	rc = rec_drain_init(&thread->drain, conf->sink, &conf->shape,
			    conf->level);
	if (!rc && conf->watch)
		rc = rec_drain_watch(&thread->drain, conf->watch);
	if (!rc && conf->held)
		rc = rec_drain_hold(&thread->drain, conf->held);
	if (!rc)
		rc = rec_drain_cut_stacks(&thread->drain, conf->layouts);
	thread->drain.copies_first = true;
	return rc;
}

int rec_pool_init(struct rec_pool *pool, const struct rec_pool_conf *conf,
		  struct pd_err *err)
{
	int rc = 0;

	memset(pool, 0, sizeof(*pool));
	pool->conf = *conf;
	pthread_mutex_init(&pool->lock, NULL);
	rec_cond_init(&pool->idle);
	pool->idle_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (pool->idle_fd < 0)
		return pd_err_set(err, -errno, "eventfd: %s", strerror(errno));
	pool->threads = calloc(conf->plan->thread_nr, sizeof(*pool->threads));
	if (!pool->threads)
		return pd_err_set(err, -ENOMEM, "out of memory");
	while (!rc && pool->nr < conf->plan->thread_nr)
		rc = init_thread(pool, pool->nr++);
	if (rc)
		return pd_err_set(err, rc, "out of memory");
	for (size_t i = 0; conf->plan->groups && i < conf->epoch->reader_nr;
	     i++)
		rec_epoch_pin(conf->epoch, i,
			      (uint32_t)rec_thread_plan_find(
				      conf->plan, conf->epoch->readers[i].cpu) +
				      2);
	return 0;
}

void rec_pool_release(struct rec_pool *pool)
{
	if (!pool->threads)
		return;
	rec_pool_wait(pool);
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_mutex_unlock(&pool->lock);
	for (size_t i = 0; i < pool->started_nr; i++)
		sem_post(&pool->threads[i].go);
	for (size_t i = 0; i < pool->started_nr; i++)
		pthread_join(pool->threads[i].thread, NULL);
	for (size_t i = 0; i < pool->nr; i++) {
		rec_drain_release(&pool->threads[i].drain);
		sem_destroy(&pool->threads[i].go);
	}
	free(pool->threads);
	pool->threads = NULL;
	pthread_cond_destroy(&pool->idle);
	pthread_mutex_destroy(&pool->lock);
	close(pool->idle_fd);
}

/* An unreadable ring does not end the recording of the others. */
static int drain_epoch(struct rec_pool_thread *thread, struct pd_err *bad)
{
	struct rec_pool *pool = thread->pool;
	struct rec_epoch *epoch = pool->conf.epoch;
	struct rec_ring_reader *reader;
	int rc = 0;

	thread->drain.late_ns = pool->late_ns;
	rec_epoch_enter(&thread->cursor);
	while (!rc && (reader = rec_epoch_take(epoch, &thread->cursor))) {
		rec_affinity_follow(pool->conf.affinity,
				    (size_t)(reader - epoch->readers),
				    &thread->last_idx);
		rc = rec_drain_ring(&thread->drain, reader, bad);
		rec_epoch_note(epoch, reader, thread->drain.frame_nr);
		if (rc == -EBADMSG)
			rc = 0;
	}
	if (!rc && pool->flush)
		rc = rec_drain_flush(&thread->drain);
	return rc;
}

/* Release all rings in the file; called by the last thread of the run. */
static void release_rings(struct rec_pool *pool)
{
	for (size_t i = 0; i < pool->nr; i++) {
		const struct rec_pool_thread *thread = &pool->threads[i];
		uint64_t open_frame = thread->drain.frame.plain_len
					      ? thread->drain.frame_nr
					      : REC_EPOCH_NO_FRAME;

		if (thread->is_wanted)
			rec_epoch_release(pool->conf.epoch,
					  thread->cursor.thread, open_frame);
	}
}

/* Called with the lock held, by the last thread of the run. */
static void end_run(struct rec_pool *pool)
{
	static const uint64_t one = 1;

	if (pool->want_event)
		(void)!write(pool->idle_fd, &one, sizeof(one));
	pool->want_event = false;
	pool->busy_nr = 0;
	pthread_cond_broadcast(&pool->idle);
}

static void finish(struct rec_pool *pool, int rc, const struct pd_err *bad)
{
	const struct rec_side_watch *watch = pool->conf.watch;
	bool is_last;

	pthread_mutex_lock(&pool->lock);
	if (rc && !pool->rc)
		pool->rc = rc;
	if (bad->code && !pool->bad.code)
		pool->bad = *bad;
	rc = pool->rc;
	is_last = pool->busy_nr == 1;
	if (!is_last)
		pool->busy_nr--;
	pthread_mutex_unlock(&pool->lock);
	if (!is_last)
		return;
	if (!rc && pool->flush)
		rc = pool->conf.end_round(pool->conf.ctx);
	if (watch && watch->after_drain)
		watch->after_drain(watch->ctx);
	release_rings(pool);
	pthread_mutex_lock(&pool->lock);
	pool->rc = rc;
	end_run(pool);
	pthread_mutex_unlock(&pool->lock);
}

static void *work(void *arg)
{
	struct rec_pool_thread *thread = arg;
	struct rec_pool *pool = thread->pool;
	size_t idx = (size_t)(thread - pool->threads);
	const struct rec_thread_group *groups = pool->conf.plan->groups;

	rec_ask_short_slices(); /* not inherited from the main thread */
	if (pool->conf.boost)
		rec_boost_join(pool->conf.boost);
	/* If it may not run there, it runs anywhere. */
	if (groups)
		(void)!rec_affinity_bind(&groups[idx].bound);
	for (;;) {
		struct pd_err bad = PD_ERR_INIT;
		int rc;

		while (sem_wait(&thread->go))
			;
		pthread_mutex_lock(&pool->lock);
		if (pool->stop)
			break;
		pthread_mutex_unlock(&pool->lock);
		rc = drain_epoch(thread, &bad);
		finish(pool, rc, &bad);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

static int start_threads(struct rec_pool *pool, struct pd_err *err)
{
	while (pool->started_nr < pool->nr) {
		struct rec_pool_thread *thread =
			&pool->threads[pool->started_nr];
		int rc = rec_thread_start(&thread->thread, "drain", work,
					  thread);

		if (rc)
			return pd_err_set(err, rc, "drain thread: %s",
					  strerror(-rc));
		pool->started_nr++;
	}
	return 0;
}

/* Choose the threads that have claimed a ring of this epoch, or have a frame to
 * end; then as many as there is other work for. */
static size_t choose(struct rec_pool *pool)
{
	const struct rec_epoch *epoch = pool->conf.epoch;
	size_t wanted_nr = 0, free_nr = 0, more_nr;

	for (size_t i = 0; i < pool->nr; i++)
		pool->threads[i].is_wanted =
			pool->flush && pool->threads[i].drain.frame.plain_len;
	for (size_t i = 0; i < epoch->reader_nr; i++) {
		uint32_t claim = epoch->slots[i].claim;

		if (!epoch->slots[i].is_pending)
			continue;
		if (claim >= 2)
			pool->threads[claim - 2].is_wanted = true;
		else
			free_nr++;
	}
	for (size_t i = 0; i < pool->nr; i++)
		wanted_nr += pool->threads[i].is_wanted;
	more_nr = 1 + epoch->bytes_len / BYTES_PER_THREAD;
	more_nr = more_nr > wanted_nr ? more_nr - wanted_nr : 0;
	if (more_nr > free_nr && wanted_nr)
		more_nr = free_nr;
	for (size_t i = 0; i < pool->nr && more_nr; i++) {
		if (pool->threads[i].is_wanted)
			continue;
		pool->threads[i].is_wanted = true;
		wanted_nr++;
		more_nr--;
	}
	return wanted_nr;
}

int rec_pool_run(struct rec_pool *pool, bool flush, struct pd_err *err)
{
	size_t wanted_nr;
	int rc = start_threads(pool, err);

	if (rc)
		return rc;
	pthread_mutex_lock(&pool->lock);
	pool->flush = flush;
	pool->late_ns = rec_now_ns() + pool->conf.slow_ns;
	wanted_nr = choose(pool);
	pool->busy_nr = wanted_nr;
	pthread_mutex_unlock(&pool->lock);
	for (size_t i = 0; wanted_nr; i++) {
		if (!pool->threads[i].is_wanted)
			continue;
		wanted_nr--;
		sem_post(&pool->threads[i].go);
	}
	return 0;
}

bool rec_pool_is_busy(struct rec_pool *pool)
{
	bool is_busy;

	pthread_mutex_lock(&pool->lock);
	is_busy = pool->busy_nr > 0;
	pthread_mutex_unlock(&pool->lock);
	return is_busy;
}

bool rec_pool_want_event(struct rec_pool *pool)
{
	bool is_busy;

	pthread_mutex_lock(&pool->lock);
	is_busy = pool->want_event = pool->busy_nr > 0;
	pthread_mutex_unlock(&pool->lock);
	return is_busy;
}

int rec_pool_wait(struct rec_pool *pool)
{
	int rc;

	pthread_mutex_lock(&pool->lock);
	while (pool->busy_nr)
		pthread_cond_wait(&pool->idle, &pool->lock);
	rc = pool->rc;
	pthread_mutex_unlock(&pool->lock);
	return rc;
}
