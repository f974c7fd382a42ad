/* export.h: a report in the formats of other tools.
 *
 * Samples are added up by stack first, as for a flame graph; README.md says
 * what goes where in each format.
 *
 *	rpt_report_files_open(), rpt_report_files_count()	as for a report,
 *					with args.out.format of an export
 *	rpt_export_print(&inputs.items[0], stdout, &err);
 */
#ifndef RPT_EXPORT_H
#define RPT_EXPORT_H

#include "report/table/report.h"

/* Print a counted report in the format of its arguments (RPT_REPORT_PPROF,
 * ...).  Return 0 or a negative errno, with err set. */
int rpt_export_print(struct rpt_report *report, FILE *out, struct pd_err *err);

#endif
