/* perf_map_names.h: the functions of a JIT compiler around addresses that were
 * hit, out of the map that the program itself writes: /tmp/perf-PID.map.
 *
 * perf_map_place.h says which files count.  64 MiB of them are read: the last
 * ones, since most programs append what they compile.
 */
#ifndef REC_PERF_MAP_NAMES_H
#define REC_PERF_MAP_NAMES_H

#include "record/names/name_list.h"
#include "record/names/unnamed_hits.h"

/* Return a descriptor of the map of a process that runs, or of what one left in
 * /tmp, -ENOENT if there is none, -EPERM if it is another user's, or a negative
 * errno. */
int rec_perf_map_find(int proc_fd, uint32_t pid);

/* Add the functions of the map fd that cover hits, in the order of the map, and
 * name these.  Return 0; -EFBIG if the map is too long, -ETIME if until_ns
 * (rec_now_ns()) is over, with what was found; or another negative errno. */
int rec_perf_map_names(int fd, struct rec_unnamed_hits *hits, uint64_t until_ns,
		       struct rec_name_list *list);

#endif
