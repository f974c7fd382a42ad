#include "report/script_pool.h"

#include "report/kernel_prefetch.h"
#include "report/script_batch.h"
#include "report/tracepoint_load.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define JOBS_MAX	8u
#define BATCHES_PER_JOB 4u /* that wait for a thread or are in its hands */
#define BATCHES_MAX	512u
#define FREE_MAX	(JOBS_MAX * BATCHES_PER_JOB)

/* Room for text that a batch keeps until it is used again. */
#define FREE_TEXT_LEN ((size_t)4 << 20)

/* Memory of batches that wait for the kernel's names: that and as much as the
 * recording is long, up to so much. */
#define WAITING_LEN	((uint64_t)8 << 20)
#define WAITING_LEN_MAX ((uint64_t)40 << 20)

/* Memory for the texts of addresses, all threads together: that, and so much
 * for each byte of the recording. */
#define KEPT_LEN   ((uint64_t)12 << 20)
#define KEPT_SHARE 4u

struct worker {
	struct rpt_script_pool *pool;
	struct rpt_script *script;
	struct rpt_tracepoints *tracepoints; /* own ones; NULL for the first */
	pthread_t thread;
	bool is_running;
};

struct rpt_script_pool {
	FILE *out;
	struct rpt_symbols *symbols;
	struct worker workers[JOBS_MAX];
	uint32_t workers_nr;
	uint32_t jobs; /* workers that there are to be, if threaded */
	bool is_threaded;
	int status; /* of the first write that failed */
	uint64_t waiting_max_len;

	/* Batches in order, by number modulo BATCHES_MAX: written <= taken <=
	 * given; those taken are in a thread's hands, waiting, or done. */
	struct rpt_script_batch *batches[BATCHES_MAX];
	uint64_t given_nr;
	uint64_t taken_nr;
	uint64_t written_nr;
	uint32_t busy_nr;  /* in a thread's hands */
	uint64_t held_len; /* of those neither there nor untaken nor written */
	struct rpt_script_batch *waiting[BATCHES_MAX]; /* have holes */
	uint64_t waiting_nr;	/* ever: at that number modulo BATCHES_MAX */
	uint64_t filled_nr;	/* of these, or being filled */
	bool is_awaited;	/* one thread waits for the kernel's names */
	bool is_futile;		/* most lines need these */
	bool is_writer_waiting; /* at done, for the next one if is_ending */
	bool is_ending;
	bool is_closing;
	pthread_mutex_t lock; /* of all that, and of is_done */
	pthread_cond_t work;
	pthread_cond_t done;
	pthread_mutex_t names_lock; /* rpt_script_conf.names_lock */

	/* the caller's thread's alone */
	struct rpt_script_batch *open; /* where records go; NULL: none yet */
	struct rpt_script_batch *free[FREE_MAX];
	uint32_t free_nr;
};

/* Room for another batch of fewer than max_nr that threads have to do. */
static bool has_room(const struct rpt_script_pool *pool, uint64_t max_nr)
{
	return pool->given_nr - pool->taken_nr + pool->busy_nr < max_nr &&
	       pool->given_nr - pool->written_nr < BATCHES_MAX &&
	       pool->held_len < pool->waiting_max_len;
}

static bool is_next_done(const struct rpt_script_pool *pool)
{
	return pool->written_nr < pool->given_nr &&
	       pool->batches[pool->written_nr % BATCHES_MAX]->is_done;
}

/* Once there is something to do for it that is worth the change of threads. */
static void wake_writer(struct rpt_script_pool *pool)
{
	uint64_t few_nr = pool->workers_nr * BATCHES_PER_JOB / 2;

	if (pool->is_writer_waiting &&
	    (has_room(pool, few_nr) ||
	     (is_next_done(pool) &&
	      (pool->is_ending || !has_room(pool, UINT64_MAX)))))
		pthread_cond_signal(&pool->done);
}

/* What a thread is to do next; NULL: nothing for now. */
static struct rpt_script_batch *take(struct rpt_script_pool *pool,
				     bool *ret_is_waiting)
{
	bool is_any_waiting = pool->filled_nr < pool->waiting_nr;
	bool has_kernel =
		is_any_waiting && rpt_symbols_has_kernel(pool->symbols);

	*ret_is_waiting = has_kernel;
	if (is_any_waiting && !has_kernel && pool->is_futile)
		return NULL;
	if (*ret_is_waiting)
		return pool->waiting[pool->filled_nr++ % BATCHES_MAX];
	if (pool->taken_nr < pool->given_nr)
		return pool->batches[pool->taken_nr++ % BATCHES_MAX];
	return NULL;
}

