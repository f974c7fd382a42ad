/* export_slices.h: export --format rows, of slices one after the other.
 *
 * Each slice is a report of its own, whose rows do not depend on the others;
 * but files that several have mapped are read once, and a stack stands once in
 * the table of stacks.
 */
#ifndef RPT_EXPORT_SLICES_H
#define RPT_EXPORT_SLICES_H

#include "report/report/report.h"

/* Print the rows of all inputs to stdout, warn of each, and set *ret_exit to
 * the exit code.  Of several slices, one that cannot be read is named and left
 * out.  Return 0, or a negative errno with err set and *ret_path to the file
 * that it is about; NULL: no single one. */
int rpt_export_slices(const struct rpt_report_args *args, const char **ret_path,
		      int *ret_exit, struct pd_err *err);

#endif
