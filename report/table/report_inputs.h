/* report_inputs.h: the recordings that one report shows as one run: their
 * events matched, their samples added up, their stacks in one table.
 */
#ifndef RPT_REPORT_INPUTS_H
#define RPT_REPORT_INPUTS_H

#include "report/table/report.h"

/* After all parts were counted: fills report->events and ->totals, and what
 * rows take of each.  0 or -ENOMEM. */
int rpt_parts_merge(struct rpt_report *report);

/* Samples of all parts, and those that were lost. */
void rpt_parts_samples(const struct rpt_report *report, uint64_t *ret_nr,
		       uint64_t *ret_lost_nr);

/* Fills rows with the stacks of events lead .. lead + member_nr - 1, which are
 * all that they get.  0 or -ENOMEM. */
int rpt_parts_fill(struct rpt_report *report, struct rpt_rows *rows,
		   uint32_t lead);

#endif
