#include "report/script_pool.h"

#include "report/script_dump.h"
#include "report/script_event.h"
#include "report/tracepoint_load.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define BATCH_NR_MAX	1024u
#define BATCH_LEN	((size_t)512 << 10) /* of copied records */
#define JOBS_MAX	8u
#define BATCHES_PER_JOB 3u

/* Memory for the texts of addresses, all threads together: that, and so much
 * for each byte of the recording. */
#define KEPT_LEN   ((uint64_t)12 << 20)
#define KEPT_SHARE 4u

struct batch {
	struct pd_record *recs; /* BATCH_NR_MAX; owned */
	uint32_t nr;
	uint8_t *bytes; /* BATCH_LEN, of records that do not last; owned */
	size_t len;
	struct rpt_text_heap text;
	int status;
	bool is_done;
};

struct worker {
	struct rpt_script_pool *pool;
	struct rpt_script *script;
	struct rpt_tracepoints *tracepoints; /* own ones; NULL for the first */
	pthread_t thread;
	bool is_running;
};

struct rpt_script_pool {
	FILE *out;
	struct worker workers[JOBS_MAX];
	uint32_t workers_nr;
	uint32_t jobs; /* workers that there are to be, if threaded */
	bool is_threaded;
	int status; /* of the first write that failed */

	/* Batches by number modulo batches_nr: written <= taken <= given. */
	struct batch *batches;
	uint32_t batches_nr;
	uint64_t given_nr;
	uint64_t taken_nr;
	uint64_t written_nr;
	bool is_closing;
	pthread_mutex_t lock; /* of the numbers above, and of is_done */
	pthread_cond_t work;
	pthread_cond_t done;
	pthread_mutex_t names_lock; /* rpt_script_conf.names_lock */
};

static int print_one(struct rpt_script *script, const struct pd_record *rec)
{
	if (rec->type == PD_RECORD_SAMPLE)
		return rpt_script_sample(script, rec);
	if (script->conf.dump_path)
		rpt_script_dump(script, rec);
	if (!rpt_script_event_is_shown(script->conf.show, rec->type))
		return script->text.status;
	return rpt_script_event(script, rec);
}

static void format_batch(struct rpt_script *script, struct batch *batch)
{
	int rc = 0;

	batch->text.len = 0;
	script->text.heap = &batch->text;
	for (uint32_t i = 0; i < batch->nr && !rc; i++)
		rc = print_one(script, &batch->recs[i]);
	batch->status = rpt_text_flush(&script->text);
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct rpt_script_pool *pool = worker->pool;
	struct batch *batch;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (pool->taken_nr == pool->given_nr && !pool->is_closing)
			pthread_cond_wait(&pool->work, &pool->lock);
		if (pool->taken_nr == pool->given_nr)
			break;
		batch = &pool->batches[pool->taken_nr++ % pool->batches_nr];
		pthread_mutex_unlock(&pool->lock);
		format_batch(worker->script, batch);
		pthread_mutex_lock(&pool->lock);
		batch->is_done = true;
		pthread_cond_signal(&pool->done);
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
	       (fields & RPT_FIELD_DATA_SRC) || (held & PD_SAMPLE_READ) ||
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

static int add_batches(struct rpt_script_pool *pool)
{
	pool->batches_nr = pool->workers_nr * BATCHES_PER_JOB;
	pool->batches = calloc(pool->batches_nr, sizeof(*pool->batches));
	if (!pool->batches)
		return -ENOMEM;
	for (uint32_t i = 0; i < pool->batches_nr; i++) {
		struct batch *batch = &pool->batches[i];

		batch->recs = calloc(BATCH_NR_MAX, sizeof(*batch->recs));
		batch->bytes = malloc(BATCH_LEN);
		if (!batch->recs || !batch->bytes)
			return -ENOMEM;
	}
	return 0;
}

static int start(struct rpt_script_pool *pool)
{
	int rc = add_batches(pool);

	for (uint32_t i = 0; i < pool->workers_nr && !rc; i++) {
		struct worker *worker = &pool->workers[i];

		rc = -pthread_create(&worker->thread, NULL, work, worker);
		worker->is_running = !rc;
	}
	return rc;
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
	pthread_mutex_init(&pool->lock, NULL);
	pthread_mutex_init(&pool->names_lock, NULL);
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
	for (uint32_t i = 0; pool->batches && i < pool->batches_nr; i++) {
		free(pool->batches[i].recs);
		free(pool->batches[i].bytes);
		free(pool->batches[i].text.data);
	}
	free(pool->batches);
	pthread_mutex_destroy(&pool->lock);
	pthread_mutex_destroy(&pool->names_lock);
	pthread_cond_destroy(&pool->work);
	pthread_cond_destroy(&pool->done);
	free(pool);
}

static int write_batch(struct rpt_script_pool *pool, struct batch *batch)
{
	if (batch->status)
		return batch->status;
	if (batch->text.len && fwrite(batch->text.data, 1, batch->text.len,
				      pool->out) != batch->text.len)
		return errno ? -errno : -EIO;
	return 0;
}

/* Writes batches that are done, until no more than left_nr are not. */
static int write_done(struct rpt_script_pool *pool, uint64_t left_nr)
{
	int rc = 0;

	pthread_mutex_lock(&pool->lock);
	while (pool->written_nr < pool->given_nr && !rc) {
		struct batch *batch =
			&pool->batches[pool->written_nr % pool->batches_nr];

		if (!batch->is_done &&
		    pool->given_nr - pool->written_nr <= left_nr)
			break;
		while (!batch->is_done)
			pthread_cond_wait(&pool->done, &pool->lock);
		pthread_mutex_unlock(&pool->lock);
		rc = write_batch(pool, batch);
		pthread_mutex_lock(&pool->lock);
		batch->is_done = false;
		batch->nr = 0;
		batch->len = 0;
		pool->written_nr++;
	}
	pthread_mutex_unlock(&pool->lock);
	return rc;
}

static int give(struct rpt_script_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->given_nr++;
	pthread_cond_signal(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	/* one batch is to be free for the next records */
	pool->status = write_done(pool, pool->batches_nr - 1);
	return pool->status;
}

int rpt_script_pool_add(struct rpt_script_pool *pool,
			const struct pd_record *rec, bool is_lasting)
{
	struct batch *batch;
	size_t len = is_lasting ? 0 : (rec->len + 7u) & ~(size_t)7;
	int rc;

	if (!pool->is_threaded)
		return print_one(pool->workers[0].script, rec);
	batch = &pool->batches[pool->given_nr % pool->batches_nr];
	if (batch->nr == BATCH_NR_MAX || len > BATCH_LEN - batch->len) {
		rc = give(pool);
		if (rc)
			return rc;
		batch = &pool->batches[pool->given_nr % pool->batches_nr];
	}
	batch->recs[batch->nr] = *rec;
	if (len) {
		batch->recs[batch->nr].data = batch->bytes + batch->len;
		memcpy(batch->bytes + batch->len, rec->data, rec->len);
		batch->len += len;
	}
	batch->nr++;
	return 0;
}

int rpt_script_pool_finish(struct rpt_script_pool *pool)
{
	if (!pool->is_threaded)
		return rpt_script_finish(pool->workers[0].script);
	if (!pool->status)
		give(pool);
	if (!pool->status)
		pool->status = write_done(pool, 0);
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
