/* cache_maps.h: the names of JIT compilers' code as perf maps, which perf looks
 * for as /tmp/perf-PID.map: a build-id cache has no place for them.
 */
#ifndef RPT_CACHE_MAPS_H
#define RPT_CACHE_MAPS_H

#include "format/carried/carried.h"

/* Write perf-PID.map into the folder, with file->names.  *ret_nr is how many
 * it has.  Return 0, -EEXIST if there is one, which stays as it is, or what
 * write() says. */
int rpt_cache_map_write(int dir_fd, const struct pd_carried_file *file,
			uint32_t *ret_nr);

#endif
