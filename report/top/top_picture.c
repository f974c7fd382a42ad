#include "report/top/top_picture.h"

#include "format/support/terminal.h"
#include "report/screen/screen.h"
#include "report/top/top.h"

#include <stdlib.h>
#include <string.h>

#define MORE_LINES 4u

#define REVERSE "\33[7m"
#define BOLD	"\33[1m"
#define PLAIN	"\33[m"
#define ERASE	"\33[K" /* the rest of the line */

/* A line of the help, and what it is of: what moves, what is over, both. */
enum { OF_ALL, OF_LIVE, OF_FINISHED };

static const struct help_line {
	const char *text;
	int of;
} help[] = {
	{ "Up Down PgUp PgDn Space Home End    move the cursor", OF_ALL },
	{ "Enter a Right    show the code of the row's function, with samples",
	  OF_ALL },
	{ "d                show only the row's file (DSO); again: all",
	  OF_ALL },
	{ "t                show only the row's thread (sort keys pid or comm)",
	  OF_ALL },
	{ "/                show only functions with this text in their name",
	  OF_ALL },
	{ "Esc Left         undo the last of these, or leave the code",
	  OF_ALL },
	{ "e +              open or close the row's call graph", OF_ALL },
	{ "E C              open all call graphs, close all", OF_ALL },
	{ "s                change the sort keys", OF_ALL },
	{ "Tab Shift-Tab    show the next event, or the one before", OF_ALL },
	{ "K U              leave out samples in the kernel, in programs",
	  OF_ALL },
	{ "[ ] { }          shorten the time that is shown, make it longer again",
	  OF_FINISHED },
	{ "r                type it: FROM,TO in seconds since the first sample",
	  OF_FINISHED },
	{ "o                show times without a CPU, or samples",
	  OF_FINISHED },
	{ "w                write what is shown: a page, JSON, CSV, Markdown, text",
	  OF_FINISHED },
	{ "i                show the header of the recording, and warnings",
	  OF_FINISHED },
	{ "z                show only what came since the last frame, or the window",
	  OF_LIVE },
	{ "f p              pause, and go on", OF_LIVE },
	{ "h ? F1           show this", OF_ALL },
	{ "q Ctrl-C         leave the code, or quit", OF_ALL },
	{ "Any key leaves this page.", OF_ALL },
};

/* Return the line of that number among those of the screen's kind; NULL behind
 * the last one. */
static const char *help_line(const struct rpt_top_screen *at, uint32_t line)
{
	int other = at->view.is_finished ? OF_LIVE : OF_FINISHED;

	for (size_t i = 0; i < sizeof(help) / sizeof(help[0]); i++)
		if (help[i].of != other && !line--)
			return help[i].text;
	return NULL;
}

static uint32_t help_nr(const struct rpt_top_screen *at)
{
	uint32_t nr = 0;

	while (help_line(at, nr))
		nr++;
	return nr;
}

void rpt_top_picture_fit(struct rpt_top_screen *at)
{
	const uint32_t nrs[RPT_PAGES_NR] = {
		[RPT_PAGE_ROWS] = at->lines.nr,
		[RPT_PAGE_CODE] = at->code.line_nr,
		[RPT_PAGE_HELP] = help_nr(at),
		[RPT_PAGE_FACTS] = at->facts.line_nr,
	};
	uint32_t more = MORE_LINES + (at->view.is_finished ? 1 : 0);
	uint32_t height = at->screen.lines > more ? at->screen.lines - more : 1;

	for (uint32_t i = 0; i < RPT_PAGES_NR; i++)
		rpt_view_list_set(&at->view.lists[i], nrs[i], height);
}

/* Put a line, and go to the next one.  mark: what stands in front, or 0; style:
 * what it is shown in, or NULL. */
static void put_marked(struct rpt_top_screen *at, char mark, const char *text,
		       size_t len, const char *style)
{
	struct rpt_text *out = &at->text->text;
	bool has_colour = !style && sup_terminal()->has_colour;
	uint32_t used;

	if (style)
		rpt_text_str(out, style);
	if (mark)
		rpt_text_char(out, mark);
	used = mark ? 1 : 0;
	used += rpt_screen_put(out, text, len, at->screen.columns - used,
			       has_colour);
	/* the bar of the cursor is as wide as the screen */
	if (style && !strcmp(style, REVERSE))
		rpt_text_pad(out, at->screen.columns - used);
	if (style || has_colour)
		rpt_text_str(out, PLAIN);
	/* behind the last column it would erase that one */
	if (used < at->screen.columns)
		rpt_text_str(out, ERASE);
	rpt_text_str(out, "\r\n");
}

static void put_line(struct rpt_top_screen *at, const char *text, size_t len,
		     const char *style)
{
	put_marked(at, 0, text, len, style);
}

