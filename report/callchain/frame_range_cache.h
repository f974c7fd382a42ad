/* frame_range_cache.h: around which addresses that were asked for lately the
 * same is said: in one function of one map, or where nothing is mapped.  Their
 * neighbours need no look at maps and symbols.
 */
#ifndef RPT_FRAME_RANGE_CACHE_H
#define RPT_FRAME_RANGE_CACHE_H

#include "report/base/addr_range.h"
#include "report/base/address_hash.h"

/* Functions are found by the piece of memory that the address is in, what is
 * wider than many of these among the last few. */
#define RPT_FRAME_RANGE_CACHE_NEAR  512u
#define RPT_FRAME_RANGE_CACHE_WIDE  8u
#define RPT_FRAME_RANGE_CACHE_PIECE 256u

struct rpt_frame_spot {
	struct rpt_addr_range range; /* of recorded addresses */
	uint64_t add;	/* address in the DSO less the recorded one */
	uint32_t scope; /* as in struct rpt_address */
	uint32_t frame; /* number of that which was asked for */
};

/* A zeroed struct is empty. */
struct rpt_frame_range_cache {
	struct rpt_frame_spot near[RPT_FRAME_RANGE_CACHE_NEAR];
	struct rpt_frame_spot wide[RPT_FRAME_RANGE_CACHE_WIDE];
	uint32_t wide_nr;
	uint32_t wide_next; /* to be given up */
};

/* NULL: the address is in none of them. */
const struct rpt_frame_spot *
rpt_frame_range_cache_find(const struct rpt_frame_range_cache *spots,
			   const struct rpt_address *address);

/* The frame of an address, and where that is in the DSO.  map_range: of
 * recorded addresses in the same map, or gap; symbol_range: of dso addresses
 * with the same symbol, or none. */
struct rpt_frame_place {
	uint32_t frame;
	uint64_t addr;
	struct rpt_addr_range map_range;
	struct rpt_addr_range symbol_range;
};

void rpt_frame_range_cache_keep(struct rpt_frame_range_cache *spots,
				const struct rpt_address *address,
				const struct rpt_frame_place *place);

#endif
