/* diff_paths.h: an event's samples by call path, each node of the tree being a
 * label: a function below its callers, with all that it called.
 *
 * Names are those of functions but for what compilers put behind them
 * (function_stem.h), so that the trees of two builds lie on each other.
 */
#ifndef RPT_DIFF_PATHS_H
#define RPT_DIFF_PATHS_H

#include "report/diff/diff_run.h"
#include "report/table/report.h"

/* Fills event->cells and event->blocks, which has room.  0 or -ENOMEM. */
int rpt_paths_load(struct rpt_run_event *event, struct rpt_labels *labels,
		   struct rpt_report *report, uint32_t lead);

#endif
