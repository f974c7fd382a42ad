/* report.h: a recording opened, counted and printed: the pipeline of perfpair
 * report, and the first half of it for whatever else works on counts.  report.c
 * opens and configures, report_count.c counts, report_print.c prints.
 *
 *	rpt_report_open(&report, &args, &err);		file, filters
 *	...						report.shape may change
 *	rpt_report_configure(&report, &err);		columns, names, timeline
 *	rpt_report_count(&report, &err);		pass over all samples
 *	rpt_report_print(&report, stdout, &err);	tables
 *	rpt_report_close(&report);
 *
 * Several recordings are opened and counted one by one and printed by the
 * first of them: see report_files.h.
 */
#ifndef RPT_REPORT_H
#define RPT_REPORT_H

#include "report/columns/columns.h"
#include "report/input/sample_encoder.h"
#include "report/input/file_source.h"
#include "report/table/merged_events.h"
#include "report/profile/profile.h"
#include "report/table/report_args.h"
#include "report/events/tracepoint.h"

/* What of a recording decides how it is shown; recordings that are shown
 * together agree in it. */
struct rpt_report_shape {
	bool has_chains;
	bool is_pipe;
	bool is_branch;
	bool has_branches;
	bool has_data_src;
	bool is_power; /* of such a machine */
	bool is_trace; /* nothing but tracepoints; false of pipes, as in perf */
};

struct rpt_report {
	const struct rpt_report_args *args;
	struct rpt_file_source source;
	struct pd_reader *reader;
	struct rpt_symbols *symbols;
	struct rpt_timeline *timeline;
	struct rpt_tracepoints *tracepoints; /* NULL: no formats in the file */
	struct pd_damage damage;	     /* of the formats */
	struct rpt_unwind *unwind; /* NULL: no event has user stacks */
	struct rpt_filter filter;
	struct rpt_columns columns;
	struct rpt_text_string *cell_text; /* with -t; owned */
	char *sort_order; /* as the table's head tells it; owned, or NULL */
	unsigned elided;  /* RPT_BY_* that a filter left one name of */
	struct rpt_rows_conf rows_conf;
	struct rpt_frame_match parent;
	struct rpt_frame_match ignored; /* --ignore-callees */
	struct rpt_sockets sockets;
	struct rpt_event_switch event_switch;
	struct rpt_file_chunks pieces; /* of the file */
	struct rpt_sample_encoder encoder;
	struct rpt_profile profile;
	struct rpt_frames frames;
	uint32_t block_nr; /* wanted, to be set before rpt_report_count() */
	struct rpt_time_blocks blocks; /* that there are */
	uint32_t *order; /* stacks by event and first sample; owned */
	bool is_profiled;
	uint32_t printed_nr;		      /* tables */
	struct rpt_branch_types branch_types; /* in these */
	bool is_full_told; /* rows or addresses without budget */

	struct rpt_report_shape shape;
	char *host;			  /* owned */
	struct rpt_rows_input rows_input; /* of this one */
	/* What is printed: itself, or all, itself first. */
	struct rpt_report *parts;
	uint32_t part_nr;
	struct rpt_merged_events events; /* of the parts ... */
	struct rpt_event_total *totals;	 /* ... and their samples; owned */
	struct rpt_symbols *lender;	 /* see rpt_symbols_conf */
	bool is_lender_busy; /* another thread counts what it belongs to */
};

/* Where --header was not given. */
#define RPT_HEADER_HINT                                       \
	"# To display the perf.data header info, please use " \
	"--header/--header-only options.\n#\n"

/* Each 0 or a negative errno with err set; whichever it was, close. */
int rpt_report_open(struct rpt_report *report,
		    const struct rpt_report_args *args, struct pd_err *err);
int rpt_report_configure(struct rpt_report *report, struct pd_err *err);
int rpt_report_count(struct rpt_report *report, struct pd_err *err);
int rpt_report_print(struct rpt_report *report, FILE *out, struct pd_err *err);
/* Whether rows or call graphs show source lines; after
 * rpt_report_configure(). */
bool rpt_report_shows_lines(const struct rpt_report *report);
/* After rpt_report_count(): what was passed over of the file, at opening and on
 * the way through the records; and whether that, or what is known of records
 * that could not be read or have no event, makes the result one of a part. */
struct pd_damage rpt_report_damage(const struct rpt_report *report);
bool rpt_report_is_damaged(const struct rpt_report *report);
/* Whether all samples were read, so that it is known how many are missing. */
bool rpt_report_reads_samples(const struct rpt_report *report);
/* What --header shows; after rpt_report_open(). */
void rpt_report_print_header(const struct rpt_report *report, FILE *out);
void rpt_report_close(struct rpt_report *report);

#endif
