/* export_args.h: the options of --format rows, which writes recordings as rows
 * of two tables for a database (docs/formats.md "Rows").
 */
#ifndef RPT_EXPORT_ARGS_H
#define RPT_EXPORT_ARGS_H

#include "report/report/report_args.h"

extern const struct sup_opt rpt_rows_opts[];

/* Return the value of the last label of that name; NULL: there is none. */
const char *rpt_rows_label(const struct rpt_rows_args *args, const char *name);

/* The check of --format rows: struct rpt_output. */
int rpt_rows_check(struct rpt_report_args *args, struct pd_err *err);

#endif
