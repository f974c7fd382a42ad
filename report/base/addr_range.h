/* addr_range.h: how far an answer about an address holds: for those who ask
 * about one address after the other.
 *
 *	struct rpt_addr_range range = RPT_RANGE_ALL;
 *	answer = ..._range(..., addr, &range);
 *
 * Who answers narrows the range to addresses with the same answer, addr among
 * them; a range can go through several hands.
 */
#ifndef RPT_ADDR_RANGE_H
#define RPT_ADDR_RANGE_H

#include <stdint.h>

struct rpt_addr_range {
	uint64_t first;
	uint64_t last; /* included */
};

#define RPT_RANGE_ALL ((struct rpt_addr_range){ 0, UINT64_MAX })

/* What is below addr is no part of it. */
static inline void rpt_range_from(struct rpt_addr_range *range, uint64_t addr)
{
	if (addr > range->first)
		range->first = addr;
}

/* What is at end, which is not 0, or behind is no part of it. */
static inline void rpt_range_until(struct rpt_addr_range *range, uint64_t end)
{
	if (end <= range->last)
		range->last = end - 1;
}

#endif
