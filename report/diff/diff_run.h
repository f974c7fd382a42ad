/* diff_run.h: counts one recording into what a diff compares: for each event
 * and row, sums over blocks of time.
 *
 * Rows of different recordings are the same if their labels are: the texts of
 * all sort columns (diff_run.h).  Addresses without a symbol count for their
 * function if it is known in all runs, else together for their DSO, as in perf
 * diff.  Code that a process generated counts for one DSO (function_stem.h).
 * Labels and events are numbered once for all runs.  A run keeps nothing of its
 * recording open; the first one keeps the symbols that were read for it, and
 * later runs use them.
 *
 *	rpt_run_open(&run, &conf, &err);
 *	rpt_run_count(&run, &err);		in threads beside other runs
 *	rpt_run_label(&run, &labels, &err);	in the order of the runs
 *	rpt_run_release(&run);
 */
#ifndef RPT_DIFF_RUN_H
#define RPT_DIFF_RUN_H

#include "format/file/trailer.h"
#include "report/base/intern.h"
#include "report/events/event_match.h"
#include "report/report/report_args.h"
#include "report/stats/block_ratio.h"

#include <stdbool.h>

/* The names of rows and events, numbered for all runs of a diff. */

#define RPT_LABEL_COLUMNS_MAX 16

struct rpt_label {
	const char *texts[RPT_LABEL_COLUMNS_MAX]; /* as first seen */
	uint32_t widths[RPT_LABEL_COLUMNS_MAX];	  /* rpt_columns_text_width();
						   * of call paths: 0 */
	uint32_t parent; /* 1 + the caller's label; 0: none, or no call path */
	/* For a function without a name: 1 + the label for all nameless
	 * addresses of the DSO; else 0. */
	uint32_t whole;
	uint32_t
		build; /* for such a whole: 1 + number in builds; 0: none yet */
	bool is_mixed; /* for such a whole: some run does not know its
			* functions, or has another build */
};

/* Names that all runs share. */
struct rpt_labels {
	struct rpt_intern keys;
	struct rpt_event_match events;
	struct rpt_intern builds;   /* build-ids */
	struct rpt_intern commands; /* words behind a command's name */
	/* File names of the command's own program, in texts: the first run's,
	 * and that of the run being labelled, if rows have the first one in its
	 * place; NULL: not known, the same. */
	const char *program;
	const char *alias;
	/* RPT_MODE_* that all runs have counted, by event; owned; NULL: not
	 * known yet. */
	uint8_t *modes;
	uint32_t modes_nr;
	struct rpt_arena texts;
	struct rpt_label *items; /* by number of the key */
	uint32_t cap;
	const char *headers[RPT_LABEL_COLUMNS_MAX]; /* in texts */
	const char *names[RPT_LABEL_COLUMNS_MAX];   /* as in -s; in texts */
	unsigned by[RPT_LABEL_COLUMNS_MAX];	    /* RPT_BY_*, of rows.h */
	size_t column_nr;
	bool is_paths; /* a label is a function below its callers */
	bool is_perfs; /* texts are those of perf's table */
};

/* Return the number of a key.  A new label has no texts yet. */
uint32_t rpt_label_new(struct rpt_labels *labels, const char *key, size_t len);
/* Set the texts of a label.  texts: one for each column, each ended by a NUL.
 */
void rpt_label_fill(struct rpt_labels *labels, struct rpt_label *label,
		    const char *texts, size_t len);
/* Return the name by which rows have a DSO that is no generated code. */
const char *rpt_diff_program(const struct rpt_labels *labels,
			     const struct rpt_dso *dso);
/* Return the text of a label's first column of that dimension (RPT_BY_*), NULL
 * if rows are not told apart by it. */
const char *rpt_label_text(const struct rpt_labels *labels, uint32_t label,
			   unsigned by);
void rpt_labels_release(struct rpt_labels *labels);

struct rpt_dso;
struct rpt_frame;
struct rpt_report;
struct rpt_run_load;

struct rpt_sum {
	double period;
	double nr; /* samples */
};

static inline void rpt_sum_add(struct rpt_sum *sum, const struct rpt_sum *more)
{
	sum->period += more->period;
	sum->nr += more->nr;
}

/* The samples of one row in one block. */
struct rpt_run_cell {
	uint32_t label;
	uint32_t block;
	struct rpt_sum sum;
};

struct rpt_run_event {
	uint32_t number;     /* in rpt_labels.events */
	const char *name;    /* in rpt_labels.texts */
	struct pd_attr attr; /* as recorded */
	unsigned modes;	     /* RPT_MODE_*; other samples are left out */
	bool is_clock;	     /* periods are ns of CPU time */
	bool is_elapsed; /* ns of elapsed time: --measure latency, elapsed */
	bool is_weighed; /* samples say how many events they stand for */
	struct rpt_run_cell *cells; /* owned; by label, then block */
	uint32_t cell_nr;
	uint32_t cell_cap;
	struct rpt_sum *blocks; /* owned; block_nr; shares are of these */
	struct rpt_sum total;	/* of the blocks */
};

