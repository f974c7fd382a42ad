/* perf_map.h: names of code that a JIT compiler wrote into memory.
 *
 * The program writes /tmp/perf-PID.map (format/symtab/perf_map_line.h).
 *
 * In a container the file is below /proc/PID/root while the process lives.  It
 * has no build-id: another process may have the pid by now.
 */
#ifndef RPT_PERF_MAP_H
#define RPT_PERF_MAP_H

#include <stdbool.h>

struct rpt_dso;

/* Return whether name is like /tmp/perf-1234.map. */
bool rpt_is_perf_map(const char *name);

/* Fill the DSO's table, with absolute addresses; leave it empty if there is no
 * file. */
void rpt_perf_map_read(struct rpt_dso *dso);

#endif
