/* task_exit.h: what became of each task in the end, out of the timeline.
 *
 *	for (i = 0; rpt_timeline_fate(tl, i, &fate); i++)
 *		rpt_who_maps(&fate.who, &maps, &nr);
 */
#ifndef RPT_TASK_EXIT_H
#define RPT_TASK_EXIT_H

#include "report/timeline/timeline.h"

#define RPT_TID_NONE UINT32_MAX

struct rpt_task_exit {
	struct rpt_who who;
	uint32_t ptid; /* who started it; RPT_TID_NONE: no FORK tells */
	bool is_told;  /* FORK or COMM speak of it, not just its maps */
};

/* The last life of the idx-th thread id, in the order in which records first
 * spoke of them; false: there are no more. */
bool rpt_timeline_fate(const struct rpt_timeline *tl, uint32_t idx,
		       struct rpt_task_exit *ret);

/* What was mapped in the end, by address: pieces of maps where later ones lie
 * over them.  The caller frees *ret.  0 or -ENOMEM. */
int rpt_who_maps(const struct rpt_who *who, struct rpt_map **ret,
		 size_t *ret_nr);

#endif
