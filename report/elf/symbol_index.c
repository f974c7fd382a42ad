#include "report/elf/symbol_index.h"

#include <errno.h>
#include <stdlib.h>

#define SYMS_NR_MIN 64u

void rpt_symbol_index_release(struct rpt_symbol_index *index)
{
	free(index->at);
	*index = (struct rpt_symbol_index){ 0 };
}

static uint32_t piece_of(const struct rpt_symbol_index *index, uint64_t addr)
{
	return (uint32_t)((addr - index->first) >> index->shift);
}

int rpt_symbol_index_make(struct rpt_symbol_index *index,
			  const struct rpt_symbol *syms, size_t nr)
{
	uint64_t len;
	uint32_t next = 0;

	rpt_symbol_index_release(index);
	if (nr < SYMS_NR_MIN || nr > UINT32_MAX / 2)
		return 0;
	len = syms[nr - 1].start - syms[0].start;
	while (len >> index->shift >= nr)
		index->shift++;
	index->first = syms[0].start;
	index->piece_nr = piece_of(index, syms[nr - 1].start) + 1;
	index->at = reallocarray(NULL, (size_t)index->piece_nr + 1,
				 sizeof(*index->at));
	if (!index->at)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		while (next <= piece_of(index, syms[i].start))
			index->at[next++] = i;
	index->at[index->piece_nr] = (uint32_t)nr;
	return 0;
}

size_t rpt_symbol_index_find(const struct rpt_symbol_index *index,
			     const struct rpt_symbol *syms, size_t nr,
			     uint64_t addr)
{
	size_t lo = 0, hi = nr;

	if (index->at && addr < index->first)
		return 0;
	if (index->at &&
	    (addr - index->first) >> index->shift >= index->piece_nr)
		return nr;
	if (index->at) {
		lo = index->at[piece_of(index, addr)];
		hi = index->at[piece_of(index, addr) + 1];
	}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (syms[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
