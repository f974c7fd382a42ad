#include "report/callchain/frame_range_cache.h"

static bool has(const struct rpt_frame_spot *spot,
		const struct rpt_address *address)
{
	return address->ip - spot->range.first <=
		       spot->range.last - spot->range.first &&
	       address->scope == spot->scope;
}

/* Scopes are numbered from 1: an empty one has none of them. */
static uint32_t near_of(const struct rpt_address *address)
{
	uint64_t piece = address->ip / RPT_FRAME_RANGE_CACHE_PIECE;

	return (uint32_t)(piece ^ piece >> 16 ^ address->scope * 31u) %
	       RPT_FRAME_RANGE_CACHE_NEAR;
}

const struct rpt_frame_spot *
rpt_frame_range_cache_find(const struct rpt_frame_range_cache *spots,
			   const struct rpt_address *address)
{
	const struct rpt_frame_spot *near = &spots->near[near_of(address)];

	if (has(near, address))
		return near;
	for (uint32_t i = 0; i < spots->wide_nr; i++)
		if (has(&spots->wide[i], address))
			return &spots->wide[i];
	return NULL;
}

/* What of map_range lies, seen from the address, no further than the ends of
 * symbol_range. */
static struct rpt_addr_range range_of(uint64_t ip,
				      const struct rpt_frame_place *place)
{
	struct rpt_addr_range range = place->map_range;
	uint64_t below_len = place->addr - place->symbol_range.first;
	uint64_t above_len = place->symbol_range.last - place->addr;

	if (ip - range.first > below_len)
		range.first = ip - below_len;
	if (range.last - ip > above_len)
		range.last = ip + above_len;
	return range;
}

static struct rpt_frame_spot *add_wide(struct rpt_frame_range_cache *spots)
{
	struct rpt_frame_spot *spot = &spots->wide[spots->wide_next];

	spots->wide_next = (spots->wide_next + 1) % RPT_FRAME_RANGE_CACHE_WIDE;
	if (spots->wide_nr < RPT_FRAME_RANGE_CACHE_WIDE)
		spots->wide_nr++;
	return spot;
}

#define WIDE_LEN (UINT64_C(64) * RPT_FRAME_RANGE_CACHE_PIECE)

void rpt_frame_range_cache_keep(struct rpt_frame_range_cache *spots,
				const struct rpt_address *address,
				const struct rpt_frame_place *place)
{
	struct rpt_addr_range range = range_of(address->ip, place);
	bool is_wide = range.last - range.first >= WIDE_LEN;
	struct rpt_frame_spot *spot =
		is_wide ? add_wide(spots) : &spots->near[near_of(address)];

	*spot = (struct rpt_frame_spot){
		.range = range,
		.add = place->addr - address->ip,
		.scope = address->scope,
		.frame = place->frame,
	};
}
