/* frames_impl.h: for the files that frames.h is made of: frames.c finds frames,
 * frame_label.c tells which are alike in a call graph, frame_line.c where in
 * the source they are.
 */
#ifndef RPT_FRAMES_IMPL_H
#define RPT_FRAMES_IMPL_H

#include "report/callchain/frames.h"

#include <errno.h>

/* Numbers of words that identify something.  0 or -ENOMEM. */
static inline int rpt_frames_number(struct rpt_intern *table,
				    const uint64_t *words, size_t nr,
				    uint32_t *ret)
{
	int64_t idx = rpt_intern(table, words, nr * sizeof(*words));

	if (idx < 0)
		return (int)idx;
	*ret = (uint32_t)idx;
	return 0;
}

/* Of an inlined function, from 1; 0 of another frame.  0 or -ENOMEM. */
int rpt_frame_inline_number(struct rpt_frames *frames,
			    const struct rpt_frame *f, uint64_t *ret);

#endif
