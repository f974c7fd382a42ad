/* radix_sort.h: many items ordered by several numbers, the first of them first.
 *
 * Tables have a hundred thousand rows that weigh the same: comparing them one
 * with another misses the cache at each step.  Here the items of one run, equal
 * so far, are brought into the order of their next number by radix, bytes that
 * are the same in all of them passed over.
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

/* Sorts items[nr]; those that compare finds equal keep their order where no run
 * is short.  0 or -ENOMEM. */
int rpt_radix_sort(const struct rpt_radix_sort *sort, uint32_t *items,
		   uint32_t nr);

#endif
