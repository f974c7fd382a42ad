#include "report/timeline/address_space.h"

#include "report/base/compare.h"

#include <assert.h>
#include <stdlib.h>

/* One of all starts and ends of maps, by address: from cuts[i] to cuts[i + 1]
 * the latest change that covers it holds. */
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
		nr += rpt_address_space_version(space, when);
	return nr;
}

static void take_changes(struct painting *p,
			 const struct rpt_address_space *space)
{
	struct rpt_timestamp when = { UINT64_MAX, UINT64_MAX };

	for (; space; when = space->fork, space = space->parent) {
		uint32_t i = rpt_address_space_version(space, when);

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
	size_t lo = 0, hi = p->cut_nr;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->cuts[mid].addr <= addr)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
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
