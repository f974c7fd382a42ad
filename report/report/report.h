/* report.h: opens, counts and prints a recording: the pipeline of perfpair
 * report, whose first half serves diff, too.  report.c opens and configures,
 * report_count.c counts, report_print.c prints.
 *
 *	rpt_report_open(&report, &args, &err);		file, filters
 *	...						report.shape may change
 *	rpt_report_configure(&report, &err);		columns, names, timeline
 *	rpt_report_count(&report, &err);		pass over all samples
 *	args.out.output->print(&report, stdout, &err);
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
#include "report/report/merged_events.h"
#include "report/report/unnamed_rows.h"
#include "report/profile/off_cpu_pass.h"
#include "report/profile/phase_lock.h"
#include "report/profile/profile.h"
#include "report/report/report_args.h"
#include "report/events/tracepoint.h"

/* Properties of a recording that decide how it is shown; recordings that are
 * shown together have the same. */
enum rpt_report_shape {
	RPT_SHAPE_CHAINS = 1 << 0,    /* it has call chains */
	RPT_SHAPE_BRANCHES = 1 << 1,  /* it has branch stacks */
	RPT_SHAPE_DATA_SRC = 1 << 2,  /* it has memory accesses */
	RPT_SHAPE_BY_BRANCH = 1 << 3, /* rows are of branches, not of samples */
	RPT_SHAPE_PIPE = 1 << 4,
	RPT_SHAPE_POWER = 1 << 5, /* it is of such a machine */
	RPT_SHAPE_TRACE = 1 << 6, /* it has only tracepoints; never set for
				   * pipes, as in perf */
};

/* The filters: samples that count. */
struct rpt_report_filters {
	struct rpt_filter samples;
	struct rpt_sockets sockets; /* also for the sort key */
	struct rpt_event_switch event_switch;
};

/* How tables look, by the options. */
struct rpt_report_view {
	struct rpt_columns columns;
	struct rpt_text_string *cell_text; /* with -t; owned */
	char *sort_order; /* for the table's head; owned, or NULL */
	unsigned elided;  /* RPT_BY_* of which a filter left one name */
	struct rpt_frame_match parent;
	struct rpt_frame_match ignored; /* --ignore-callees */
};

/* The symbols of an earlier recording: see rpt_symbols_conf.shared_from. */
struct rpt_report_shared {
	struct rpt_symbols *symbols;
	bool is_busy; /* another thread counts that recording */
	bool is_lent; /* they are used as the report's own, and stay the
		       * lender's: of a recording of the same host and boot */
};

/* The input: one recording, or several as one run. */
struct rpt_report_whole {
	struct rpt_report *parts; /* itself first */
	uint32_t part_nr;
	struct rpt_merged_events events;      /* of the parts ... */
	struct rpt_event_total *totals;	      /* ... and their samples; owned */
	uint32_t printed_nr;		      /* tables */
	uint64_t shown_nr;		      /* rows that no filter hides */
	struct rpt_branch_types branch_types; /* in these */
	struct rpt_unnamed_rows unnamed;      /* of the tables as text */
	bool is_full_reported; /* rows or addresses without budget */
	/* With RPT_OUTPUT_WARNINGS; borrowed. */
	const char *const *warnings;
	size_t warning_nr;
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
	struct rpt_report_filters filters;
	struct rpt_report_view view;
	struct rpt_rows_conf rows_conf;
	struct rpt_file_chunks pieces; /* of the file */
	struct rpt_sample_encoder encoder;
	struct rpt_profile profile;
	bool is_profiled;
	struct rpt_phase_locks locks; /* of its clock; by rpt_report_count() */
	struct rpt_frames frames;
	uint32_t block_nr; /* wanted, to be set before rpt_report_count() */
	struct rpt_time_blocks blocks; /* that there are */
	uint32_t *order; /* stacks by event and first sample; owned */
	unsigned shape;	 /* RPT_SHAPE_* */
	char *host;	 /* owned */
	struct rpt_rows_input rows_input; /* of this one */
	struct rpt_report_whole whole;
	struct rpt_report_shared shared;
};

/* Printed above tables without --header. */
#define RPT_HEADER_HINT                                       \
	"# To display the perf.data header info, please use " \
	"--header/--header-only options.\n#\n"

/* Return 0, or a negative errno with err set.  Close in any case. */
int rpt_report_open(struct rpt_report *report,
		    const struct rpt_report_args *args, struct pd_err *err);
/* Do the same with a recording in memory, len bytes at base, which must outlive
 * the report; args->input is what it is called. */
int rpt_report_open_memory(struct rpt_report *report,
			   const struct rpt_report_args *args,
			   const uint8_t *base, uint64_t len,
			   struct pd_err *err);
int rpt_report_configure(struct rpt_report *report, struct pd_err *err);
int rpt_report_count(struct rpt_report *report, struct pd_err *err);
/* Return whether that leaves it to the output to read the samples, for the
 * first time (RPT_OUTPUT_SINGLE): what cannot be read, lost ones and totals are
 * then the output's to count in report->profile. */
bool rpt_report_leaves_samples(const struct rpt_report *report);
/* Match the events of all counted parts and add up their samples
 * (report->whole).  rpt_report_files_count() does. */
void rpt_report_merge(struct rpt_report *report);
/* Return what one of the merged events has in a block of the only recording:
 * samples, or nanoseconds of off-CPU times. */
uint64_t rpt_report_block_weight(const struct rpt_report *report,
				 uint32_t event, uint32_t block);
/* Fill rows, which were initialised, with the stacks of events lead .. lead +
 * member_nr - 1 of the merged events that profile.conf.shown has, which are all
 * that they get.  Without budget some are left out, and counted in the part's
 * damage. */
void rpt_report_fill_rows(struct rpt_report *report, struct rpt_rows *rows,
			  uint32_t lead);
/* Return whether rows or call graphs show source lines; call it after
 * rpt_report_configure(). */
bool rpt_report_shows_lines(const struct rpt_report *report);
/* Return what was skipped of the file; call it after rpt_report_count(). */
struct pd_damage rpt_report_damage(const struct rpt_report *report);
/* Return whether the result is incomplete: something was skipped, or records
 * could not be read or have no event. */
bool rpt_report_is_damaged(const struct rpt_report *report);
/* Return whether all samples were read, so that missing ones can be counted. */
bool rpt_report_reads_samples(const struct rpt_report *report);
/* Return what the weights of an event's stacks are, where no column says it:
 * its name, or "latency of cycles".  It may be in buf, of RPT_EVENT_NAME_LEN
 * bytes. */
const char *rpt_report_weight_name(const struct rpt_report *report,
				   const struct pd_event *event, char *buf);
/* Print what --header shows; call it after rpt_report_open(). */
void rpt_report_print_header(const struct rpt_report *report, FILE *out);
/* Free the samples, tasks and maps, once they are printed.  The symbols stay
 * until rpt_report_close(), for recordings that share them. */
void rpt_report_forget_samples(struct rpt_report *report);
void rpt_report_close(struct rpt_report *report);

#endif
