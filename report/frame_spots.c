#include "report/frame_spots.h"

static bool has(const struct rpt_frame_spot *spot,
		const struct rpt_address *address)
{
	return address->ip - spot->range.first <=
		       spot->range.last - spot->range.first &&
	       address->scope == spot->scope;
}

bool rpt_frame_spots_find(const struct rpt_frame_spots *spots,
			  const struct rpt_address *address,
			  struct rpt_frame *ret)
{
	for (uint32_t i = 0; i < spots->nr; i++) {
		const struct rpt_frame_spot *spot = &spots->items[i];

		if (!has(spot, address))
			continue;
		*ret = spot->frame;
		ret->ip = address->ip;
		ret->addr = address->ip + spot->add;
		return true;
	}
	return false;
}

/* What of map_range lies, seen from the address, no further than the ends of
 * symbol_range. */
static struct rpt_addr_range both(const struct rpt_frame *frame,
				  const struct rpt_addr_range *map_range,
				  const struct rpt_addr_range *symbol_range)
{
	struct rpt_addr_range range = *map_range;
	uint64_t below_len = frame->addr - symbol_range->first;
	uint64_t above_len = symbol_range->last - frame->addr;

	if (frame->ip - range.first > below_len)
		range.first = frame->ip - below_len;
	if (range.last - frame->ip > above_len)
		range.last = frame->ip + above_len;
	return range;
}

void rpt_frame_spots_keep(struct rpt_frame_spots *spots,
			  const struct rpt_address *address,
			  const struct rpt_frame *frame,
			  const struct rpt_addr_range *map_range,
			  const struct rpt_addr_range *symbol_range)
{
	spots->items[spots->next] = (struct rpt_frame_spot){
		.range = both(frame, map_range, symbol_range),
		.scope = address->scope,
		.add = frame->addr - frame->ip,
		.frame = *frame,
	};
	spots->next = (spots->next + 1) % RPT_FRAME_SPOTS_NR;
	if (spots->nr < RPT_FRAME_SPOTS_NR)
		spots->nr++;
}
