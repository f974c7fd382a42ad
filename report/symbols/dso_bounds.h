/* dso_bounds.h: what an address without a symbol belongs to: a function, by its
 * bounds, or the file.
 *
 * The .eh_frame of a file says where its functions start and end, also of
 * stripped ones; the recording carries these bounds for functions that were hit
 * (format/carried/carried.h).  Such a function is called func_OFFSET, its start
 * as an offset in the file, so that it can be named later.  All other addresses
 * of a file belong to one symbol, [FILE].
 */
#ifndef RPT_DSO_BOUNDS_H
#define RPT_DSO_BOUNDS_H

#include "report/base/intern.h"
#include "report/elf/symbol_table.h"

struct rpt_dso;

/* Bounds that were looked up; a zeroed struct has none. */
struct rpt_dso_bounds {
	struct rpt_intern names;
	struct rpt_intern symbols; /* struct rpt_symbol; names point to names */
	const struct rpt_symbol
		*file; /* rpt_dso_file_symbol(); NULL: not yet */
};

void rpt_dso_bounds_release(struct rpt_dso_bounds *bounds);

/* Return the symbol of all addresses in a file that belong to no function,
 * whatever their number: "[libc.so.6]"; NULL if memory is short. */
const struct rpt_symbol *rpt_dso_file_symbol(struct rpt_dso *dso);

/* Return the function around a dso address that has no symbol, or NULL; range
 * is narrowed to addresses with the same answer. */
const struct rpt_symbol *rpt_dso_bounds_find(struct rpt_dso *dso, uint64_t addr,
					     struct rpt_addr_range *range);

#endif
