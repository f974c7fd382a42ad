/* symbol_range.h: the symbol at an address, and at how many around it: for
 * those who ask about one address after the other.  Part of symbols.
 */
#ifndef RPT_SYMBOL_RANGE_H
#define RPT_SYMBOL_RANGE_H

#include "report/base/addr_range.h"
#include "report/symbols/symbols.h"

/* rpt_dso_symbol(); range, of dso addresses, is narrowed. */
const struct rpt_symbol *rpt_dso_symbol_range(struct rpt_dso *dso,
					      uint64_t addr,
					      struct rpt_addr_range *range);

#endif
