/* export_impl.h: what the formats are made of; private to this room. */
#ifndef RPT_EXPORT_IMPL_H
#define RPT_EXPORT_IMPL_H

#include "format/base/buf.h"
#include "report/export/export_args.h"
#include "report/export/export_set.h"
#include "report/export/export.h"
#include "report/report/report.h"

struct rpt_export {
	struct rpt_report *report;
	struct rpt_export_set set;
};

/* Fill *export with the samples of a counted report.  has_levels: for --format
 * rows, which tells functions apart by levels.  Return 0, or -EFBIG with err
 * set.  Release its set in any case. */
int rpt_export_fill_set(struct rpt_export *export, struct rpt_report *report,
			bool has_levels, struct pd_err *err);

/* Set what distinguishes the samples of an export: struct rpt_output.set_up.
 * One block of time gives the times of the first and the last one; the second
 * makes many, for formats that show times. */
int rpt_export_set_up(struct rpt_report *report, struct pd_err *err);
int rpt_export_set_up_times(struct rpt_report *report, struct pd_err *err);

/* Fill an export, have a format of text or of bytes print it, and release it.
 */
int rpt_export_print_text(struct rpt_report *report, FILE *out,
			  void (*print)(const struct rpt_export *export,
					struct rpt_text *out),
			  struct pd_err *err);
/* Return true if out is a terminal, which bytes are not for: stdout has no
 * descriptor while progress is shown (report/base/progress.h). */
bool rpt_export_is_terminal(FILE *out);
/* Return -EINVAL with err set if it is one; else 0. */
int rpt_export_refuse_terminal(FILE *out, struct pd_err *err);
/* Append str with U+FFFD for each byte that is not UTF-8, for readers that
 * refuse such strings. */
void rpt_export_put_utf8(struct pd_buf *b, const char *str, size_t len);
int rpt_export_print_bytes(struct rpt_report *report, FILE *out,
			   int (*print)(struct rpt_export *export, FILE *out,
					struct pd_err *err),
			   struct pd_err *err);

/* The unit of an event. */
struct rpt_export_event {
	char *name;	 /* owned */
	bool is_clock;	 /* periods are ns of CPU time */
	uint64_t nr;	 /* of samples in the set ... */
	uint64_t period; /* ... and their sum */
};

/* Return the events of the report, by number; the caller frees them and their
 * names by rpt_export_events_free(). */
struct rpt_export_event *rpt_export_events(const struct rpt_export *export);
void rpt_export_events_free(const struct rpt_export *export,
			    struct rpt_export_event *events);

/* Get the time of day at which the samples begin, in ns since 1970, and how
 * long they last; 0 if the recording does not say it. */
void rpt_export_times(const struct rpt_export *export, uint64_t *ret_start_ns,
		      uint64_t *ret_span_ns);

/* The two tables of --format rows, whose rows are of slices, each a report of
 * its own:
 *
 *	rpt_rows_tables_open(&tables, &args.out.rows, stdout, &err);
 *	rpt_rows_tables_add(&tables, report, &err);	for each
 *	rpt_rows_tables_close(&tables, rc, &err);
 */
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
