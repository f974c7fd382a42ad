#include "report/script/script_pool.h"

#include "report/base/memory.h"
#include "report/base/work_queue.h"
#include "report/script/script_line.h"
#include "report/symbols/symbols.h"
#include "report/profile/stitch_pass.h"
#include "report/events/tracepoint.h"

#include <errno.h>
#include <stdlib.h>

#define THREADS_MAX 8u

#define BATCHES_PER_THREAD 4u
#define BATCH_NR	   1024u	       /* records */
#define BATCH_LEN	   ((size_t)512 << 10) /* bytes of records */

/* Text of most batches; memory that is not written to costs nothing. */
#define TEXT_LEN ((size_t)256 << 10)
/* The memory of a longer text is freed once it is written. */
#define REUSED_TEXT_LEN ((size_t)4 << 20)

/* Records that follow each other, and their text */
struct batch {
	struct pd_record *recs; /* BATCH_NR; owned; NULL: none yet */
	uint32_t nr;
	uint8_t *bytes; /* of records that do not last; owned; NULL: none yet */
	size_t len;	/* of all records and what --stitch-lbr joins to them */
	struct rpt_text_heap text;
	int status; /* -errno if the text could not be made */
};

struct worker {
	struct rpt_script *script;
	struct rpt_tracepoints *tracepoints; /* own ones; NULL for the first */
	struct rpt_unwind *unwind;	     /* likewise */
};

/* Batch number n is batches[n % batches_nr]: the caller fills number given_nr
 * while the queue has those before it. */
struct rpt_script_pool {
	const struct rpt_script_setup *setup;
	FILE *out;
	struct worker workers[THREADS_MAX]; /* one a thread */
	uint32_t workers_nr;
	uint32_t batches_nr; /* 0: records are printed as they come */
	struct batch batches[THREADS_MAX * BATCHES_PER_THREAD];
	uint64_t given_nr;
	uint64_t written_nr;
	struct rpt_work_queue queue; /* if there are batches */
	int status;		     /* of the first write that failed */
};

/* Print the batch; the caller's thread does so if there is no other. */
static void print_batch(void *ctx, uint32_t thread, void *block)
{
	struct rpt_script_pool *pool = ctx;
	struct rpt_script *script =
		pool->workers[thread % pool->workers_nr].script;
	struct batch *batch = block;
	int rc = 0, last;

	rpt_text_heap_reserve(&batch->text, TEXT_LEN);
	script->text.heap = &batch->text;
	for (uint32_t i = 0; i < batch->nr && !rc; i++)
		rc = rpt_script_record(script, &batch->recs[i]);
	last = rpt_text_flush(&script->text);
	batch->status = rc ? rc : last;
}

/* Return true if a line depends on those before it, or shows code, which one
 * thread keeps. */
static bool depends_on_order(const struct rpt_script_setup *setup)
{
	const struct pd_event_set *events = pd_reader_events(setup->in.reader);
	const struct rpt_script_args *args = setup->args;
	uint64_t fields = 0, held = 0;

	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;

		fields |= setup->fields.of[rpt_script_type_of(attr)];
		held |= attr->sample_type;
	}
	return args->is_dump || args->is_reltime || args->is_deltatime ||
	       args->event_switch.on || args->event_switch.off ||
	       args->is_per_event ||
	       (fields &
		(RPT_FIELD_DATA_SRC | RPT_FIELD_SRCCODE | RPT_FIELD_CODE)) ||
	       (held & PD_SAMPLE_READ);
}

static int add_worker(struct rpt_script_pool *pool, struct pd_err *err)
{
	const struct rpt_script_setup *setup = pool->setup;
	struct worker *worker = &pool->workers[pool->workers_nr++];
	struct pd_damage reported = { 0 }; /* when the setup loaded formats */
	int rc;

	worker->script = rpt_alloc_zeroed(1, sizeof(*worker->script));
	rc = rpt_script_init(worker->script, setup, pool->out, err);
	if (rc || pool->workers_nr == 1)
		return rc;
	if (setup->tracepoints) {
		rpt_tracepoints_load(&worker->tracepoints, setup->in.reader,
				     &reported);
		worker->script->tracepoints = worker->tracepoints;
	}
	worker->unwind = rpt_unwind_beside(setup->unwind);
	worker->script->unwind = worker->unwind;
	return 0;
}

/* Start the queue of batches; --jobs 1: without threads. */
static void start_queue(struct rpt_script_pool *pool)
{
	const struct rpt_work_queue_conf conf = {
		.threads_nr = pool->workers_nr > 1 ? pool->workers_nr : 0,
		.fn = print_batch,
		.ctx = pool,
	};

	for (uint32_t i = 0; i < pool->workers_nr; i++) {
		struct rpt_script *script = pool->workers[i].script;

		script->line_cache = rpt_script_line_cache_new(script);
		if (conf.threads_nr)
			script->names_lock =
				rpt_symbols_lock(pool->setup->symbols);
	}
	pool->batches_nr =
		conf.threads_nr ? conf.threads_nr * BATCHES_PER_THREAD : 1;
	rpt_work_queue_start(&pool->queue, &conf);
}

int rpt_script_pool_new(struct rpt_script_pool **ret,
			const struct rpt_script_setup *setup, FILE *out,
			struct pd_err *err)
{
	struct rpt_script_pool *pool = rpt_alloc_zeroed(1, sizeof(*pool));
	bool is_alone = depends_on_order(setup);
	uint32_t workers_nr =
		is_alone ? 1 : rpt_jobs_threads(setup->args->jobs, THREADS_MAX);
	int rc = 0;

