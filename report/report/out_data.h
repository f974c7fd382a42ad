/* out_data.h: prints the report for programs: its rows as JSON or CSV, or a
 * line for each stack, for flame graphs.  The schema is in docs/formats.md.
 */
#ifndef RPT_OUT_DATA_H
#define RPT_OUT_DATA_H

#include "report/cli/look_options.h"
#include "report/columns/columns.h"
#include "report/report/rows_args.h"

enum rpt_report_format {
	RPT_REPORT_TEXT,
	RPT_REPORT_JSON,
	RPT_REPORT_CSV,
	RPT_REPORT_FOLDED,
	RPT_REPORT_HTML,  /* page.h */
	RPT_REPORT_PPROF, /* export.h, from here on */
	RPT_REPORT_SPEEDSCOPE,
	RPT_REPORT_FIREFOX,
	RPT_REPORT_OTLP,
	RPT_REPORT_LLVM,
	RPT_REPORT_TRACE,
	RPT_REPORT_ROWS,
};

/* Return whether samples are printed by stack, callers first, and not by row.
 */
static inline bool rpt_report_is_by_stack(enum rpt_report_format format)
{
	return format >= RPT_REPORT_FOLDED;
}

static inline bool rpt_report_is_export(enum rpt_report_format format)
{
	return format >= RPT_REPORT_PPROF;
}

/* What tells the samples of an export apart besides their stacks. */
enum rpt_report_label {
	RPT_LABEL_COMM = 1 << 0,
	RPT_LABEL_PID = 1 << 1,
	RPT_LABEL_TID = 1 << 2,
	RPT_LABEL_CPU = 1 << 3,
	RPT_LABEL_CGROUP = 1 << 4,
	RPT_LABEL_HOST = 1 << 5,
};

/* Where the report goes. */
struct rpt_report_out_args {
	enum rpt_report_format format;
	const char *path;   /* -o; NULL: stdout */
	uint64_t page_len;  /* bytes that a page may have */
	unsigned page_code; /* enum rpt_page_code_kind */
	unsigned labels;    /* RPT_LABEL_* of an export */
	struct rpt_rows_args rows;
	struct rpt_look_args look;
};

/* Print what comes before the first event, and after the last. */
void rpt_data_open(enum rpt_report_format format,
		   const struct rpt_columns *columns, struct rpt_text *out);
void rpt_data_close(enum rpt_report_format format, struct rpt_text *out);

struct rpt_data_event {
	const char *name;
	bool is_first;	/* of the printed ones */
	bool is_only;	/* folded lines do not name it */
	bool is_period; /* folded lines count periods, else samples */
	struct rpt_rows *rows;
	const struct rpt_columns *columns;
};

/* Print the rows of one event. */
void rpt_data_event_print(enum rpt_report_format format,
			  const struct rpt_data_event *event,
			  struct rpt_text *out);

/* out_folded.c.  Print lines as "comm;main;f 12".  The rows are by comm, dso
 * and symbol, without children, callers first. */
void rpt_folded_print(const struct rpt_data_event *event, struct rpt_text *out);

#endif
