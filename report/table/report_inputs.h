/* report_inputs.h: the recordings that one report shows as one run: their
 * events matched, their samples added up, their stacks in one table.
 */
#ifndef RPT_REPORT_INPUTS_H
#define RPT_REPORT_INPUTS_H

#include "report/table/report.h"

/* Match the events of all parts, which were counted: fill report->events and
 * ->totals, and what rows take of each. */
void rpt_parts_merge(struct rpt_report *report);

/* Get how many samples all parts have, and how many were lost. */
void rpt_parts_samples(const struct rpt_report *report, uint64_t *ret_nr,
		       uint64_t *ret_lost_nr);

/* Fill rows with the stacks of events lead .. lead + member_nr - 1, which are
 * all that they get.  Without budget some are left out, and counted in the
 * part's damage. */
void rpt_parts_fill(struct rpt_report *report, struct rpt_rows *rows,
		    uint32_t lead);

#endif
