/* stitch_pass.h: what --stitch-lbr needs to know of samples, found out before
 * they are counted or printed. */
#ifndef RPT_STITCH_PASS_H
#define RPT_STITCH_PASS_H

#include "report/events/event_switch.h"
#include "report/events/filter.h"
#include "report/input/sample_pass.h"
#include "report/timeline/timeline.h"

struct rpt_stitch_pass {
	struct rpt_pass_input in;
	struct rpt_timeline *timeline;
	uint32_t max_stack; /* what is in front of the branches is no longer */
	uint32_t lost_max;  /* what is put behind them is no longer */
	const struct rpt_filter *filter;
	const struct rpt_event_switch *event_switch; /* or NULL */
};

/* Goes over all samples, so that rpt_timeline_join_chain() stitches: where an
 * event has chains out of branches and tells hw_idx, and the file tells how
 * many branches the CPU has registers for. */
int rpt_stitch_pass(const struct rpt_stitch_pass *pass, struct pd_err *err);

/* By how many bytes the chain of the sample of that seq is longer than its
 * record tells, at most. */
size_t rpt_stitched_len(const struct rpt_timeline *timeline, uint64_t seq);

#endif