/* When a recording was made, by the clock of its boot and by the time of day.
 */
struct rpt_run_time {
	struct pd_trailer_start start; /* all 0: unknown */
	uint64_t len_ns;
};

struct rpt_run {
	const char *path;
	struct rpt_run_time time;
	char *times; /* owned; the part of --time; NULL: all times */
	struct rpt_run_event *events; /* owned */
	size_t event_nr;
	uint32_t block_nr; /* 1: samples have no times, or they are not used */
	double wall_s;	   /* from the first to the last sample; 0: not known */
	uint32_t cpu_nr;   /* online; 0: the file does not say */
	double lost_share; /* of all samples that should be there */
	double lock_reach; /* of its clocks (phase_lock.h) */
	bool is_damaged;   /* something was passed over */
	bool misses_returns; /* rpt_report_misses_returns() */
	uint32_t command; /* 1 + number in rpt_labels; 0: not a whole command */
	const char *alias; /* rpt_labels.alias of this run */
	/* Files whose debug information knows inlined functions, by the stems
	 * of their names (function_stem.h). */
	struct rpt_intern inline_dsos;
	struct pd_err *unmatched;    /* the option that no sample fits; owned */
	struct rpt_symbols *symbols; /* owned; NULL: not kept */
	struct rpt_run_load *load;   /* owned; until rpt_run_label() */
};

/* Callbacks that see each recording before it is closed, in the order of the
 * runs. Files may be read again: then they come again, from the first one
 * on. */
struct rpt_run_visitor {
	void (*visit)(void *ctx, const struct rpt_run *run,
		      struct rpt_report *report);
	void *ctx;
};

struct rpt_run_conf {
	struct rpt_report_args args; /* for rpt_report_open() */
	/* Symbols of a run that is released after this one; NULL: this run
	 * keeps its own. */
	struct rpt_symbols *shared_from;
	bool is_owner_busy; /* until rpt_run_label() */
	bool children;	    /* rows include their callees */
	bool paths;	    /* rows are call paths */
	bool blocks;	    /* sum by blocks of time */
	/* The callback that sees call chains; NULL: none. */
	const struct rpt_run_visitor *visitor;
};

/* Open the file run->path at run->times; the caller has set both, and releases
 * run in any case.  The strings of conf must live until rpt_run_label(). */
int rpt_run_open(struct rpt_run *run, const struct rpt_run_conf *conf,
		 struct pd_err *err);
/* Count the samples.  Several threads may count a run each. */
int rpt_run_count(struct rpt_run *run, struct pd_err *err);
/* Return the symbols that other runs may share, or NULL; from rpt_run_open()
 * on. */
struct rpt_symbols *rpt_run_symbols(const struct rpt_run *run);
/* Return what was counted, until rpt_run_label(). */
struct rpt_report *rpt_run_report(const struct rpt_run *run);
/* Turn counts into labels and sums, and close the recording. */
int rpt_run_label(struct rpt_run *run, struct rpt_labels *labels,
		  struct pd_err *err);
void rpt_run_release(struct rpt_run *run);

/* Count one event's samples by label and block: fill event->cells and
 * event->blocks, which has room.  event_idx is the event's number in the file.
 * Labels are those of the rows of a table, or of
 * call paths, each function with all that it called. */
void rpt_diff_rows_load(struct rpt_run_event *event, struct rpt_labels *labels,
			struct rpt_report *report, uint32_t event_idx);

/* Find the function without a name that a frame is in: its start, and the
 * number of its build in labels.  False: not known. */
bool rpt_unnamed_function(struct rpt_labels *labels,
			  const struct rpt_frame *frame, uint64_t *ret_start,
			  uint32_t *ret_build);
/* Count functions without names for their DSO unless all runs know them. */
void rpt_unnamed_merge(const struct rpt_labels *labels, struct rpt_run *runs,
		       size_t run_nr);

/* Add a cell. */
void rpt_run_event_add(struct rpt_run_event *event, uint32_t label,
		       uint32_t block, const struct rpt_sum *sum);
/* Sort the cells, and add up those of the same label and block. */
void rpt_run_event_merge(struct rpt_run_event *event);
/* Set is_weighed.  perf takes the frequency as the period of samples that have
 * neither a period nor a count; of a clock it becomes the ns between them. */
void rpt_run_event_weigh(struct rpt_run_event *event,
			 const struct pd_attr *attr, uint32_t block_nr);
/* Return the first of the *ret_nr cells of a label. */
const struct rpt_run_cell *rpt_run_cells(const struct rpt_run_event *event,
					 uint32_t label, size_t *ret_nr);

#endif
