/* symbol_overlap.h: look-ups in a table whose symbols overlap.
 *
 * See symbol_tree.h for why; symbol_table.c makes one of these where it is
 * needed.
 */
#ifndef RPT_SYMBOL_OVERLAP_H
#define RPT_SYMBOL_OVERLAP_H

#include "report/elf/symbol_table.h"

/* True if it covers addr: one that got no length covers its own address.
 * Narrows the range to what it covers, or else to addr's side of that. */
static inline bool rpt_symbol_narrow(const struct rpt_symbol *sym,
				     uint64_t addr,
				     struct rpt_addr_range *range)
{
	if (addr < sym->start) {
		rpt_range_until(range, sym->start);
		return false;
	}
	if (addr == sym->start && sym->end <= sym->start) {
		*range = (struct rpt_addr_range){ addr, addr };
		return true;
	}
	if (addr >= sym->end) {
		rpt_range_from(range, sym->end);
		rpt_range_from(range, sym->start + 1);
		return false;
	}
	rpt_range_from(range, sym->start);
	rpt_range_until(range, sym->end);
	return true;
}

/* 0 or -ENOMEM. */
int rpt_symbol_overlap_make(const struct rpt_symbol_table *table,
			    struct rpt_symbol_overlap **ret);
void rpt_symbol_overlap_free(struct rpt_symbol_overlap *overlap);

/* The symbol that perf finds at addr, in a table with overlap; or NULL.  range
 * is narrowed to addresses for which the way to it is the same. */
struct rpt_symbol *rpt_symbol_overlap_find(const struct rpt_symbol_table *table,
					   uint64_t addr,
					   struct rpt_addr_range *range);

#endif
