/* What is to be seen on the screen. */
#include "report/top/top.h"

#include "report/base/memory.h"
#include "report/screen/screen.h"

#include "format/support/terminal.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_LINES 3u
#define MORE_LINES (HEAD_LINES + 1u)

#define REVERSE "\33[7m"
#define BOLD	"\33[1m"
#define PLAIN	"\33[m"
#define ERASE	"\33[K" /* the rest of the line */

static const char *const help[] = {
	"Up Down PgUp PgDn Space Home End    move the cursor",
	"Enter a Right    show the code of the row's function, with samples",
	"d                show only the row's file (DSO); again: all",
	"t                show only the row's thread (sort keys pid or comm)",
	"/                show only functions with this text in their name",
	"Esc Left         undo the last of these, or leave the code",
	"e +              open or close the row's call graph",
	"E C              open all call graphs, close all",
	"s                change the sort keys",
	"Tab Shift-Tab    show the next event, or the one before",
	"K U              leave out samples in the kernel, in programs",
	"z                show only what came since the last frame, or the window",
	"f p              pause, and go on",
	"h ? F1           show this",
	"q Ctrl-C         leave the code, or quit",
	"",
	"Any key leaves this page.",
};

#define HELP_NR (sizeof(help) / sizeof(help[0]))

void rpt_top_screen_fit(struct rpt_top_screen *at)
{
	const uint32_t nrs[RPT_PAGES_NR] = {
		[RPT_PAGE_ROWS] = at->lines.nr,
		[RPT_PAGE_CODE] = at->code.line_nr,
		[RPT_PAGE_HELP] = HELP_NR,
	};
	uint32_t height = at->screen.lines > MORE_LINES
				  ? at->screen.lines - MORE_LINES
				  : 1;

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

	if (view->page == RPT_PAGE_HELP) {
		rpt_text_str(out, "Keys");
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
	for (uint32_t i = 0; i < view->zoom_nr; i++)
		put_zoom(&view->zooms[i], out);
}

/* Put the headers of the columns, without the mark of a comment. */
static void put_headers(struct rpt_top_screen *at,
			struct rpt_text_string *names)
{
	const char *text;
	size_t len;

	if (at->view.page != RPT_PAGE_ROWS || !at->top->frame.event_name) {
		put_line(at, "", 0, NULL);
		return;
	}
	rpt_live_frame_print_header(&at->top->frame, &names->text);
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
		*ret_len = strlen(help[line]);
		return help[line];
	case RPT_PAGE_CODE:
		return rpt_top_code_line(&at->code, line, ret_len);
	default:
		return rpt_top_lines_text(&at->lines, &at->top->frame, line,
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

static void put_foot(struct rpt_top_screen *at, struct rpt_text *out)
{
	const struct rpt_view *view = &at->view;

	if (view->prompt)
		rpt_text_format(out, "%s: %s_",
				view->prompt == RPT_ASK_SORT ? "Sort keys"
							     : "Functions with",
				view->text);
	else if (*view->message)
		rpt_text_str(out, view->message);
	else if (view->page == RPT_PAGE_CODE)
		rpt_text_str(out, "q: back to the rows  p: pause  h: keys");
	else
		rpt_text_str(out, "h: keys  a: code  e: callers  d: file  "
				  "t: thread  /: functions  s: sort  q: quit");
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

void rpt_top_screen_draw(struct rpt_top_screen *at)
{
	struct rpt_text_string *names = rpt_text_string_new();
	const char *text;
	size_t len;

	names->text.is_safe = true;
	rpt_text_str(&at->text->text, "\33[H");
	put_line(at, at->head->heap.data, at->head->heap.len, NULL);
	put_state(at, &names->text);
	put_names(at, names, NULL);
	put_headers(at, names);
	put_list(at);
	put_last(at, names);
	text = rpt_text_string_take(at->text, &len);
	if (rpt_screen_draw(text, len))
		at->top->is_ended = true;
	rpt_text_string_free(names);
}
