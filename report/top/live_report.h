/* live_report.h: what is shown of a window, or of a recording that is over: a
 * report of it, which stays until the next one is made.
 *
 *	rpt_live_report_make(&live, &args, &names, &window, &hide, &err);
 *	 or rpt_live_report_read(&live, &args, &err);
 *	rpt_live_report_choose(&live, event);	its rows
 *	... rpt_live_report_row_at(&live, i), rpt_live_report_print_row() ...
 *	rpt_live_report_release(&live);
 *
 * The window is read anew for each frame; only the symbols of files are kept
 * from one to the next.
 */
#ifndef RPT_LIVE_REPORT_H
#define RPT_LIVE_REPORT_H

#include "report/report/out_stdio.h"
#include "report/report/report_files.h"
#include "report/top/live_window.h"

/* Symbols, for all frames.  A zeroed struct has none.  They are read again once
 * this process takes twice the memory that it took after the first frame with
 * them, and RPT_LIVE_NAMES_LEN more: what ran for a moment hours ago is not
 * shown any more. */
struct rpt_live_names {
	struct rpt_symbols *symbols; /* owned */
	uint64_t memory_max_len;     /* 0: no frame was made with them */
};

#define RPT_LIVE_NAMES_LEN ((uint64_t)64 << 20)

/* Blocks of time of a recording that is over. */
#define RPT_LIVE_BLOCKS_NR 400u

struct rpt_live_report {
	struct pd_buf bytes; /* of the window, as a recording */
	struct rpt_report_args args;
	struct rpt_report of_window;
	struct rpt_report_files files; /* of a recording that is over ... */
	struct rpt_report_files first; /* ... whose symbols these read, too */
	const char *path;	   /* that an error of reading these is about */
	struct rpt_report *report; /* one of these; NULL: none is open */
	struct rpt_live_names *names; /* borrowed; NULL: of files */
	/* Of the event that was chosen: */
	struct rpt_rows rows;
	struct rpt_section section;
	char *event_name; /* owned; NULL: none was chosen */
	uint32_t *shown;  /* rows that are shown, in order; owned */
	uint32_t shown_nr;
};

/* Read the window; args are copied, with what they point to borrowed.  live is
 * zeroed, or what was made before, which is released.  Return 0 or a negative
 * errno. */
int rpt_live_report_make(struct rpt_live_report *live,
			 const struct rpt_report_args *args,
			 struct rpt_live_names *names,
			 struct rpt_live_window *window,
			 const struct rpt_live_hide *hide, struct pd_err *err);
/* Read the samples of a frame that was made once more, by other args. */
int rpt_live_report_again(struct rpt_live_report *live,
			  const struct rpt_report_args *args,
			  struct rpt_live_names *names, struct pd_err *err);
/* Read the recording that args name, one, and count its samples by blocks of
 * time; what args point to must outlive live.  After an error what was read
 * before is still shown.  Return 0 or a negative errno. */
int rpt_live_report_read(struct rpt_live_report *live,
			 const struct rpt_report_args *args,
			 struct pd_err *err);
void rpt_live_report_release(struct rpt_live_report *live);
/* Free the names, once there is no frame. */
void rpt_live_names_release(struct rpt_live_names *names);

/* Return how many events there are, and how many samples one has; 0 before a
 * frame was made. */
uint32_t rpt_live_report_event_nr(const struct rpt_live_report *live);
uint64_t rpt_live_report_sample_nr(const struct rpt_live_report *live,
				   uint32_t event);

/* Make the rows of an event, and sort them.  width: columns of the screen, to
 * which long names are shortened; 0: they stay whole. */
void rpt_live_report_choose(struct rpt_live_report *live, uint32_t event,
			    uint32_t width);

/* Append the headers of the columns, a row, its call graph, as they are to be
 * printed: safe for a terminal. */
void rpt_live_report_print_header(struct rpt_live_report *live,
				  struct rpt_text *out);
void rpt_live_report_print_row(struct rpt_live_report *live, uint32_t row,
			       struct rpt_text *out);
void rpt_live_report_print_graph(struct rpt_live_report *live, uint32_t row,
				 struct rpt_text *out);

#endif
