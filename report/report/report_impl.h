/* report_impl.h: what the files share that report.h is made of.
 *
 * report_setup.c decides what is shown, and how, out of the options and of what
 * the recording has.  report_inputs.c makes one of the recordings that a report
 * shows as one run: their events are matched, their samples added up, their
 * stacks put into one table.
 */
#ifndef RPT_REPORT_IMPL_H
#define RPT_REPORT_IMPL_H

#include "report/report/report.h"

/* Fill columns, elided, parent and rows_conf, once the shape is known.  Return
 * -EINVAL if options do not go together, -ENODATA if not with this recording.
 */
int rpt_report_set_view(struct rpt_report *report, struct pd_err *err);

/* Return whether samples are counted by how many threads ran, once the columns
 * are known. */
bool rpt_report_asks_latency(const struct rpt_report *report);

/* Print "# comm: sh" for each column of which a filter left one name. */
void rpt_report_print_elided(const struct rpt_report *report, FILE *out);

#endif
