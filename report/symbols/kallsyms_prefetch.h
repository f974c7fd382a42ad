/* kallsyms_prefetch.h: the kernel's names are read by a background task while
 * the caller does something else.
 */
#ifndef RPT_KALLSYMS_PREFETCH_H
#define RPT_KALLSYMS_PREFETCH_H

#include "report/symbols/symbols.h"

/* Start to read the names of the kernel that rpt_symbols_set_kernel() has told,
 * after its last call.  Look-ups in the kernel wait until they are read. */
void rpt_symbols_prefetch_kernel(struct rpt_symbols *symbols);

static inline bool rpt_symbols_has_kernel(struct rpt_symbols *symbols)
{
	(void)symbols;
	return true;
}

static inline void rpt_symbols_await_kernel(struct rpt_symbols *symbols)
{
	(void)symbols;
}

#endif
