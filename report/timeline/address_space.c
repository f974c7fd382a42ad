#include "report/timeline/address_space.h"

#include <assert.h>
#include <stdlib.h>

#include "report/base/compare.h"

#include "format/base/search.h"

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
	free(space->by_layer);
	free(space->layer_ends);
}

/* A line in its layer. */
struct place {
	uint32_t layer, idx;
	uint64_t start;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->layer != y->layer ? rpt_compare_u64(x->layer, y->layer)
				    : rpt_compare_u64(x->start, y->start);
}

void rpt_address_space_set_layers(struct rpt_address_space *space,
				  const uint32_t *layers)
{
	size_t nr = space->nr;
	struct place *places = rpt_alloc_zeroed(nr + 1, sizeof(*places));

	for (uint32_t i = 0; i < nr; i++) {
		places[i] = (struct place){ layers[i], i,
					    space->changes[i].map.start };
		if (layers[i] > space->layer_nr)
			space->layer_nr = layers[i];
	}
	qsort(places, nr, sizeof(*places), compare_places);
	rpt_budget_charge(space->budget, nr * sizeof(*space->by_layer));
	space->by_layer = rpt_alloc_zeroed(nr + 1, sizeof(*space->by_layer));
	space->layer_ends = rpt_alloc_zeroed(space->layer_nr + (size_t)1,
					     sizeof(*space->layer_ends));
	for (uint32_t i = 0; i < nr; i++) {
		space->by_layer[i] = places[i].idx;
		space->layer_ends[places[i].layer - 1] = i + 1;
	}
	for (uint32_t i = 1; i < space->layer_nr; i++)
		if (!space->layer_ends[i]) /* it has no line */
			space->layer_ends[i] = space->layer_ends[i - 1];
	free(places);
}

uint32_t rpt_address_space_change_nr(const struct rpt_address_space *space,
				     struct rpt_timestamp when)
{
	uint32_t at, nr;

	if (!space || !space->changes)
		return 0;
	nr = space->nr;
	if (nr && !rpt_timestamp_before(when, space->changes[nr - 1].when))
		return nr;
	PD_FIND_FIRST(at, nr,
		      rpt_timestamp_before(when, space->changes[at].when));
	return at;
}

uint32_t rpt_address_space_version(const struct rpt_address_space *space,
				   struct rpt_timestamp when)
{
	uint32_t nr = rpt_address_space_change_nr(space, when);

	return space && space->lines
		       ? nr + rpt_address_space_change_nr(space->lines, when)
		       : nr;
}

/* Return how many changes a copy would have. */
static uint64_t count_known(const struct rpt_address_space *space,
			    struct rpt_timestamp when)
{
	uint64_t nr = 0;

	while (space) {
		nr += rpt_address_space_change_nr(space, when);
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
			rpt_address_space_change_nr(line[nr], until[nr]);

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

/* Return whether line a holds rather than b at a time until which nr lines
 * came: the last one of these, else the first one that came later. */
static bool is_better(uint32_t a, uint32_t b, uint32_t nr)
{
	return a < nr ? b >= nr || a > b : b >= nr && a < b;
}

/* Return the line that covers addr when the first nr of lines have come, or
 * NULL. */
static const struct rpt_map *
find_in_layers(const struct rpt_address_space *lines, uint64_t addr,
	       uint32_t nr, struct rpt_addr_range *range)
{
	uint32_t best = UINT32_MAX, first = 0;

	for (uint32_t i = 0; i < lines->layer_nr; i++) {
		const uint32_t *layer = lines->by_layer + first;
		uint32_t layer_nr = lines->layer_ends[i] - first, at;
		const struct rpt_map *map;

		PD_FIND_FIRST(at, layer_nr,
			      lines->changes[layer[at]].map.end > addr);
		if (at)
			rpt_range_from(range,
				       lines->changes[layer[at - 1]].map.end);
		map = at < layer_nr ? &lines->changes[layer[at]].map : NULL;
		if (map && narrow(range, addr, map->start, map->end) &&
		    is_better(layer[at], best, nr))
			best = layer[at];
		first = lines->layer_ends[i];
	}
	return best < lines->nr ? &lines->changes[best].map : NULL;
}

/* If addr lies in a line that holds instead of the map *ret, set it to what the
 * map has of that. */
static void find_line(const struct rpt_address_space *space, uint64_t addr,
		      struct rpt_timestamp when, struct rpt_map *ret,
		      struct rpt_addr_range *range)
{
	const struct rpt_address_space *lines = space->lines;
	const struct rpt_map *line;
	uint64_t off;

	if (!lines || ret->dso != space->memory)
		return;
	line = find_in_layers(lines, addr,
			      rpt_address_space_change_nr(lines, when), range);
	if (!line)
		return;
	ret->dso = line->dso;
	if (line->end < ret->end)
		ret->end = line->end;
	if (line->start <= ret->start)
		return;
	off = line->start - ret->start;
	ret->start += off;
	ret->pgoff += off;
	ret->recorded_pgoff += off;
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
			space, addr, rpt_address_space_change_nr(space, when),
			range);

		if (map && map->dso) {
			*ret = *map;
			find_line(space, addr, when, ret, range);
		}
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
	       !cut_piece(space, addr, rpt_address_space_change_nr(space, when),
			  &range)) {
		when = space->fork;
		space = space->parent;
	}
	return range.last - range.first + 1;
}

