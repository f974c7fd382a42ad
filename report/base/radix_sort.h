/* radix_sort.h: sorts many items by several numbers; later numbers count among
 * items whose earlier ones are equal.
 *
 * Tables have a hundred thousand rows of one weight, and comparing them with
 * each other would miss the cache at each step.  Items that are equal so far
 * are sorted by their next number, digit by digit; digits that are the same in
 * all of them are skipped.
 */
#ifndef RPT_RADIX_SORT_H
#define RPT_RADIX_SORT_H

#include <stdint.h>

struct rpt_radix_sort {
	/* Number word_idx of an item; the lowest comes first. */
	uint64_t (*word)(const void *ctx, uint32_t item, unsigned word_idx);
	unsigned word_nr;
	/* As for qsort_r(), in the order of the numbers.  It sorts short runs,
	 * and items whose numbers are all equal. */
	int (*compare)(const void *a, const void *b, void *ctx);
	void *ctx;
};

/* Sort items[nr].  Those that compare finds equal keep their order, but for
 * runs of a few items. */
void rpt_radix_sort(const struct rpt_radix_sort *sort, uint32_t *items,
		    uint32_t nr);

#endif
