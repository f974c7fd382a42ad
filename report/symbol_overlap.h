/* symbol_overlap.h: look-ups in a table whose symbols overlap.
 *
 * See symbol_tree.h for why; symbol_table.c makes one of these where it is
 * needed.
 */
#ifndef RPT_SYMBOL_OVERLAP_H
#define RPT_SYMBOL_OVERLAP_H

#include "report/symbol_table.h"

/* A symbol that got no length still answers for its own address. */
static inline bool rpt_symbol_covers(const struct rpt_symbol *sym,
				     uint64_t addr)
{
	return addr >= sym->start && (addr < sym->end || addr == sym->start);
}

/* The table is sorted. */
bool rpt_symbol_table_has_overlap(const struct rpt_symbol_table *table);

/* 0 or -ENOMEM. */
int rpt_symbol_overlap_make(const struct rpt_symbol_table *table,
			    struct rpt_symbol_overlap **ret);
void rpt_symbol_overlap_free(struct rpt_symbol_overlap *overlap);

/* The symbol that perf finds at addr, in a table with overlap; or NULL. */
struct rpt_symbol *rpt_symbol_overlap_find(const struct rpt_symbol_table *table,
					   uint64_t addr);

#endif
