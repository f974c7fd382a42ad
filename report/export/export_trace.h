/* export_trace.h: tasks and context switches in Chrome's trace event format. */
#ifndef RPT_EXPORT_TRACE_H
#define RPT_EXPORT_TRACE_H

#include "report/report/report.h"

/* Read the switches of a counted report, and print what its tasks did.  Return
 * 0 or a negative errno, with err set; -ENODATA if the recording has no
 * switches, or if the filters leave none. */
int rpt_export_trace(struct rpt_report *report, FILE *out, struct pd_err *err);

#endif
