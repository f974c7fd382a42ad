/* source_line.h: finds the source lines of addresses in debug information.
 *
 * Answers are remembered.  A caller that knows all addresses beforehand calls
 * rpt_source_lines_find(): then each unit's line table is decoded once, and all
 * threads share the units.
 */
#ifndef RPT_SOURCE_LINE_H
#define RPT_SOURCE_LINE_H

#include "report/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Find the source line of a dso address; the file's name, as the compiler got
 * it, belongs to the DSO.  Return false if it is not known. */
bool rpt_dso_source_line(struct rpt_dso *dso, uint64_t addr,
			 const char **ret_file, int *ret_line);

struct rpt_source_query {
	struct rpt_dso *dso;
	uint64_t addr; /* of rpt_dso_source_line() */
};

/* Find the answers of rpt_dso_source_line() for all queries, with threads
 * threads (0: one for each CPU). */
void rpt_source_lines_find(const struct rpt_source_query *queries, size_t nr,
			   uint32_t threads);

/* Free a DSO's answers. */
struct rpt_source_lines;
void rpt_source_lines_free(struct rpt_source_lines *lines);

#endif
