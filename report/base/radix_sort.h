/* radix_sort.h: many items sorted by several numbers, the first of them first.
 *
 * Tables have a hundred thousand rows of one weight, and comparing them with
 * each other misses the cache at each step.  Here items that are equal so far
 * are sorted by their next number, digit by digit; digits that are the same in
 * all of them are passed over.
 */
#ifndef RPT_RADIX_SORT_H
#define RPT_RADIX_SORT_H

#include <stdint.h>

struct rpt_radix_sort {
	/* Number word_idx of an item; the lowest comes first. */
	uint64_t (*word)(const void *ctx, uint32_t item, unsigned word_idx);
	unsigned word_nr;
	/* What short runs are sorted with, and what no number tells apart: the
	 * same order as that of the numbers, as of qsort_r(). */
	int (*compare)(const void *a, const void *b, void *ctx);
	void *ctx;
};

/* Sort items[nr].  Those that compare finds equal keep their order, but for
 * runs of a few items. */
void rpt_radix_sort(const struct rpt_radix_sort *sort, uint32_t *items,
		    uint32_t nr);

#endif
