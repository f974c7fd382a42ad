/* stat_file_places.h: where the CPUs of a file are: socket, die, core, node. */
#ifndef REC_STAT_FILE_PLACES_H
#define REC_STAT_FILE_PLACES_H

#include "format/reader/reader.h"
#include "record/stat/stat_groups.h"

/* Set *ret, which the caller frees, to one entry for each CPU of the target, by
 * the features CPU_TOPOLOGY and NUMA_TOPOLOGY.  As perf does, take sockets,
 * dies and cores of this machine for a file without them, and -1 for the node.
 * Return 0 or -ENOMEM. */
int rec_stat_file_places(const struct pd_reader *reader,
			 const struct rec_target *target,
			 struct rec_stat_place **ret);

#endif
