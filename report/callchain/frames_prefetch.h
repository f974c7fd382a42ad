/* frames_prefetch.h: what is done ahead of questions about many frames: room,
 * the price, a place in the cache.  Part of frames.
 */
#ifndef RPT_FRAMES_PREFETCH_H
#define RPT_FRAMES_PREFETCH_H

#include "report/callchain/frames.h"

/* What an address takes of the timeline's budget: rpt_frame, its brief, its
 * place in a table that is half empty, what rows remember of it; and its label
 * in call graphs.  Measured with 124,000 of them. */
#define RPT_FRAME_COST_LEN 164u
#define RPT_LABEL_COST_LEN 77u

static inline uint64_t rpt_frames_cost_len(const struct rpt_frames *frames)
{
	return RPT_FRAME_COST_LEN +
	       (frames->has_labels ? RPT_LABEL_COST_LEN : 0);
}

/* Makes room for so many more frames, so that they stay where they are while
 * these are pushed, and pays for their addresses if the budget is large enough,
 * so that two threads need not share it.  0 or -ENOMEM. */
int rpt_frames_reserve(struct rpt_frames *frames, uint64_t more_nr);

#endif
