/* task_state.h: who ran, and how long that answer holds: for those who ask
 * about one task again and again.  Part of the timeline.
 */
#ifndef RPT_TASK_STATE_H
#define RPT_TASK_STATE_H

#include "report/timeline/address_space.h"

/* Who, under which name (rpt_who_comm()), for every time in span. */
struct rpt_task_state {
	struct rpt_span span;
	struct rpt_who who;
	const char *comm;
};

void rpt_timeline_task_span(const struct rpt_timeline *tl, uint32_t pid,
			    uint32_t tid, struct rpt_when when,
			    struct rpt_task_state *ret);

/* All that counts of a task for its samples. */
struct rpt_moment {
	struct rpt_span span;
	struct rpt_who who;
	const char *comm;      /* rpt_who_comm_settled() */
	const char *comm_then; /* rpt_who_comm(): NULL before its first name */
	uint32_t space_id;     /* 0: no space */
	uint32_t space_generation;
	uint32_t kernel_generation;
};

void rpt_timeline_moment(const struct rpt_timeline *tl, uint32_t pid,
			 uint32_t tid, struct rpt_when when,
			 struct rpt_moment *ret);

#endif
