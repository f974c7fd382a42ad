/* compare.h: compares two numbers for a sort: less than, equal to or greater
 * than 0 as a is less than, equal to or greater than b.
 */
#ifndef RPT_COMPARE_H
#define RPT_COMPARE_H

#include <stdint.h>

static inline int rpt_compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static inline int rpt_compare_int(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* For qsort() of doubles, none of them NaN. */
static inline int rpt_compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

#endif