	pool->setup = setup;
	pool->out = out;
	while (!rc && pool->workers_nr < workers_nr)
		rc = add_worker(pool, err);
	if (!rc && !is_alone)
		start_queue(pool);
	if (rc)
		rpt_script_pool_free(pool);
	else
		*ret = pool;
	return rc;
}

/* Stop the threads and add up their counts of unwound stacks. */
static void stop_queue(struct rpt_script_pool *pool)
{
	if (pool->batches_nr)
		rpt_work_queue_stop(&pool->queue);
	for (uint32_t i = 0; i < pool->workers_nr; i++) {
		rpt_unwind_merge(pool->setup->unwind, pool->workers[i].unwind);
		pool->workers[i].unwind = NULL;
	}
	for (uint32_t i = 0; i < pool->batches_nr; i++) {
		free(pool->batches[i].recs);
		free(pool->batches[i].bytes);
		free(pool->batches[i].text.data);
	}
	pool->batches_nr = 0;
}

void rpt_script_pool_free(struct rpt_script_pool *pool)
{
	if (!pool)
		return;
	stop_queue(pool);
	for (uint32_t i = 0; i < pool->workers_nr; i++) {
		if (pool->workers[i].script)
			rpt_script_release(pool->workers[i].script);
		free(pool->workers[i].script);
		rpt_tracepoints_free(pool->workers[i].tracepoints);
	}
	free(pool);
}

/* Write the batch's text and empty the batch. */
static int write_batch(struct batch *batch, FILE *out)
{
	size_t len = batch->text.len;
	int rc = batch->status;

	if (!rc && len && fwrite(batch->text.data, 1, len, out) != len)
		rc = errno ? -errno : -EIO;
	if (batch->text.cap > REUSED_TEXT_LEN) {
		free(batch->text.data);
		batch->text = (struct rpt_text_heap){ 0 };
	}
	batch->text.len = 0;
	batch->nr = 0;
	batch->len = 0;
	return rc;
}

/* Write the oldest batches, until at most left_nr are not written. */
static int write_batches(struct rpt_script_pool *pool, uint64_t left_nr)
{
	while (!pool->status && pool->given_nr - pool->written_nr > left_nr) {
		pool->status = write_batch(rpt_work_queue_next(&pool->queue),
					   pool->out);
		pool->written_nr++;
	}
	return pool->status;
}

static struct batch *open_batch(struct rpt_script_pool *pool)
{
	return &pool->batches[pool->given_nr % pool->batches_nr];
}

static void give_batch(struct rpt_script_pool *pool)
{
	rpt_work_queue_give(&pool->queue, open_batch(pool));
	pool->given_nr++;
}

/* Return true if the batch has room for the record and the more_len bytes that
 * are printed with it. */
static bool has_room(const struct batch *batch, const struct pd_record *rec,
		     size_t more_len)
{
	return !batch->nr || (batch->nr < BATCH_NR &&
			      batch->len + rec->len + more_len <= BATCH_LEN);
}

static void add_to_batch(struct batch *batch, const struct pd_record *rec,
			 size_t more_len, bool is_lasting)
{
	if (!batch->recs)
		batch->recs = rpt_alloc_zeroed(BATCH_NR, sizeof(*batch->recs));
	if (!is_lasting && !batch->bytes)
		batch->bytes = rpt_alloc(BATCH_LEN);
	batch->recs[batch->nr] = *rec;
	if (!is_lasting)
		batch->recs[batch->nr].data =
			memcpy(batch->bytes + batch->len, rec->data, rec->len);
	batch->len += ((rec->len + 7u) & ~(size_t)7) + more_len;
	batch->nr++;
}

int rpt_script_pool_add(struct rpt_script_pool *pool,
			const struct pd_record *rec, bool is_lasting)
{
	size_t more_len;

	if (!pool->batches_nr)
		return rpt_script_record(pool->workers[0].script, rec);
	if (pool->status)
		return pool->status;
	more_len = rpt_stitched_len(pool->setup->timeline, rec->seq);
	if (!has_room(open_batch(pool), rec, more_len)) {
		give_batch(pool);
		if (write_batches(pool, pool->batches_nr - 1))
			return pool->status;
	}
	add_to_batch(open_batch(pool), rec, more_len, is_lasting);
	return 0;
}

int rpt_script_pool_flush(struct rpt_script_pool *pool)
{
	if (!pool->batches_nr)
		return rpt_text_flush(&pool->workers[0].script->text);
	if (!pool->status && open_batch(pool)->nr)
		give_batch(pool);
	return write_batches(pool, 0);
}

int rpt_script_pool_finish(struct rpt_script_pool *pool)
{
	if (!pool->batches_nr)
		return rpt_script_finish(pool->workers[0].script);
	rpt_script_pool_flush(pool);
	stop_queue(pool);
	return pool->status;
}

struct rpt_script_counts
rpt_script_pool_counts(const struct rpt_script_pool *pool)
{
	struct rpt_script_counts counts = { 0 };

	for (uint32_t i = 0; i < pool->workers_nr; i++) {
		const struct rpt_script_counts *own =
			&pool->workers[i].script->counts;

		if (!counts.damaged_nr ||
		    (own->damaged_nr && own->damage.off < counts.damage.off))
			counts.damage = own->damage;
		counts.damaged_nr += own->damaged_nr;
		counts.chosen_nr += own->chosen_nr;
		counts.unknown_id_nr +=
			pool->workers[i].script->reader.unknown_id_nr;
	}
	return counts;
}
