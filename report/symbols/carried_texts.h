/* carried_texts.h: the source lines, inlined functions and source text that the
 * recording carries (format/carried/carried_lines.h, carried_sources.h), for
 * DSOs whose debug information is not on this machine.
 */
#ifndef RPT_CARRIED_TEXTS_H
#define RPT_CARRIED_TEXTS_H

#include "format/carried/carried_lines.h"
#include "format/carried/carried_sources.h"

struct rpt_dso;
struct rpt_symbols;

/* The texts that a recording carries besides names. */
struct rpt_carried_texts {
	struct pd_carried_lines lines;
	struct pd_carried_sources sources;
};

/* Take over what the recording carries, after its names
 * (rpt_symbols_set_carried()) and before the first look-up. */
void rpt_symbols_set_lines(struct rpt_symbols *symbols,
			   struct rpt_carried_texts *texts);

/* Return true if debug information of the DSO was looked at when the recording
 * was made to carry it. */
bool rpt_dso_has_carried_lines(struct rpt_dso *dso);

/* Return what is carried of a dso address, or NULL. */
const struct pd_carried_place *rpt_dso_carried_place(struct rpt_dso *dso,
						     uint64_t addr);
/* Return a function of that place, the innermost is 0; and its number among all
 * that the recording carries. */
const struct pd_carried_function *
rpt_dso_carried_function(const struct rpt_dso *dso,
			 const struct pd_carried_place *place, uint32_t idx,
			 uint64_t *ret_number);
/* Return the text of one of its numbers; NULL of 0. */
const char *rpt_dso_carried_text(const struct rpt_dso *dso, uint32_t text);

/* Find the source line of a dso address, or of the call of a function by its
 * number.  Return false if it is not carried. */
bool rpt_dso_carried_line(struct rpt_dso *dso, uint64_t addr,
			  const char **ret_file, int *ret_line);
bool rpt_dso_carried_call(const struct rpt_dso *dso, uint64_t number,
			  const char **ret_file, int *ret_line);

/* Set *ret to a line of a source file, counted from 1, that the recording
 * carries.  Return false if it does not. */
bool rpt_symbols_carried_source(const struct rpt_symbols *symbols,
				const char *path, int line, struct pd_str *ret);

#endif