/* A start or an end of maps, by address: from cuts[i] to cuts[i + 1] the
 * latest change that covers it holds. */
struct cut {
	uint64_t addr;
	const struct rpt_map *owner; /* of what follows; NULL: not yet found */
	size_t next; /* this cut or a later one, at or before the first cut
		      * from here on without an owner */
};

struct painting {
	const struct rpt_map **maps; /* latest first */
	size_t map_nr;
	struct cut *cuts;
	size_t cut_nr;
};

static size_t count_changes(const struct rpt_address_space *space)
{
	struct rpt_timestamp when = { UINT64_MAX, UINT64_MAX };
	size_t nr = 0;

	for (; space; when = space->fork, space = space->parent)
		nr += rpt_address_space_change_nr(space, when);
	return nr;
}

static void take_changes(struct painting *p,
			 const struct rpt_address_space *space)
{
	struct rpt_timestamp when = { UINT64_MAX, UINT64_MAX };

	for (; space; when = space->fork, space = space->parent) {
		uint32_t i = rpt_address_space_change_nr(space, when);

		assert(space->changes || !i);
		while (i--) {
			const struct rpt_map *map = &space->changes[i].map;

			if (map->start < map->end)
				p->maps[p->map_nr++] = map;
		}
	}
}

static int compare_cuts(const void *a, const void *b)
{
	uint64_t x = ((const struct cut *)a)->addr;
	uint64_t y = ((const struct cut *)b)->addr;

	return rpt_compare_u64(x, y);
}

static void make_cuts(struct painting *p)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->map_nr; i++) {
		p->cuts[nr++] = (struct cut){ .addr = p->maps[i]->start };
		p->cuts[nr++] = (struct cut){ .addr = p->maps[i]->end };
	}
	qsort(p->cuts, nr, sizeof(*p->cuts), compare_cuts);
	for (size_t i = 0; i < nr; i++) {
		if (!p->cut_nr ||
		    p->cuts[i].addr != p->cuts[p->cut_nr - 1].addr)
			p->cuts[p->cut_nr++] = p->cuts[i];
	}
	for (size_t i = 0; i < p->cut_nr; i++)
		p->cuts[i].next = i;
}

static size_t cut_at(const struct painting *p, uint64_t addr)
{
	size_t at;

	PD_FIND_FIRST(at, p->cut_nr, p->cuts[at].addr > addr);
	return at ? at - 1 : 0;
}

/* Return the first cut from i on without an owner; the last cut never has one.
 * Halve the way for later calls. */
static size_t free_from(struct painting *p, size_t i)
{
	while (p->cuts[i].next != i) {
		p->cuts[i].next = p->cuts[p->cuts[i].next].next;
		i = p->cuts[i].next;
	}
	return i;
}

static void paint(struct painting *p)
{
	for (size_t m = 0; m < p->map_nr; m++) {
		const struct rpt_map *map = p->maps[m];
		size_t i = free_from(p, cut_at(p, map->start));

		while (p->cuts[i].addr < map->end) {
			p->cuts[i].owner = map;
			p->cuts[i].next = i + 1;
			i = free_from(p, i + 1);
		}
	}
}

/* List the pieces; neighbours of one owner are one. */
static size_t take_pieces(const struct painting *p, struct rpt_map *ret)
{
	size_t nr = 0;

	for (size_t i = 0; i + 1 < p->cut_nr; i++) {
		const struct rpt_map *owner = p->cuts[i].owner;
		uint64_t start = p->cuts[i].addr, off;

		if (!owner || !owner->dso)
			continue;
		while (i + 2 < p->cut_nr && p->cuts[i + 1].owner == owner)
			i++;
		off = start - owner->start;
		ret[nr] = *owner;
		ret[nr].start = start;
		ret[nr].end = p->cuts[i + 1].addr;
		ret[nr].pgoff += off;
		ret[nr++].recorded_pgoff += off;
	}
	return nr;
}

void rpt_address_space_list(const struct rpt_address_space *space,
			    struct rpt_map **ret, size_t *ret_nr)
{
	size_t change_nr = count_changes(space);
	struct painting p = { 0 };

	*ret = NULL;
	*ret_nr = 0;
	if (!change_nr)
		return;
	p.maps = rpt_alloc_zeroed(change_nr, sizeof(*p.maps));
	p.cuts = rpt_alloc_zeroed(2 * change_nr, sizeof(*p.cuts));
	*ret = rpt_alloc_zeroed(2 * change_nr, sizeof(**ret));
	take_changes(&p, space);
	make_cuts(&p);
	if (p.cut_nr)
		paint(&p);
	*ret_nr = take_pieces(&p, *ret);
	free(p.maps);
	free(p.cuts);
}

void rpt_address_space_list_own(const struct rpt_address_space *space,
				struct rpt_map **ret, size_t *ret_nr)
{
	const struct rpt_address_space own = {
		.changes = space->nr ? space->changes + space->copied_nr : NULL,
		.nr = space->nr - space->copied_nr,
	};

	rpt_address_space_list(&own, ret, ret_nr);
}

uint64_t rpt_address_space_list_work(const struct rpt_address_space *space,
				     uint64_t max)
{
	uint64_t nr = 0;

	for (; space && nr < max; space = space->parent)
		nr += space->nr + 1;
	return nr < max ? nr : max;
}
