/* source_line.h: finds the source lines of addresses in debug information.
 *
 * Answers are remembered.  A caller that knows all addresses beforehand calls
 * rpt_source_lines_find(): then each unit's line table is decoded once, and all
 * threads share the units.
 */
#ifndef RPT_SOURCE_LINE_H
#define RPT_SOURCE_LINE_H

#include "report/elf/source_file.h"
#include "report/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Find the source line of a dso address; the file's name, as the compiler got
 * it, belongs to the DSO.  Return false if it is not known. */
bool rpt_dso_source_line(struct rpt_dso *dso, uint64_t addr,
			 const char **ret_file, int *ret_line);

/* Return whose the debug information is, or the recording that carries the
 * lines: with his rights the source files are opened (read_for.h). */
uid_t rpt_dso_source_user(struct rpt_dso *dso);

struct rpt_source_place {
	const char *path;  /* as debug information has it */
	const char *moved; /* where it is here; NULL: not asked for */
	uint32_t line;
};

/* Set *ret to the text of a line of the DSO: what its recording carries, or out
 * of a file here: moved, or, if that is NULL, path, which stays below --symfs.
 * It has no newline and is valid until the next call.  Return
 * false if it is not there. */
bool rpt_dso_source_text(struct rpt_dso *dso, struct rpt_source_texts *texts,
			 const struct rpt_source_place *place,
			 struct pd_str *ret);

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
