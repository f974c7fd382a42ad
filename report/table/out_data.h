/* out_data.h: the report for programs: JSON and CSV of its rows; stacks in a
 * line each, as flame graph tools read them.
 *
 * The schema is in docs/formats.md.
 */
#ifndef RPT_OUT_DATA_H
#define RPT_OUT_DATA_H

#include "report/columns/columns.h"

enum rpt_report_format {
	RPT_REPORT_TEXT,
	RPT_REPORT_JSON,
	RPT_REPORT_CSV,
	RPT_REPORT_FOLDED,
};

/* What stands before the first event, and behind the last. */
void rpt_data_open(enum rpt_report_format format,
		   const struct rpt_columns *columns, struct rpt_text *out);
void rpt_data_close(enum rpt_report_format format, struct rpt_text *out);

struct rpt_data_event {
	const char *name;
	bool is_first;	/* of those that are printed */
	bool is_only;	/* folded stacks are not told apart by it */
	bool is_period; /* folded: periods, else samples */
	struct rpt_rows *rows;
	const struct rpt_columns *columns;
};

/* 0 or -ENOMEM. */
int rpt_data_event_print(enum rpt_report_format format,
			 const struct rpt_data_event *event,
			 struct rpt_text *out);

/* out_folded.c: "comm;main;f 12".  rows: by comm, dso and symbol, without
 * children, callers first. */
int rpt_folded_print(const struct rpt_data_event *event, struct rpt_text *out);

#endif
