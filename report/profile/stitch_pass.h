/* stitch_pass.h: reads the samples for --stitch-lbr, before they are counted or
 * printed. */
#ifndef RPT_STITCH_PASS_H
#define RPT_STITCH_PASS_H

#include "report/events/event_switch.h"
#include "report/events/filter.h"
#include "report/input/sample_pass.h"
#include "report/timeline/timeline.h"

struct rpt_stitch_pass {
	struct rpt_pass_input in;
	struct rpt_timeline *timeline;
	uint32_t max_stack; /* at most so many calls before the branches */
	uint32_t lost_max;  /* at most so many are appended to them */
	const struct rpt_filter *filter;
	const struct rpt_event_switch *event_switch; /* or NULL */
};

/* Read all samples, so that rpt_timeline_join_chain() stitches their chains. Do
 * nothing unless an event records call-stack branches with hw_idx, and the file
 * says how many branch registers the CPU has.  Return 0 or a negative errno. */
int rpt_stitch_pass(const struct rpt_stitch_pass *pass, struct pd_err *err);

/* Return at most how many bytes stitching adds to the chain of the sample with
 * that seq. */
size_t rpt_stitched_len(const struct rpt_timeline *timeline, uint64_t seq);

#endif
