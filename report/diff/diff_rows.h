/* diff_rows.h: an event's samples by the rows of a table, each row having a
 * label, and by blocks of time.  (By call paths: diff_paths.h.)
 */
#ifndef RPT_DIFF_ROWS_H
#define RPT_DIFF_ROWS_H

#include "report/diff/diff_run.h"
#include "report/table/report.h"

/* Fills event->cells and event->blocks, which has room.  0 or -ENOMEM. */
int rpt_diff_rows_load(struct rpt_run_event *event, struct rpt_labels *labels,
		       struct rpt_report *report, uint32_t lead);

#endif