/* With the lock, which is given back meanwhile. */
static void do_batch(struct worker *worker, struct rpt_script_batch *batch,
		     bool is_waiting)
{
	struct rpt_script_pool *pool = worker->pool;
	bool is_done = true;

	pool->busy_nr++;
	if (is_waiting)
		pool->held_len -= rpt_script_batch_len(batch);
	pthread_mutex_unlock(&pool->lock);
	if (is_waiting)
		rpt_script_batch_fill(batch, worker->script);
	else
		is_done = rpt_script_batch_format(batch, worker->script);
	pthread_mutex_lock(&pool->lock);
	pool->busy_nr--;
	pool->held_len += rpt_script_batch_len(batch);
	batch->is_done = is_done;
	pool->is_futile |= batch->hole_nr > batch->nr / 2;
	if (!is_done)
		pool->waiting[pool->waiting_nr++ % BATCHES_MAX] = batch;
	wake_writer(pool);
}

/* One thread is enough to wait for the kernel's names, and wakes the others. */
static void wait_for_work(struct rpt_script_pool *pool)
{
	if (pool->filled_nr == pool->waiting_nr || pool->is_awaited) {
		pthread_cond_wait(&pool->work, &pool->lock);
		return;
	}
	pool->is_awaited = true;
	pthread_mutex_unlock(&pool->lock);
	rpt_symbols_await_kernel(pool->symbols);
	pthread_mutex_lock(&pool->lock);
	pool->is_awaited = false;
	pthread_cond_broadcast(&pool->work);
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct rpt_script_pool *pool = worker->pool;
	struct rpt_script_batch *batch;
	bool is_waiting;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		batch = take(pool, &is_waiting);
		if (batch)
			do_batch(worker, batch, is_waiting);
		else if (pool->is_closing)
			break;
		else
			wait_for_work(pool);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Does a line depend on those before it? */
static bool must_be_alone(const struct rpt_script_conf *conf)
{
	const struct pd_event_set *events = pd_reader_events(conf->reader);
	uint64_t fields = 0, held = 0;

	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;

		/* of types that are there: settled against what samples hold */
		fields |= conf->fields.of[rpt_script_type_of(attr)];
		held |= attr->sample_type;
	}
	return conf->dump_path || conf->is_reltime || conf->is_deltatime ||
	       conf->switch_on || conf->switch_off || conf->dump_prefix ||
	       (fields & (RPT_FIELD_DATA_SRC | RPT_FIELD_SRCCODE)) ||
	       (held & PD_SAMPLE_READ) ||
	       ((held & PD_SAMPLE_STACK_USER) && !conf->hide_chains);
}

static int add_worker(struct rpt_script_pool *pool,
		      const struct rpt_script_conf *conf, struct pd_err *err)
{
	struct worker *worker = &pool->workers[pool->workers_nr++];
	struct rpt_script_conf own = *conf;
	struct pd_damage told = { 0 }; /* where the first ones were loaded */
	int rc = 0;

	worker->pool = pool;
	worker->script = calloc(1, sizeof(*worker->script));
	if (!worker->script)
		return -ENOMEM;
	if (pool->is_threaded)
		own.names_lock = &pool->names_lock;
	own.kept_max_len = KEPT_LEN + KEPT_SHARE * pd_reader_len(conf->reader);
	own.kept_max_len /= pool->is_threaded ? pool->jobs : 1;
	if (conf->tracepoints && pool->workers_nr > 1) {
		rc = rpt_tracepoints_load(&worker->tracepoints, conf->reader,
					  &told);
		own.tracepoints = worker->tracepoints;
	}
	return rc ? rc : rpt_script_init(worker->script, &own, pool->out, err);
}

static int start(struct rpt_script_pool *pool)
{
	int rc = 0;

	for (uint32_t i = 0; i < pool->workers_nr && !rc; i++) {
		struct worker *worker = &pool->workers[i];

		rc = -pthread_create(&worker->thread, NULL, work, worker);
		worker->is_running = !rc;
	}
	return rc;
}

/* A question for a name takes less than to sleep and to be woken. */
static void init_names_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

int rpt_script_pool_new(struct rpt_script_pool **ret,
			const struct rpt_script_conf *conf, uint32_t jobs,
			FILE *out, struct pd_err *err)
{
	struct rpt_script_pool *pool = calloc(1, sizeof(*pool));
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int rc = 0;

	if (!pool)
		return -ENOMEM;
	pool->out = out;
	pool->symbols = rpt_timeline_symbols(conf->timeline);
	pool->waiting_max_len = WAITING_LEN + pd_reader_len(conf->reader);
	if (pool->waiting_max_len > WAITING_LEN_MAX)
		pool->waiting_max_len = WAITING_LEN_MAX;
	pthread_mutex_init(&pool->lock, NULL);
	init_names_lock(&pool->names_lock);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->done, NULL);
	if (!jobs)
		jobs = cpus > 0 ? (uint32_t)cpus : 1;
	if (jobs > JOBS_MAX)
		jobs = JOBS_MAX;
	pool->jobs = jobs;
	pool->is_threaded = jobs > 1 && !must_be_alone(conf);
	do {
		rc = add_worker(pool, conf, err);
	} while (!rc && pool->is_threaded && pool->workers_nr < jobs);
	if (!rc && pool->is_threaded)
		rc = start(pool);
	if (rc)
		rpt_script_pool_free(pool);
	else
		*ret = pool;
	return rc;
}

