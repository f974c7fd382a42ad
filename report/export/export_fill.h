/* export_fill.h: fills a set with the stacks of a report. */
#ifndef RPT_EXPORT_FILL_H
#define RPT_EXPORT_FILL_H

#include "report/export/export_set.h"
#include "report/report/report.h"

/* Add all recordings of a counted report.  Labels are those of
 * report->args->out.labels; has_levels: rpt_export_fill_set().  Return 0, or
 * -EFBIG if the budget did not allow all frames: then stacks are missing. */
int rpt_export_fill(struct rpt_export_set *set, struct rpt_report *report,
		    bool has_levels);

#endif
