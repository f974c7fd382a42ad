/* perf_map.h: names of code that a JIT compiler wrote into memory.
 *
 * The program itself writes /tmp/perf-PID.map, a line for each function:
 *	START SIZE name with any characters		(hex, absolute)
 * Linux v6.12 tools/perf/Documentation/jit-interface.txt
 */
#ifndef PD_PERF_MAP_H
#define PD_PERF_MAP_H

#include <stdbool.h>

struct rpt_dso;

/* True for names like /tmp/perf-1234.map. */
bool rpt_is_perf_map(const char *name);

/* Fills the DSO's table, at absolute addresses; nothing where the file is
 * missing. */
void rpt_perf_map_read(struct rpt_dso *dso);

#endif
