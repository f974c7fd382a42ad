/* inline.h: the functions that a compiler merged into another.
 *
 * perf shows each of them as a call chain entry of its own, marked
 * "(inlined)", between the function that holds the code and its callee.
 */
#ifndef RPT_INLINE_H
#define RPT_INLINE_H

#include "report/symbols.h"

#include <stddef.h>
#include <stdint.h>

/* Names of the inlined functions at a dso address, innermost first; the
 * function that holds them all is not among them.  Returns how many (0:
 * nothing is inlined there, or the file has no debug information).  The array
 * and the names belong to the DSO and are kept: asking again is cheap. */
size_t rpt_dso_inline_frames(struct rpt_dso *dso, uint64_t addr,
			     const char *const **ret_names);

#endif
