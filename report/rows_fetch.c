/* What rows will ask for, fetched into the cache some stacks ahead: a table of
 * a hundred thousand rows waits for memory most of the time.
 */
#include "report/rows_impl.h"

/* Of a long chain so many frames. */
#define FETCHED_NR_MAX 16u

static void fetch_frames(const struct rpt_rows *rows,
			 const struct rpt_stack_frames *at)
{
	const struct rpt_frames *frames = rows->frames;

	for (uint32_t i = 0; at && i < at->chain.nr && i < FETCHED_NR_MAX;
	     i++) {
		uint32_t frame = at->chain.frames[i];

		__builtin_prefetch(&frames->briefs[frame]);
		__builtin_prefetch(&frames->items[frame]);
		__builtin_prefetch(&frames->items[frame].place);
		if (frame < rows->memos.cap)
			__builtin_prefetch(
				rpt_row_memos_at(&rows->memos, frame, false));
	}
}

static void fetch_rows(const struct rpt_rows *rows,
		       const struct rpt_stack_frames *at)
{
	struct rpt_row_addition like_last = { .base_key = rows->lately.key };

	for (uint32_t i = 0; at && i < at->chain.nr && i < FETCHED_NR_MAX;
	     i++) {
		uint32_t frame = at->chain.frames[i];
		const struct rpt_row_memo *memo;

		if (frame >= rows->memos.cap || !like_last.base_key)
			continue;
		memo = rpt_row_memos_at(&rows->memos, frame, false);
		if (memo->base != rows->lately.nr) {
			rpt_row_fetch_number(rows, &like_last, frame, false);
			continue;
		}
		__builtin_prefetch(&rows->tallies[memo->row]);
		__builtin_prefetch(rpt_rows_stat(rows, memo->row, 0));
	}
}

void rpt_rows_fetch(const struct rpt_rows *rows,
		    const struct rpt_stack_frames *later,
		    const struct rpt_stack_frames *soon)
{
	fetch_frames(rows, later);
	fetch_rows(rows, soon);
}
