/* frame_spots.h: frames that were asked for lately, and around which addresses
 * the same is said: in one function of one map, or where nothing is mapped.
 * Their neighbours need no look at maps and symbols.
 */
#ifndef RPT_FRAME_SPOTS_H
#define RPT_FRAME_SPOTS_H

#include "report/addr_range.h"
#include "report/address_table.h"
#include "report/frame.h"

#define RPT_FRAME_SPOTS_NR 8u

struct rpt_frame_spot {
	struct rpt_addr_range range; /* of recorded addresses */
	uint32_t scope;		     /* as in struct rpt_address */
	uint64_t add; /* address in the DSO less the recorded one */
	struct rpt_frame frame;
};

/* A zeroed struct is empty. */
struct rpt_frame_spots {
	struct rpt_frame_spot items[RPT_FRAME_SPOTS_NR];
	uint32_t nr;
	uint32_t next; /* to be given up */
};

/* Fills in the frame of an address; false: it is in none of them. */
bool rpt_frame_spots_find(const struct rpt_frame_spots *spots,
			  const struct rpt_address *address,
			  struct rpt_frame *ret);

/* Keeps the frame of an address.  map_range: of recorded addresses in the same
 * map, or gap; symbol_range: of dso addresses with the same symbol, or none. */
void rpt_frame_spots_keep(struct rpt_frame_spots *spots,
			  const struct rpt_address *address,
			  const struct rpt_frame *frame,
			  const struct rpt_addr_range *map_range,
			  const struct rpt_addr_range *symbol_range);

#endif
