/* stat_report.h: perfpair-record stat report: print the counts of a file, as
 * perf stat report does.
 *
 * It is here and not in the reader (report/): the sheet and the printers of
 * counting are the recorder's, and so a host that has the static recorder alone
 * prints what was counted there.
 */
#ifndef REC_STAT_REPORT_H
#define REC_STAT_REPORT_H

#include "record/stat/stat_args.h"

/* Print the file args->input.  Return the exit status, or a negative errno: 3
 * if a part of the file could not be read. */
int rec_stat_report(const struct rec_stat_args *args, struct pd_err *err);

#endif
