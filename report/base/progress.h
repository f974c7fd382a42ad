/* progress.h: a line on the terminal for work that takes over a second.
 *
 *	rpt_progress_start(is_out);	main, if stderr is a terminal
 *	rpt_progress_total(len);	a reader begins to read len bytes ...
 *	rpt_progress_add(len);		... has read some
 *	rpt_progress_end();		with the first output, or message
 *
 * A thread shows "reading 45 % (3 s)" and erases it at the end.  Calls in
 * any thread cost an addition; without rpt_progress_start() nothing is shown.
 */
#ifndef RPT_PROGRESS_H
#define RPT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Start the thread, which writes to stderr.  If is_out, stdout is the terminal,
 * too: its first output, which is buffered, ends the line.  Only glibc can do
 * that; with another C library nothing is shown then. */
void rpt_progress_start(bool is_out);

/* Erase the line and show no other.  Safe if nothing was started. */
void rpt_progress_end(void);

void rpt_progress_total(uint64_t len);
void rpt_progress_add(uint64_t len);

/* How far the work was shown to be. */
struct rpt_progress_place {
	uint64_t done_len, total_len;
};

/* Move place to done of total bytes, but not back: a further file makes the
 * total longer, and so the part that is done smaller. */
void rpt_progress_advance(struct rpt_progress_place *place, uint64_t done_len,
			  uint64_t total_len);

/* Write what the line says after done of total bytes in second_nr seconds into
 * text: "reading 45 % (3 s)".  All is read twice at most; what is read once
 * more is a part, to count and name. */
#define RPT_PROGRESS_TEXT_LEN 64
void rpt_progress_text(uint64_t done_len, uint64_t total_len,
		       uint64_t second_nr, char text[RPT_PROGRESS_TEXT_LEN]);

#endif
