/* top_screen.h: frames on a terminal: drawn in place, changed by keys.
 *
 *	rpt_top_screen_open(&at, top, &err)
 *	each delay:	rpt_top_screen_turn(at, &err)
 *	at a key:	rpt_top_screen_keys(at, is_over, &err)
 *	rpt_top_screen_close(at)
 *
 *	0	PerfTop:     198 irqs/sec  kernel:45.2% ...
 *		of a recording that is over: what it is, then its samples over
 *		time
 *	1	rows, zoom, what is hidden, paused
 *	2	Overhead  Shared Object  Symbol
 *	3 ..	rows; or code; or the keys
 *	last	a message, a prompt, or some of the keys
 */
#ifndef RPT_TOP_SCREEN_H
#define RPT_TOP_SCREEN_H

#include "report/screen/screen.h"
#include "report/top/top_code.h"
#include "report/top/top_lines.h"

struct rpt_top;

struct rpt_top_screen {
	struct rpt_top *top; /* borrowed */
	struct rpt_screen screen;
	struct rpt_view view;
	struct rpt_top_lines lines;
	struct rpt_top_code code;
	struct rpt_top_code facts; /* a text; set before the screen is opened */
	struct rpt_report_args report; /* what rows are made by */
	char *sort;		       /* report's own; owned */
	uint32_t event;		       /* that is shown, of the frame's ... */
	uint32_t other_event;	       /* ... with or without off-CPU times */
	struct rpt_text_string *text;  /* of a picture; owned */
	struct rpt_text_string *head;  /* the line of the frame; owned */
	uint64_t escape_ns; /* when a sequence began that is not whole; 0 */
};

int rpt_top_screen_open(struct rpt_top_screen *at, struct rpt_top *top,
			struct pd_err *err);
/* Give the terminal back.  Safe on a zeroed struct. */
void rpt_top_screen_close(struct rpt_top_screen *at);

/* Show the window as it is now, unless frames are paused. */
int rpt_top_screen_turn(struct rpt_top_screen *at, struct pd_err *err);

/* Take the keys that were read (has_bytes: the terminal has more), and do what
 * signals ask for.  top->is_ended becomes true if the user quits. */
int rpt_top_screen_keys(struct rpt_top_screen *at, bool has_bytes,
			struct pd_err *err);

/* Return whether an escape waits for more bytes, for 50 ms at most. */
bool rpt_top_screen_waits(const struct rpt_top_screen *at);

#endif
