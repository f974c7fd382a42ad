/* rows_ids.h: numbers of functions and stacks that many hosts and builds share.
 *
 * All are XXH3-64 with seed 0 of bytes that the names of functions make, from
 * the root on, so that neither an address nor the order of a recording counts:
 *
 *	function	the DSO's name without its folders, NUL, the function's
 *			name, NUL
 *	stack		the stack of its callers (the empty one: 0), then the
 *			function, each as 8 bytes, the lowest first
 *	code		the same of the DSO's build-id in hexadecimal, NUL, and
 *			the function's address in the file as 8 bytes, joined
 *			as a stack's functions are
 *
 * Code that a process made is of the DSO "[JIT]", and its functions have no
 * tiers (function_stem.h), as in a diff.
 */
#ifndef RPT_ROWS_IDS_H
#define RPT_ROWS_IDS_H

#include "report/export/export_set.h"

struct rpt_rows_ids {
	uint64_t *functions; /* by number in the set; owned */
	uint64_t *stacks;    /* by number in the set; owned */
	uint64_t *codes;     /* by number of the stack; owned */
	uint32_t *selves;    /* by number of the stack: the stack as far as the
			      * function of the symbol where it ends; owned */
};

void rpt_rows_ids_init(struct rpt_rows_ids *ids,
		       const struct rpt_export_set *set);
void rpt_rows_ids_release(struct rpt_rows_ids *ids);

/* Return the names that a function has in the tables.  *ret_name may be in buf,
 * of len bytes. */
const char *rpt_rows_ids_dso(const struct rpt_export_set *set,
			     const struct rpt_export_function *function);
const char *rpt_rows_ids_name(const struct rpt_export_set *set,
			      const struct rpt_export_function *function,
			      char *buf, size_t len);

#endif
