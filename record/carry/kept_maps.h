/* kept_maps.h: perf maps of processes that have code in memory without a file,
 * as they were while these lived.
 *
 * A descriptor is kept, no copy: the file outlives its name.  What its owner
 * cuts or overwrites is lost.
 */
#ifndef REC_KEPT_MAPS_H
#define REC_KEPT_MAPS_H

#include "record/names/perf_map_place.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct rec_kept_map {
	uint32_t pid;
	struct rec_perf_map_place place; /* closed: the process has ended */
	int fd;				 /* owned; -1: no map yet */
	dev_t dev;			 /* of fd */
	ino_t ino;
};

/* One thread changes it, and takes lock (borrowed) to do so; others read it
 * under that lock. */
struct rec_kept_maps {
	pthread_mutex_t *lock;
	struct rec_kept_map *items; /* owned; the oldest first */
	size_t nr;
	size_t cap;
	size_t live_nr; /* whose processes run */
};

/* Return 0 or -ENOMEM. */
int rec_kept_maps_init(struct rec_kept_maps *maps, size_t cap,
		       pthread_mutex_t *lock);
void rec_kept_maps_release(struct rec_kept_maps *maps);

/* With the lock: return whether pid runs and is kept; return the descriptor of
 * the map of pid, which stays the table's, or -1. */
bool rec_kept_maps_has(const struct rec_kept_maps *maps, uint32_t pid);
int rec_kept_maps_find(const struct rec_kept_maps *maps, uint32_t pid);

/* Without the lock, by the one thread: take a process, look for all maps again,
 * look for the last time at that of a process that has ended. */
void rec_kept_maps_add(struct rec_kept_maps *maps, int proc_fd, uint32_t pid);
void rec_kept_maps_look(struct rec_kept_maps *maps);
void rec_kept_maps_end(struct rec_kept_maps *maps, uint32_t pid);

#endif
