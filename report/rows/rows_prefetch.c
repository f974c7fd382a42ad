/* What rows will ask for, fetched into the cache some stacks ahead: a table of
 * a hundred thousand rows waits for memory most of the time.
 */
#include "report/base/cpu_prefetch.h"
#include "report/callchain/frames_prefetch.h"
#include "report/rows/rows_impl.h"

/* Of a long chain so many frames. */
#define FETCHED_NR_MAX 16u

/* Without children a stack has one row. */
static uint32_t fetched_nr(const struct rpt_rows *rows,
			   struct rpt_stack_places at)
{
	uint32_t most =
		rows->conf.children || rows->conf.chains ? FETCHED_NR_MAX : 1;

	return at.nr < most ? at.nr : most;
}

static void fetch_frames(const struct rpt_rows *rows,
			 struct rpt_stack_places at)
{
	const struct rpt_frames *frames = rows->frames;

	for (uint32_t i = 0; i < fetched_nr(rows, at); i++) {
		uint32_t frame = at.frames[i];

		rpt_cpu_prefetch(&frames->briefs[frame]);
		rpt_cpu_prefetch(&frames->items[frame]);
		rpt_cpu_prefetch(&frames->items[frame].place);
		if (frame < rows->memos.cap)
			rpt_cpu_prefetch(
				rpt_row_cache_at(&rows->memos, frame, false));
	}
}

static void fetch_rows(const struct rpt_rows *rows, struct rpt_stack_places at)
{
	struct rpt_row_addition like_last = { .base_key = rows->lately.key };

	for (uint32_t i = 0; i < fetched_nr(rows, at); i++) {
		uint32_t frame = at.frames[i];
		bool is_self = !i;
		const struct rpt_row_memo *memo;

		if (frame >= rows->memos.cap || !like_last.base_key)
			continue;
		memo = rpt_row_cache_at(
			&rows->memos, frame,
			is_self && !rows->frames->briefs[frame].is_named);
		if (memo->base != rows->lately.nr) {
			rpt_row_fetch_number(rows, &like_last, frame, is_self);
			continue;
		}
		rpt_cpu_prefetch(&rows->tallies[memo->row]);
		rpt_cpu_prefetch(rpt_rows_stat(rows, memo->row, 0));
	}
}

void rpt_rows_prefetch(const struct rpt_rows *rows,
		       struct rpt_stack_places later,
		       struct rpt_stack_places soon)
{
	fetch_frames(rows, later);
	fetch_rows(rows, soon);
}
