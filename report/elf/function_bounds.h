/* function_bounds.h: finds where functions without names start and end.
 *
 * Stripped files keep .eh_frame_hdr, a table of the starts of functions (Linux
 * Standard Base, "The .eh_frame_hdr section").
 */
#ifndef RPT_FUNCTION_BOUNDS_H
#define RPT_FUNCTION_BOUNDS_H

#include "report/elf/elf_file.h"

/* The entries of .eh_frame of a function; their data are the file's. */
struct rpt_function_frame {
	struct pd_frame_entry fde;
	struct pd_frame_entry cie;
	uint64_t start;
	uint64_t len;
};

/* Find the entries for a virtual address, by that table.  Return false if none
 * of them covers it. */
bool rpt_function_frame(struct rpt_elf *file, uint64_t addr,
			struct rpt_function_frame *ret);

/* Find the function around a virtual address, by that table and its entry in
 * .eh_frame.  Return false if none of them covers it. */
bool rpt_function_bounds(struct rpt_elf *file, uint64_t addr,
			 uint64_t *ret_start, uint64_t *ret_len);

#endif
