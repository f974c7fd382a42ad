/* out_data.h: prints the rows of a report for programs: as JSON or CSV, or a
 * line for each stack, for flame graphs.  The schema is in docs/formats.md.
 */
#ifndef RPT_OUT_DATA_H
#define RPT_OUT_DATA_H

#include "report/report/report.h"

struct rpt_data_event {
	const char *name;
	bool is_first;	       /* of the printed ones */
	bool is_only;	       /* folded lines do not name it */
	bool is_period;	       /* folded lines count periods, else samples */
	struct rpt_rows *rows; /* sorted */
	const struct rpt_report *report;
	const struct rpt_columns *columns;
};

struct rpt_data_form {
	/* Print what comes before the first event, and after the last; NULL:
	 * nothing does. */
	void (*open)(const struct rpt_columns *columns, struct rpt_text *out);
	void (*close)(struct rpt_text *out);
	/* Print the rows of one event. */
	void (*event)(const struct rpt_data_event *event, struct rpt_text *out);
	bool is_safe; /* lines for people, too: rpt_text.is_safe */
};

/* Print the tables of a counted report in that form; NULL: as text. */
int rpt_report_print_data(struct rpt_report *report,
			  const struct rpt_data_form *form, FILE *out,
			  struct pd_err *err);

#endif