static void join(struct rpt_script_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->is_closing = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (uint32_t i = 0; i < pool->workers_nr; i++) {
		if (pool->workers[i].is_running)
			pthread_join(pool->workers[i].thread, NULL);
		pool->workers[i].is_running = false;
	}
}

void rpt_script_pool_free(struct rpt_script_pool *pool)
{
	if (!pool)
		return;
	join(pool);
	for (uint32_t i = 0; i < pool->workers_nr; i++) {
		if (pool->workers[i].script)
			rpt_script_release(pool->workers[i].script);
		free(pool->workers[i].script);
		rpt_tracepoints_free(pool->workers[i].tracepoints);
	}
	for (; pool->written_nr < pool->given_nr; pool->written_nr++)
		rpt_script_batch_free(
			pool->batches[pool->written_nr % BATCHES_MAX]);
	while (pool->free_nr)
		rpt_script_batch_free(pool->free[--pool->free_nr]);
	rpt_script_batch_free(pool->open);
	pthread_mutex_destroy(&pool->lock);
	pthread_mutex_destroy(&pool->names_lock);
	pthread_cond_destroy(&pool->work);
	pthread_cond_destroy(&pool->done);
	free(pool);
}

/* No more than threads need once nothing waits for the kernel's names, and none
 * with the longest text that ever passed. */
static void keep(struct rpt_script_pool *pool, struct rpt_script_batch *batch)
{
	if (pool->free_nr == FREE_MAX || batch->text.cap > FREE_TEXT_LEN)
		rpt_script_batch_free(batch);
	else
		pool->free[pool->free_nr++] = batch;
}

/* Writes the next one, with the lock, which is given back meanwhile. */
static int write_next(struct rpt_script_pool *pool)
{
	struct rpt_script_batch *batch =
		pool->batches[pool->written_nr++ % BATCHES_MAX];
	int rc;

	pool->held_len -= rpt_script_batch_len(batch);
	pthread_mutex_unlock(&pool->lock);
	rc = rpt_script_batch_write(batch, pool->out);
	batch->is_done = false;
	keep(pool, batch);
	pthread_mutex_lock(&pool->lock);
	return rc;
}

/* Writes batches that are done; waits until there is room for another or, at
 * the end, until all are written. */
static int write_done(struct rpt_script_pool *pool, bool is_end)
{
	uint64_t max_nr = pool->workers_nr * BATCHES_PER_JOB;
	int rc = 0;

	pthread_mutex_lock(&pool->lock);
	pool->is_ending = is_end;
	while (!rc) {
		if (is_next_done(pool)) {
			rc = write_next(pool);
			continue;
		}
		if (is_end ? pool->written_nr == pool->given_nr
			   : has_room(pool, max_nr))
			break;
		pool->is_writer_waiting = true;
		pthread_cond_wait(&pool->done, &pool->lock);
		pool->is_writer_waiting = false;
	}
	pthread_mutex_unlock(&pool->lock);
	return rc;
}

static int give(struct rpt_script_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->batches[pool->given_nr++ % BATCHES_MAX] = pool->open;
	pool->open = NULL;
	pthread_cond_signal(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	pool->status = write_done(pool, false);
	return pool->status;
}

static int open_batch(struct rpt_script_pool *pool)
{
	if (!pool->open)
		pool->open = pool->free_nr ? pool->free[--pool->free_nr]
					   : rpt_script_batch_new();
	return pool->open ? 0 : -ENOMEM;
}

int rpt_script_pool_add(struct rpt_script_pool *pool,
			const struct pd_record *rec, bool is_lasting)
{
	int rc;

	if (!pool->is_threaded)
		return rpt_script_record(pool->workers[0].script, rec);
	rc = open_batch(pool);
	if (!rc)
		rc = rpt_script_batch_add(pool->open, rec, is_lasting);
	if (rc != -ENOSPC)
		return rc;
	rc = give(pool);
	if (!rc)
		rc = open_batch(pool);
	return rc ? rc : rpt_script_batch_add(pool->open, rec, is_lasting);
}

int rpt_script_pool_flush(struct rpt_script_pool *pool)
{
	if (!pool->is_threaded)
		return rpt_text_flush(&pool->workers[0].script->text);
	if (!pool->status && pool->open)
		give(pool);
	if (!pool->status)
		pool->status = write_done(pool, true);
	return pool->status;
}

int rpt_script_pool_finish(struct rpt_script_pool *pool)
{
	if (!pool->is_threaded)
		return rpt_script_finish(pool->workers[0].script);
	rpt_script_pool_flush(pool);
	join(pool);
	return pool->status;
}

struct rpt_script_counts
rpt_script_pool_counts(const struct rpt_script_pool *pool)
{
	struct rpt_script_counts counts = { 0 };

	for (uint32_t i = 0; i < pool->workers_nr; i++) {
		const struct rpt_script *script = pool->workers[i].script;

		if (!counts.damaged_nr ||
		    (script->damaged_nr &&
		     script->damage.off < counts.damage.off))
			counts.damage = script->damage;
		counts.damaged_nr += script->damaged_nr;
		counts.unknown_id_nr += script->unknown_id_nr;
	}
	return counts;
}
