#include "record/snapshot/task_walk.h"

#include "record/base/runtime.h"

#include <sched.h>
#include <stdlib.h>

enum {
	CHUNK_PIDS = 32,
	PIDS_PER_WORKER = 64, /* for fewer a thread does not pay */
};

static void read_chunk(struct rec_task_reader *reader,
		       const struct rec_task_walk *walk, size_t idx)
{
	const size_t first = idx * CHUNK_PIDS;

	for (size_t i = first; i < first + CHUNK_PIDS && i < walk->pids.nr; i++)
		rec_task_read_process(reader, walk->pids.pids[i],
				      &walk->chunks[idx].records);
}

static void add_stats(struct rec_snapshot_stats *sum,
		      const struct rec_snapshot_stats *one)
{
	sum->task_nr += one->task_nr;
	sum->map_nr += one->map_nr;
	sum->gone_nr += one->gone_nr;
	sum->denied_nr += one->denied_nr;
}

/* Read chunks until none are left. */
static void read_chunks(struct rec_task_walk *walk)
{
	struct rec_task_reader reader;
	size_t idx;

	rec_task_reader_init(&reader, walk->world);
	while ((idx = atomic_fetch_add(&walk->next_chunk, 1)) <
	       walk->chunk_nr) {
		read_chunk(&reader, walk, idx);
		pthread_mutex_lock(&walk->lock);
		walk->chunks[idx].is_done = true;
		pthread_cond_signal(&walk->done);
		pthread_mutex_unlock(&walk->lock);
	}
	pthread_mutex_lock(&walk->lock);
	add_stats(&walk->stats, &reader.stats);
	pthread_mutex_unlock(&walk->lock);
	rec_task_reader_release(&reader);
}

static void *worker_main(void *arg)
{
	read_chunks(arg);
	return NULL;
}

static unsigned worker_nr_for(const struct rec_task_walk *walk)
{
	const unsigned wanted = walk->world->conf->worker_nr;
	size_t nr = walk->pids.nr / PIDS_PER_WORKER;
	cpu_set_t cpus;

	if (wanted)
		return wanted < REC_TASK_WORKER_MAX ? wanted
						    : REC_TASK_WORKER_MAX;
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0 &&
	    nr > (size_t)CPU_COUNT(&cpus))
		nr = (size_t)CPU_COUNT(&cpus);
	return nr < REC_TASK_WORKER_MAX ? (unsigned)nr : REC_TASK_WORKER_MAX;
}

/* rec_task_walk_emit() reads the chunks for which no thread was started. */
static void start_workers(struct rec_task_walk *walk)
{
	const unsigned nr = worker_nr_for(walk);

	while (walk->worker_nr < nr &&
	       !rec_thread_start(&walk->workers[walk->worker_nr], "read-proc",
				 worker_main, walk))
		walk->worker_nr++;
}

int rec_task_walk_start(struct rec_task_walk *walk,
			const struct rec_task_world *world, struct pd_err *err)
{
	int rc;

	rc = rec_pid_dir_read(world->proc_fd, ".", &walk->pids);
	if (rc)
		return pd_err_set(err, rc, "%s: %s", world->conf->roots.proc,
				  strerror(-rc));
	walk->chunk_nr = (walk->pids.nr + CHUNK_PIDS - 1) / CHUNK_PIDS;
	walk->chunks = calloc(walk->chunk_nr + 1, sizeof(*walk->chunks));
	if (!walk->chunks)
		return pd_err_set(err, -ENOMEM, "out of memory");
	walk->world = world;
	pthread_mutex_init(&walk->lock, NULL);
	pthread_cond_init(&walk->done, NULL);
	start_workers(walk);
	return 0;
}

static void wait_for(struct rec_task_walk *walk, size_t idx)
{
	pthread_mutex_lock(&walk->lock);
	while (!walk->chunks[idx].is_done)
		pthread_cond_wait(&walk->done, &walk->lock);
	pthread_mutex_unlock(&walk->lock);
}

static int emit_chunk(struct rec_task_walk *walk, size_t idx, rec_emit_fn *emit,
		      void *ctx)
{
	struct pd_buf *records = &walk->chunks[idx].records;
	int rc = pd_buf_status(records);

	if (!rc && records->len)
		rc = emit(ctx, records->data, records->len);
	pd_buf_release(records);
	return rc;
}

int rec_task_walk_emit(struct rec_task_walk *walk, rec_emit_fn *emit, void *ctx)
{
	int rc = 0;

	if (walk->worker_nr == 0)
		read_chunks(walk);
	for (size_t i = 0; i < walk->chunk_nr && !rc; i++) {
		wait_for(walk, i);
		rc = emit_chunk(walk, i, emit, ctx);
	}
	return rc;
}

void rec_task_walk_end(struct rec_task_walk *walk)
{
	if (walk->world) {
		atomic_store(&walk->next_chunk, walk->chunk_nr);
		for (unsigned i = 0; i < walk->worker_nr; i++)
			pthread_join(walk->workers[i], NULL);
		pthread_mutex_destroy(&walk->lock);
		pthread_cond_destroy(&walk->done);
	}
	for (size_t i = 0; walk->chunks && i < walk->chunk_nr; i++)
		pd_buf_release(&walk->chunks[i].records);
	free(walk->chunks);
	walk->chunks = NULL;
	rec_pid_list_release(&walk->pids);
	walk->worker_nr = 0;
	walk->world = NULL;
}
