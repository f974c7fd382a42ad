/* task_walk.h: read all tasks of /proc by several threads, write in order.
 *
 *	rec_task_walk_start(&walk, &world)	threads begin to read
 *	... the caller writes what comes before the tasks ...
 *	rec_task_walk_emit(&walk, emit, ctx)	in the order of pids
 *	rec_task_walk_end(&walk)		joins, frees
 */
#ifndef REC_TASK_WALK_H
#define REC_TASK_WALK_H

#include "record/snapshot/task_reader.h"

#include <pthread.h>
#include <stdatomic.h>

enum { REC_TASK_WORKER_MAX = 8 };

/* The tasks that a worker reads at a time, and their records. */
struct rec_task_chunk {
	struct pd_buf records;
	bool is_done;
};

struct rec_task_walk {
	const struct rec_task_world *world;
	struct rec_pid_list pids;
	struct rec_task_chunk *chunks; /* owned */
	size_t chunk_nr;
	atomic_size_t next_chunk; /* the first that no worker has taken */
	pthread_mutex_t lock;	  /* for is_done and stats */
	pthread_cond_t done;
	pthread_t workers[REC_TASK_WORKER_MAX];
	unsigned worker_nr;
	struct rec_snapshot_stats stats;
};

/* The walk must not move in memory before rec_task_walk_end(), which is safe on
 * a zeroed walk, too. */
int rec_task_walk_start(struct rec_task_walk *walk,
			const struct rec_task_world *world, struct pd_err *err);
int rec_task_walk_emit(struct rec_task_walk *walk, rec_emit_fn *emit,
		       void *ctx);
void rec_task_walk_end(struct rec_task_walk *walk);

#endif
