#include "report/timeline/address_space.h"

#include <stdlib.h>

/* A look-up asks all parents.  If there are more than DEPTH_MAX, their changes
 * are copied, but at most FLAT_NR_MAX: a file of forks must not become
 * gigabytes. */
#define DEPTH_MAX   16u
#define FLAT_NR_MAX 512u

/* A look-up skips so many changes at once if the address is outside of their
 * bounds. */
#define BOUNDS_NR 64u

void rpt_address_space_add(struct rpt_address_space *space,
			   struct rpt_timestamp when, const struct rpt_map *map)
{
	uint32_t block = space->nr / BOUNDS_NR;
	struct rpt_address_space_bounds *bounds;

	space->changes =
		rpt_grow_within(space->budget, space->changes, &space->cap,
				space->nr, sizeof(*space->changes));
	space->bounds =
		rpt_grow_within(space->budget, space->bounds,
				&space->bounds_cap, block, sizeof(*bounds));
	bounds = &space->bounds[block];
	if (space->nr % BOUNDS_NR == 0)
		*bounds = (struct rpt_address_space_bounds){ map->start,
							     map->end };
	if (map->start < bounds->start)
		bounds->start = map->start;
	if (map->end > bounds->end)
		bounds->end = map->end;
	space->changes[space->nr++] =
		(struct rpt_address_space_change){ when, *map };
}

void rpt_address_space_release(struct rpt_address_space *space)
{
	free(space->changes);
	free(space->bounds);
}

uint32_t rpt_address_space_version(const struct rpt_address_space *space,
				   struct rpt_timestamp when)
{
	uint32_t lo = 0;
	uint32_t hi;

	if (!space)
		return 0;
	hi = space->nr;
	if (hi && !rpt_timestamp_before(when, space->changes[hi - 1].when))
		return hi;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (rpt_timestamp_before(when, space->changes[mid].when))
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* Return how many changes a copy would have. */
static uint64_t count_known(const struct rpt_address_space *space,
			    struct rpt_timestamp when)
{
	uint64_t nr = 0;

	while (space) {
		nr += rpt_address_space_version(space, when);
		when = space->fork;
		space = space->parent;
	}
	return nr;
}

/* Copy the changes of all parents to space. */
static void flatten(struct rpt_address_space *space,
		    const struct rpt_address_space *parent,
		    struct rpt_timestamp when)
{
	const struct rpt_address_space *line[DEPTH_MAX + 1];
	struct rpt_timestamp until[DEPTH_MAX + 1];
	size_t nr = 0;

	while (parent && nr < DEPTH_MAX + 1) {
		line[nr] = parent;
		until[nr++] = when;
		when = parent->fork;
		parent = parent->parent;
	}
	while (nr--) {
		uint32_t changes_nr =
			rpt_address_space_version(line[nr], until[nr]);

		for (uint32_t i = 0; i < changes_nr; i++)
			rpt_address_space_add(space, until[0],
					      &line[nr]->changes[i].map);
	}
	space->copied_nr = space->nr;
}

void rpt_address_space_fork(struct rpt_address_space *space,
			    const struct rpt_address_space *parent,
			    uint32_t pid, struct rpt_timestamp when)
{
	space->is_forked = true;
	space->fork_pid = pid;
	if (parent->depth == DEPTH_MAX &&
	    count_known(parent, when) <= FLAT_NR_MAX) {
		flatten(space, parent, when);
		return;
	}
	space->parent = parent;
	space->fork = when;
	space->depth = parent->depth + 1;
}

/* Return whether addr lies from start to end, and narrow range to the addresses
 * on its side of these. */
static bool narrow(struct rpt_addr_range *range, uint64_t addr, uint64_t start,
		   uint64_t end)
{
	if (addr < start) {
		rpt_range_until(range, start);
		return false;
	}
	if (addr >= end) {
		rpt_range_from(range, end);
		return false;
	}
	rpt_range_from(range, start);
	rpt_range_until(range, end);
	return true;
}

/* Return the map of the last of the first nr changes that covers addr, or NULL.
 */
static const struct rpt_map *find_change(const struct rpt_address_space *space,
					 uint64_t addr, uint32_t nr,
					 struct rpt_addr_range *range)
{
	while (nr--) {
		const struct rpt_address_space_bounds *bounds =
			&space->bounds[nr / BOUNDS_NR];
		const struct rpt_map *map = &space->changes[nr].map;

		if (addr < bounds->start || addr >= bounds->end) {
			narrow(range, addr, bounds->start, bounds->end);
			nr -= nr % BOUNDS_NR;
		} else if (narrow(range, addr, map->start, map->end)) {
			return map;
		}
	}
	return NULL;
}

bool rpt_address_space_find(const struct rpt_address_space *space,
			    uint64_t addr, struct rpt_timestamp when,
			    struct rpt_map *ret)
{
	struct rpt_addr_range range = RPT_RANGE_ALL;

	return rpt_address_space_find_range(space, addr, when, ret, &range);
}

bool rpt_address_space_find_range(const struct rpt_address_space *space,
				  uint64_t addr, struct rpt_timestamp when,
				  struct rpt_map *ret,
				  struct rpt_addr_range *range)
{
	for (; space; space = space->parent) {
		const struct rpt_map *map = find_change(
			space, addr, rpt_address_space_version(space, when),
			range);

		if (map && map->dso)
			*ret = *map;
		if (map)
			return map->dso;
		when = space->fork;
	}
	return false;
}

/* Narrow range, which is around addr, by the last of the first nr changes,
 * until one that covers addr.  Return whether there was one. */
static bool cut_piece(const struct rpt_address_space *space, uint64_t addr,
		      uint32_t nr, struct rpt_addr_range *range)
{
	while (nr--) {
		const struct rpt_address_space_bounds *bounds =
			&space->bounds[nr / BOUNDS_NR];
		const struct rpt_map *map = &space->changes[nr].map;

		if (bounds->end <= range->first || bounds->start > range->last)
			nr -= nr % BOUNDS_NR;
		else if (narrow(range, addr, map->start, map->end))
			return true;
	}
	return false;
}

uint64_t rpt_address_space_piece_len(const struct rpt_address_space *space,
				     uint64_t addr, struct rpt_timestamp when,
				     const struct rpt_map *map)
{
	struct rpt_addr_range range = { map->start, map->end - 1 };

	while (space &&
	       !cut_piece(space, addr, rpt_address_space_version(space, when),
			  &range)) {
		when = space->fork;
		space = space->parent;
	}
	return range.last - range.first + 1;
}
