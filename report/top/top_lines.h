/* top_lines.h: the rows of a frame as the lines of a screen, each followed by
 * its call graph if that is open.
 *
 *	rpt_top_lines_make(&lines, &live, &view, &args)
 *	... lines.items[0..lines.nr)
 *	rpt_top_lines_release(&lines)
 */
#ifndef RPT_TOP_LINES_H
#define RPT_TOP_LINES_H

#include "report/top/live_report.h"
#include "report/top/top_args.h"
#include "report/top/top_view.h"

/* The line of a row, or one of its call graph. */
struct rpt_top_line {
	uint32_t row;
	bool is_graph;
	size_t off; /* of a graph's text in rpt_top_lines.graphs */
	size_t len;
};

struct rpt_top_lines {
	struct rpt_top_line *items; /* owned */
	uint32_t nr;
	uint32_t cap;
	uint32_t row_nr;
	struct rpt_text_heap graphs;
	struct rpt_text_string *text; /* owned */
};

/* Find the lines of the event that the frame has chosen, of as many rows as
 * args allows, with as many samples as it asks for.  lines is zeroed, or what
 * was made before. */
void rpt_top_lines_make(struct rpt_top_lines *lines,
			struct rpt_live_report *live,
			const struct rpt_view *view,
			const struct rpt_top_view_args *args);
void rpt_top_lines_release(struct rpt_top_lines *lines);

/* Return the line of the row of that id, lines.nr if there is none. */
uint32_t rpt_top_lines_find(struct rpt_top_lines *lines,
			    const struct rpt_live_report *live, uint64_t id);

/* Fill ret with the row of a line; its names are the frame's. */
void rpt_top_lines_row(struct rpt_top_lines *lines,
		       const struct rpt_live_report *live, uint32_t line,
		       struct rpt_view_row *ret);

/* Return the text of a line, safe for a terminal, valid until the next call; no
 * newline is at its end. */
const char *rpt_top_lines_text(struct rpt_top_lines *lines,
			       struct rpt_live_report *live, uint32_t line,
			       size_t *ret_len);

/* Return whether a call graph stands below the line of a row. */
bool rpt_top_lines_is_open(const struct rpt_top_lines *lines, uint32_t line);

#endif
