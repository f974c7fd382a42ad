#include "report/script/script_pool.h"

#include "report/base/threads.h"
#include "report/symbols/symbols_lock.h"
#include "report/script/script_queue.h"
#include "report/profile/stitch_pass.h"
#include "report/events/tracepoint_load.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define JOBS_MAX 8u

/* Batches that are kept to be used again: as many as threads need once nothing
 * waits for the kernel's names, and none with the longest text that ever
 * passed. */
#define FREE_MAX      (JOBS_MAX * RPT_SCRIPT_QUEUE_PER_THREAD)
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
	struct rpt_unwind *unwind;	     /* likewise */
	pthread_t thread;
	bool is_running;
};

struct rpt_script_pool {
	FILE *out;
	struct rpt_unwind *unwind; /* of the conf */
	struct worker workers[JOBS_MAX];
	uint32_t workers_nr;
	uint32_t jobs; /* workers that there are to be, if threaded */
	bool is_threaded;
	int status; /* of the first write that failed */
	struct rpt_script_queue queue;

	/* the caller's thread's alone */
	struct rpt_script_batch *open; /* where records go; NULL: none yet */
	struct rpt_script_batch *free[FREE_MAX];
	uint32_t free_nr;
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct rpt_script_queue *queue = &worker->pool->queue;
	struct rpt_script_batch *batch;

	while ((batch = rpt_script_queue_take(queue)))
		rpt_script_queue_put(
			queue, batch,
			rpt_script_batch_print(batch, worker->script));
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
	       ((held & PD_SAMPLE_STACK_USER) && !conf->hide_chains &&
		!conf->hide_inlined);
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
		own.names_lock =
			rpt_symbols_lock(rpt_timeline_symbols(conf->timeline));
	own.kept_max_len = KEPT_LEN + KEPT_SHARE * pd_reader_len(conf->reader);
	own.kept_max_len /= pool->is_threaded ? pool->jobs : 1;
	if (conf->tracepoints && pool->workers_nr > 1) {
		rc = rpt_tracepoints_load(&worker->tracepoints, conf->reader,
					  &told);
		own.tracepoints = worker->tracepoints;
	}
	if (conf->unwind && pool->workers_nr > 1) {
		own.unwind = worker->unwind = rpt_unwind_beside(conf->unwind);
		if (!own.unwind)
			return -ENOMEM;
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

static uint64_t waiting_max_len(const struct pd_reader *reader)
{
	uint64_t len = WAITING_LEN + pd_reader_len(reader);

	return len < WAITING_LEN_MAX ? len : WAITING_LEN_MAX;
}

int rpt_script_pool_new(struct rpt_script_pool **ret,
			const struct rpt_script_conf *conf, uint32_t jobs,
			FILE *out, struct pd_err *err)
{
	struct rpt_script_pool *pool = calloc(1, sizeof(*pool));
	int rc = 0;

	if (!pool)
		return -ENOMEM;
	pool->out = out;
	pool->unwind = conf->unwind;
	pool->jobs = rpt_jobs_threads(jobs, JOBS_MAX);
	pool->is_threaded = pool->jobs > 1 && !must_be_alone(conf);
	rpt_script_queue_init(&pool->queue,
			      rpt_timeline_symbols(conf->timeline), pool->jobs,
			      waiting_max_len(conf->reader));
	do {
		rc = add_worker(pool, conf, err);
	} while (!rc && pool->is_threaded && pool->workers_nr < pool->jobs);
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
	rpt_script_queue_close(&pool->queue);
	for (uint32_t i = 0; i < pool->workers_nr; i++) {
		if (pool->workers[i].is_running)
			pthread_join(pool->workers[i].thread, NULL);
		pool->workers[i].is_running = false;
		rpt_unwind_merge(pool->unwind, pool->workers[i].unwind);
		pool->workers[i].unwind = NULL;
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
	rpt_script_queue_release(&pool->queue);
	while (pool->free_nr)
		rpt_script_batch_free(pool->free[--pool->free_nr]);
	rpt_script_batch_free(pool->open);
	free(pool);
}

static void keep(struct rpt_script_pool *pool, struct rpt_script_batch *batch)
{
	if (pool->free_nr == FREE_MAX || batch->text.cap > FREE_TEXT_LEN)
		rpt_script_batch_free(batch);
	else
		pool->free[pool->free_nr++] = batch;
}

static int write_texts(struct rpt_script_pool *pool, enum rpt_script_wait until)
{
	struct rpt_script_batch *batch;

	while (!pool->status &&
	       (batch = rpt_script_queue_next(&pool->queue, until))) {
		pool->status = rpt_script_batch_write(batch, pool->out);
		keep(pool, batch);
	}
	return pool->status;
}

static int give(struct rpt_script_pool *pool)
{
	rpt_script_queue_give(&pool->queue, pool->open);
	pool->open = NULL;
	return write_texts(pool, RPT_SCRIPT_WAIT_ROOM);
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
	const struct rpt_script_conf *conf = &pool->workers[0].script->conf;
	size_t more_len;
	int rc;

	if (!pool->is_threaded)
		return rpt_script_record(pool->workers[0].script, rec);
	more_len = rpt_stitched_len(conf->timeline, rec->seq);
	rc = open_batch(pool);
	if (!rc)
		rc = rpt_script_batch_add(pool->open, rec, more_len,
					  is_lasting);
	if (rc != -ENOSPC)
		return rc;
	rc = give(pool);
	if (!rc)
		rc = open_batch(pool);
	return rc ? rc
		  : rpt_script_batch_add(pool->open, rec, more_len, is_lasting);
}

int rpt_script_pool_flush(struct rpt_script_pool *pool)
{
	if (!pool->is_threaded)
		return rpt_text_flush(&pool->workers[0].script->text);
	if (!pool->status && pool->open)
		give(pool);
	return write_texts(pool, RPT_SCRIPT_WAIT_ALL);
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
