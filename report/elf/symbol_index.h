/* symbol_index.h: where to look in a sorted table of symbols: by pieces of the
 * addresses, about as many as there are symbols, so that most look-ups compare
 * two of them.  Part of symbol_table.
 */
#ifndef RPT_SYMBOL_INDEX_H
#define RPT_SYMBOL_INDEX_H

#include "report/elf/symbol.h"

#include <stddef.h>

/* A zeroed struct: of an empty table, or one that is too small for it. */
struct rpt_symbol_index {
	uint32_t *at; /* piece_nr + 1: how many symbols start before a piece */
	uint64_t first;
	uint32_t piece_nr;
	unsigned shift;
};

/* syms[nr] are sorted by start.  0 or -ENOMEM. */
int rpt_symbol_index_make(struct rpt_symbol_index *index,
			  const struct rpt_symbol *syms, size_t nr);
void rpt_symbol_index_release(struct rpt_symbol_index *index);

/* How many of these start at or before an address. */
size_t rpt_symbol_index_find(const struct rpt_symbol_index *index,
			     const struct rpt_symbol *syms, size_t nr,
			     uint64_t addr);

#endif
