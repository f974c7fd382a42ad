/* dso_bounds.h: functions that have no symbol, by their bounds (--bounds).
 *
 * The .eh_frame of a file says where its functions start and end, also of
 * stripped ones; the recording carries these bounds for functions that were hit
 * (format/carried.h).  Such a function is called func_OFFSET, its start as
 * an offset in the file, so that it can be named later.
 */
#ifndef RPT_DSO_BOUNDS_H
#define RPT_DSO_BOUNDS_H

#include "report/base/intern.h"
#include "report/elf/symbol_table.h"

struct rpt_dso;

/* Those that were looked up; a zeroed struct has none. */
struct rpt_dso_bounds {
	struct rpt_intern names;
	struct rpt_intern symbols; /* struct rpt_symbol; names point to names */
};

void rpt_dso_bounds_release(struct rpt_dso_bounds *bounds);

/* Return the function around a dso address that has no symbol, or NULL; range
 * is narrowed to addresses with the same answer. */
const struct rpt_symbol *rpt_dso_bounds_find(struct rpt_dso *dso, uint64_t addr,
					     struct rpt_addr_range *range);

#endif
