/* tracepoint_text.h: what the raw data of a tracepoint's samples says, as rows
 * show it. */
#ifndef RPT_TRACEPOINT_TEXT_H
#define RPT_TRACEPOINT_TEXT_H

#include "report/profile/profile.h"
#include "report/events/tracepoint.h"

/* Numbers the text of a stack's raw data: empty where no format is known.
 * tracepoints may be NULL.  0 or -ENOMEM. */
int rpt_trace_number(struct rpt_intern *texts,
		     const struct rpt_profile *profile,
		     struct rpt_tracepoints *tracepoints, uint32_t stack_idx,
		     uint32_t *ret);

#endif