/* Put a text that may have names in it. */
static void put_names(struct rpt_top_screen *at, struct rpt_text_string *names,
		      const char *style)
{
	size_t len;
	const char *text;

	rpt_text_flush(&names->text);
	names->text.is_safe = false;
	text = rpt_text_string_take(names, &len);
	put_line(at, text, len, style);
	names->text.is_safe = true;
}

static void put_zoom(const struct rpt_view_zoom *zoom, struct rpt_text *out)
{
	static const char *const kinds[] = {
		[RPT_ZOOM_DSO] = "file",
		[RPT_ZOOM_COMM] = "thread",
		[RPT_ZOOM_SYMBOL] = "function",
	};

	if (zoom->kind == RPT_ZOOM_TID)
		rpt_text_format(out, "  thread: %u", zoom->tid);
	else
		rpt_text_format(out, "  %s: %s", kinds[zoom->kind], zoom->text);
}

static void put_state(struct rpt_top_screen *at, struct rpt_text *out)
{
	const struct rpt_view *view = &at->view;

	if (view->page == RPT_PAGE_HELP || view->page == RPT_PAGE_FACTS) {
		rpt_text_str(out, view->page == RPT_PAGE_HELP ? "Keys"
							      : "Recording");
		return;
	}
	/* in front of names, which may be long */
	if (at->top->has_ended)
		rpt_text_str(out, "THE RECORDING HAS ENDED  ");
	else if (view->is_paused)
		rpt_text_str(out, "PAUSED  ");
	if (view->page == RPT_PAGE_CODE) {
		rpt_text_format(out, "%s  %s", at->code.symbol, at->code.dso);
		return;
	}
	rpt_text_format(out, "rows: %u  sort: %s", at->lines.row_nr,
			view->sort);
	if (view->hide.kernel)
		rpt_text_str(out, "  without kernel");
	if (view->hide.user)
		rpt_text_str(out, "  without programs");
	if (view->is_zeroed)
		rpt_text_str(out, "  zeroed");
	if (rpt_view_has_range(view))
		rpt_text_format(out, "  from %.3f s to %.3f s",
				view->range.first * view->range.block_s,
				view->range.end * view->range.block_s);
	for (uint32_t i = 0; i < view->zoom_nr; i++)
		put_zoom(&view->zooms[i], out);
}

/* Put the headers of the columns, without the mark of a comment. */
static void put_headers(struct rpt_top_screen *at,
			struct rpt_text_string *names)
{
	const char *text;
	size_t len;

	if (at->view.page != RPT_PAGE_ROWS || !at->top->live.event_name) {
		put_line(at, "", 0, NULL);
		return;
	}
	rpt_live_report_print_header(&at->top->live, &names->text);
	rpt_text_flush(&names->text);
	names->text.is_safe = false;
	text = rpt_text_string_take(names, NULL);
	names->text.is_safe = true;
	len = strcspn(text, "\n");
	if (len && *text == '#') {
		text++;
		len--;
		rpt_text_char(&at->text->text, ' ');
	}
	rpt_text_str(&at->text->text, BOLD);
	rpt_screen_put(&at->text->text, text, len, at->screen.columns - 1,
		       false);
	rpt_text_str(&at->text->text, PLAIN ERASE "\r\n");
}

static const char *line_text(struct rpt_top_screen *at, uint32_t line,
			     size_t *ret_len)
{
	switch (at->view.page) {
	case RPT_PAGE_HELP:
		*ret_len = strlen(help_line(at, line));
		return help_line(at, line);
	case RPT_PAGE_CODE:
		return rpt_top_code_line(&at->code, line, ret_len);
	case RPT_PAGE_FACTS:
		return rpt_top_code_line(&at->facts, line, ret_len);
	default:
		return rpt_top_lines_text(&at->lines, &at->top->live, line,
					  ret_len);
	}
}

/* Return what stands in front of a row: whether it has a call graph. */
static char mark_of(const struct rpt_top_screen *at, uint32_t line)
{
	if (at->view.page != RPT_PAGE_ROWS)
		return 0;
	if (line >= at->lines.nr || !at->view.has_chains ||
	    at->lines.items[line].is_graph)
		return ' ';
	return rpt_top_lines_is_open(&at->lines, line) ? '-' : '+';
}

static void put_list(struct rpt_top_screen *at)
{
	const struct rpt_view_list *list = rpt_view_list(&at->view);
	bool has_bar = at->view.page != RPT_PAGE_HELP;

	for (uint32_t i = list->first; i - list->first < list->height; i++) {
		const char *text = "";
		size_t len = 0;

		if (i < list->nr)
			text = line_text(at, i, &len);
		put_marked(at, mark_of(at, i), text, len,
			   has_bar && i < list->nr && i == list->at ? REVERSE
								    : NULL);
	}
}

