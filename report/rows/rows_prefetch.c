/* A table of a hundred thousand rows waits for memory most of the time. */
#include "report/rows/rows_prefetch.h"

#include "report/base/cpu_prefetch.h"
#include "report/rows/rows_impl.h"

/* Of a long chain so many frames. */
#define FRAMES_MAX 16u

/* Without children a stack has one row. */
static uint32_t limit(const struct rpt_rows *rows, uint32_t nr)
{
	uint32_t max =
		rows->conf.children || rows->conf.chains ? FRAMES_MAX : 1;

	return nr < max ? nr : max;
}

void rpt_rows_prefetch_frames(const struct rpt_rows *rows,
			      const uint32_t *frames, uint32_t nr)
{
	const struct rpt_frames *all = rows->frames;

	nr = limit(rows, nr);
	for (uint32_t i = 0; i < nr; i++) {
		rpt_cpu_prefetch(&all->flags[frames[i]]);
		rpt_cpu_prefetch_all(&all->items[frames[i]],
				     sizeof(*all->items));
		if (frames[i] < rows->adding.caches_cap)
			rpt_cpu_prefetch(&rows->adding.caches[frames[i]]);
	}
}

void rpt_rows_prefetch_rows(struct rpt_rows *rows, const uint32_t *frames,
			    uint32_t nr)
{
	struct rpt_rows_adding *adding = &rows->adding;

	if (!adding->last.stack)
		return;
	nr = limit(rows, nr);
	for (uint32_t i = 0; i < nr; i++) {
		bool is_own = !i && !rows->frames->flags[frames[i]].is_named;
		const struct rpt_row_cache *cache;

		if (frames[i] >= adding->caches_cap)
			continue;
		cache = &adding->caches[frames[i]][is_own];
		if (cache->base == adding->last_base) {
			rpt_cpu_prefetch(&rows->counters[cache->row]);
			rpt_cpu_prefetch(rpt_rows_stat(rows, cache->row, 0));
			continue;
		}
		adding->last.frame = frames[i];
		adding->last.is_own = !i;
		rpt_row_key_prefetch(rows, &adding->last);
	}
}
