/* source_line.h: the source lines of addresses, by the line tables of debug
 * information.
 *
 * Answers are kept.  Who knows beforehand what will be asked has them all found
 * at once: the line table of each unit (source file) is then decoded once, unit
 * by unit by all threads.
 */
#ifndef RPT_SOURCE_LINE_H
#define RPT_SOURCE_LINE_H

#include "report/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The source line of a dso address; the file's name, as the compiler was given
 * it, belongs to the DSO.  False: no debug information tells. */
bool rpt_dso_source_line(struct rpt_dso *dso, uint64_t addr,
			 const char **ret_file, int *ret_line);

struct rpt_source_query {
	struct rpt_dso *dso;
	uint64_t addr; /* of rpt_dso_source_line() */
};

/* Finds what rpt_dso_source_line() will be asked; by threads threads (0: as
 * many as there are CPUs). */
void rpt_source_lines_find(const struct rpt_source_query *queries, size_t nr,
			   uint32_t threads);

/* For dso.h: frees what hangs on a DSO. */
struct rpt_source_lines;
void rpt_source_lines_free(struct rpt_source_lines *lines);

#endif
