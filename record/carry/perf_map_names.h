/* perf_map_names.h: the functions of a JIT compiler around addresses that were
 * hit, out of the map that the program itself writes: /tmp/perf-PID.map.
 *
 * Whoever may write to /tmp can put one there: the file counts if it is a
 * regular one of the process's user or of root, and is read up to a limit.
 */
#ifndef REC_PERF_MAP_NAMES_H
#define REC_PERF_MAP_NAMES_H

#include "record/carry/name_list.h"

/* Add the functions that cover hits[0..nr), ascending addresses of process pid,
 * in the order of the map.  Return 0, -ENOENT if there is no map, -EPERM if it
 * is another user's, or a negative errno. */
int rec_perf_map_names(int proc_fd, uint32_t pid, const uint64_t *hits,
		       size_t nr, struct rec_name_list *list);

#endif
