/* function_bounds.h: where functions without names begin.
 *
 * Stripped files keep .eh_frame, and in front of it .eh_frame_hdr, a table of
 * where the functions start that it tells of (Linux Standard Base, "The
 * .eh_frame_hdr section").  In two runs of one build an address is of the same
 * function where that start is the same.
 */
#ifndef RPT_FUNCTION_BOUNDS_H
#define RPT_FUNCTION_BOUNDS_H

#include "report/elf/elf_file.h"

/* addr: a virtual address of the file; *ret_start: the last start before it.
 * False: there is no such table, none in the usual form, or addr lies before
 * all of it. */
bool rpt_function_start(struct rpt_elf *file, uint64_t addr,
			uint64_t *ret_start);

#endif
