/* addr_range.h: the addresses for which an answer about one address holds.
 *
 *	struct rpt_addr_range range = RPT_RANGE_ALL;
 *	answer = ..._range(..., addr, &range);
 *
 * Each function that a range is passed to narrows it to addresses with the same
 * answer, addr among them.
 */
#ifndef RPT_ADDR_RANGE_H
#define RPT_ADDR_RANGE_H

#include <stdint.h>

struct rpt_addr_range {
	uint64_t first;
	uint64_t last; /* included */
};

#define RPT_RANGE_ALL ((struct rpt_addr_range){ 0, UINT64_MAX })

/* Cut off what is below addr. */
static inline void rpt_range_from(struct rpt_addr_range *range, uint64_t addr)
{
	if (addr > range->first)
		range->first = addr;
}

/* Cut off end, which is not 0, and what is above it. */
static inline void rpt_range_until(struct rpt_addr_range *range, uint64_t end)
{
	if (end <= range->last)
		range->last = end - 1;
}

#endif
