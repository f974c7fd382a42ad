/* export.h: a report in the formats of other tools.
 *
 * Samples are added up by stack first, as for a flame graph; README.md says
 * what goes where in each format.
 *
 *	rpt_report_files_open(), rpt_report_files_count()	as for a report,
 *					with args.out.format of an export
 *	rpt_export_print(&inputs.items[0], stdout, &err);
 *
 * The rows of a database are of slices, each a report of its own:
 *
 *	rpt_rows_tables_open(&tables, &args.out.rows, stdout, &err);
 *	rpt_rows_tables_add(&tables, report, &err);	for each
 *	rpt_rows_tables_close(&tables, rc, &err);
 */
#ifndef RPT_EXPORT_H
#define RPT_EXPORT_H

#include "report/base/intern.h"
#include "report/report/report.h"

#include <stdio.h>

/* Print a counted report in the format of its arguments (RPT_REPORT_PPROF,
 * ...).  Return 0 or a negative errno, with err set. */
int rpt_export_print(struct rpt_report *report, FILE *out, struct pd_err *err);

/* The two tables of RPT_REPORT_ROWS. */
struct rpt_rows_tables {
	const struct rpt_rows_args *args; /* borrowed */
	FILE *samples;			  /* borrowed */
	FILE *stacks;			  /* NULL: not asked for */
	struct rpt_intern known; /* stacks that are there, by both numbers */
	bool is_broken;		 /* one could not be written */
};

/* Return 0, or a negative errno with err set.  Close in any case. */
int rpt_rows_tables_open(struct rpt_rows_tables *ret,
			 const struct rpt_rows_args *args, FILE *samples,
			 struct pd_err *err);
/* Print the rows of a counted report, and its stacks that are not there yet.
 * Return 0, or a negative errno with err set; then nothing of the report was
 * printed, or tables->is_broken is set. */
int rpt_rows_tables_add(struct rpt_rows_tables *tables,
			struct rpt_report *report, struct pd_err *err);
/* Forget which stacks are there, so that memory stays bounded. */
void rpt_rows_tables_forget(struct rpt_rows_tables *tables);
/* Return rc, or the errno of writing with err set. */
int rpt_rows_tables_close(struct rpt_rows_tables *tables, int rc,
			  struct pd_err *err);

#endif
