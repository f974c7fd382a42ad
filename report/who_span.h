/* who_span.h: who ran, and how long that answer holds.  Part of the timeline.
 */
#ifndef RPT_WHO_SPAN_H
#define RPT_WHO_SPAN_H

#include "report/timeline.h"

/* Who, under which name, and from when until when (not included) the answer is
 * the same: for those who ask about one task again and again. */
struct rpt_who_span {
	struct rpt_who who;
	const char *comm;
	struct rpt_when from;
	struct rpt_when until;
};

void rpt_timeline_who_span(const struct rpt_timeline *tl, uint32_t pid,
			   uint32_t tid, struct rpt_when when,
			   struct rpt_who_span *ret);

#endif
