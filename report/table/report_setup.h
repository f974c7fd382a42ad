/* report_setup.h: what of a recording a report shows, and how, out of the
 * options and of what the recording has.
 */
#ifndef RPT_REPORT_SETUP_H
#define RPT_REPORT_SETUP_H

#include "report/table/report.h"

/* Fills columns, elided, parent and rows_conf, once the shape is known.
 * -EINVAL: options that do not go together, or with this recording. */
int rpt_report_set_view(struct rpt_report *report, struct pd_err *err);

/* "# comm: sh": what a filter left one name of. */
void rpt_report_print_elided(const struct rpt_report *report, FILE *out);

#endif
