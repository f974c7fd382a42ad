/* map_range.h: what is mapped at an address, and at how many around it: for
 * those who ask about one address after the other.  Part of the timeline.
 */
#ifndef RPT_MAP_RANGE_H
#define RPT_MAP_RANGE_H

#include "report/base/addr_range.h"
#include "report/timeline/timeline.h"

/* An answer, and all the addresses that it holds for. */
struct rpt_map_range {
	struct rpt_map map;
	struct rpt_addr_range range;
};

/* rpt_timeline_map(); ret->range is filled in where nothing is known, too. */
bool rpt_timeline_mapped(const struct rpt_timeline *tl,
			 const struct rpt_who *who, unsigned cpumode,
			 uint64_t addr, struct rpt_when when,
			 struct rpt_map_range *ret);

#endif