/* Return the first block of a cell, out of so many that show all blocks. */
static uint32_t first_block(const struct rpt_view_range *range, uint32_t cell,
			    uint32_t cells)
{
	return (uint32_t)((uint64_t)cell * range->block_nr / cells);
}

/* Return what a cell has for each of its blocks. */
static double cell_weight(const struct rpt_live_report *live,
			  const struct rpt_view_range *range, uint32_t cell,
			  uint32_t cells)
{
	uint32_t first = first_block(range, cell, cells);
	uint32_t end = first_block(range, cell + 1, cells);
	double weight = 0;

	for (uint32_t i = first; i < end; i++)
		weight += (double)rpt_report_block_weight(
			live->report, live->rows.event_idx, i);
	return weight / (end - first);
}

/* Return a letter for a weight of at most max.  The Linux console's font has no
 * eighths of a block. */
static const char *level_text(double weight, double max)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄",
					      "▅", "▆", "▇", "█" };
	static const char *const plain[] = { " ", ".", ":", "-", "=",
					     "+", "*", "#", "@" };
	size_t level = weight > 0 ? 1 + (size_t)(weight / max * 7.5) : 0;
	const char *term = getenv("TERM");

	return (term && !strcmp(term, "linux") ? plain : blocks)[level];
}

static void put_foot(struct rpt_top_screen *at, struct rpt_text *out)
{
	static const char *const prompts[] = {
		[RPT_ASK_SYMBOL] = "Functions with",
		[RPT_ASK_SORT] = "Sort keys",
		[RPT_ASK_RANGE] = "Seconds since the first sample, FROM,TO",
		[RPT_ASK_FILE] = "File (.html .json .csv .md .folded; or text)",
	};
	const struct rpt_view *view = &at->view;

	if (view->prompt)
		rpt_text_format(out, "%s: %s_", prompts[view->prompt],
				view->text);
	else if (*view->message)
		rpt_text_str(out, view->message);
	else if (view->page == RPT_PAGE_FACTS)
		rpt_text_str(out, "q: back  h: keys");
	else if (view->page == RPT_PAGE_CODE)
		rpt_text_str(out, at->view.is_finished
					  ? "q: back to the rows  h: keys"
					  : "q: back to the rows  p: pause  "
					    "h: keys");
	else if (at->view.is_finished)
		rpt_text_str(out, "h: keys  a: code  e: callers  d: file  "
				  "t: thread  /: find  [ ]: time  q: quit");
	else
		rpt_text_str(out, "h: keys  a: code  e: callers  d: file  "
				  "t: thread  /: functions  s: sort  q: quit");
}

/* Put the samples of the event over time, a letter each for one block or
 * several, and mark those that are shown. */
static void put_times(struct rpt_top_screen *at)
{
	const struct rpt_view_range *range = &at->view.range;
	const struct rpt_live_report *live = &at->top->live;
	uint32_t cells = at->screen.columns - 1;
	struct rpt_text *out = &at->text->text;
	double max = 0;

	if (cells > range->block_nr)
		cells = range->block_nr;
	for (uint32_t i = 0; i < cells; i++) {
		double weight = cell_weight(live, range, i, cells);

		max = weight > max ? weight : max;
	}
	for (uint32_t i = 0; i < cells; i++) {
		uint32_t block = first_block(range, i, cells);
		bool is_in = block >= range->first && block < range->end;

		if (rpt_view_has_range(&at->view))
			rpt_text_str(out, is_in ? REVERSE : PLAIN);
		rpt_text_str(out, level_text(cell_weight(live, range, i, cells),
					     max));
	}
	rpt_text_str(out, PLAIN ERASE "\r\n");
}

/* The last line has no newline, which would move all up. */
static void put_last(struct rpt_top_screen *at, struct rpt_text_string *names)
{
	struct rpt_text *out = &at->text->text;

	put_foot(at, &names->text);
	put_names(at, names, NULL);
	rpt_text_flush(out);
	at->text->heap.len -= strlen("\r\n");
}

void rpt_top_picture_draw(struct rpt_top_screen *at)
{
	struct rpt_text_string *names = rpt_text_string_new();
	const char *text;
	size_t len;

	names->text.is_safe = true;
	put_line(at, at->head->heap.data, at->head->heap.len, NULL);
	if (at->view.is_finished)
		put_times(at);
	put_state(at, &names->text);
	put_names(at, names, NULL);
	put_headers(at, names);
	put_list(at);
	put_last(at, names);
	text = rpt_text_string_take(at->text, &len);
	if (rpt_screen_draw(&at->screen, text, len))
		at->top->is_ended = true;
	rpt_text_string_free(names);
}
