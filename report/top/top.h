/* top.h: the samples of the last seconds, shown while they are recorded: the
 * engine of perfpair top.
 *
 *	bytes of a pipe --record_stream--> records --live_window--> slices
 *	each delay:  the window --live_report--> rows --> text or screen
 *
 * The window is small and report is fast, so a frame is a whole report of the
 * window: its sort keys, filters, call graphs and names are report's, and
 * nothing is held that could be wrong after hours.
 */
#ifndef RPT_TOP_H
#define RPT_TOP_H

#include "report/top/finished.h"
#include "report/top/live_report.h"
#include "report/top/record_stream.h"
#include "report/top/recorder_child.h"
#include "report/top/top_args.h"
#include "report/top/top_screen.h"

struct rpt_top {
	const struct rpt_top_args *args;
	struct rpt_record_stream stream;
	struct rpt_live_window window;
	struct rpt_live_names names;
	struct rpt_live_report live;
	struct rpt_recorder_child child; /* pid 0: another one's pipe */
	struct rpt_live_hide hide;
	int fd; /* the recording; -1: it has ended */
	uint64_t delay_ns;
	uint64_t next_ns;  /* when the next frame is due */
	uint32_t frame_nr; /* that were shown */
	bool has_ended;	   /* the recording */
	bool is_users_end; /* the recording had not ended before */
	bool has_screen;
	rpt_finished_write *write; /* of a file that is shown */
	bool has_warnings;	   /* about that file, among screen.facts */
	bool is_finished; /* a file is shown (finished.h): nothing above moves
			   */
	struct rpt_top_screen screen;
	bool is_ended; /* the user wants no more */
	int exit_code; /* of the recorder */
};

/* Show frames until the recording ends, or the user wants no more.  Return 0 or
 * a negative errno; top is to be closed in any case. */
int rpt_top_run(struct rpt_top *top, const struct rpt_top_args *args,
		struct pd_err *err);
void rpt_top_close(struct rpt_top *top);

/* Return the time of a clock that does not go back. */
uint64_t rpt_top_now(void);

/* Let signals that end this process be asked for. */
void rpt_top_catch_signals(void);
bool rpt_top_is_stopped(void);
/* Return for how long nothing needs to be done but read. */
int rpt_top_wait_ms(const struct rpt_top *top);

/* top_text.c.  Append the line that begins a frame: rates, losses, the event
 * and what is recorded, as perf top --stdio has it. */
void rpt_top_put_head(struct rpt_top *top, uint64_t now_ns,
		      struct rpt_text *out);
/* Print the frame as text to stdout. */
void rpt_top_print_text(struct rpt_top *top, uint64_t now_ns);

#endif
