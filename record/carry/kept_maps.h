/* kept_maps.h: perf maps of processes that have code in memory without a file,
 * as they were while these lived.
 *
 * Nothing but the map itself is held open (pins.h), while its process lives and
 * it stands in its folder: that is looked up at each look, with ever more time
 * between, and at the process's end.  What the map's owner cuts or overwrites
 * is lost.  At each look it is noted how long the map is, by which its lines
 * have times (perf_map_names.h).
 */
#ifndef REC_KEPT_MAPS_H
#define REC_KEPT_MAPS_H

#include "record/carry/pins.h"
#include "record/names/perf_map_place.h"

#include <stddef.h>
#include <time.h>

/* A process; place.tmp_fd is none. */
struct rec_kept_map {
	uint32_t pid;
	struct rec_perf_map_place place;
	dev_t dev; /* of what is pinned; ino 0: nothing */
	ino_t ino;
	uint64_t len;		 /* of what is pinned, at the last look */
	uint64_t tail_hash;	 /* of its last bytes then */
	struct timespec written; /* its mtime then */
	uint64_t wait_ns;	 /* between looks */
	uint64_t due_ns;	 /* of the next one */
};

enum { REC_KEPT_MAPS_MAX = 256 };

/* One thread's. */
struct rec_kept_maps {
	struct rec_pins *pins; /* borrowed */
	uint64_t begin_ns;     /* of the recording */
	struct rec_kept_map items[REC_KEPT_MAPS_MAX];
	size_t nr;
};

/* Take a process that runs, unless there are too many. */
void rec_kept_maps_add(struct rec_kept_maps *maps, uint32_t pid);
/* Look at the maps that are due; at all: whatever is due. */
void rec_kept_maps_look(struct rec_kept_maps *maps, bool is_all);
/* Look for the last time at that of a process that has ended. */
void rec_kept_maps_end(struct rec_kept_maps *maps, uint32_t pid);
/* Return when the next look is due; UINT64_MAX: never. */
uint64_t rec_kept_maps_due_ns(const struct rec_kept_maps *maps);

#endif
