#include "report/top/top_screen.h"

#include "format/support/terminal.h"
#include "report/base/memory.h"
#include "report/screen/screen.h"
#include "report/top/top.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The picture on the screen. */

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

/* Set the heights of the lists by the size of the screen, and how many lines
 * they have. */
static void top_screen_fit(struct rpt_top_screen *at)
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
		*ret_len = strlen(help[line]);
		return help[line];
	case RPT_PAGE_CODE:
		return rpt_top_code_line(&at->code, line, ret_len);
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

/* Draw what is to be seen. */
static void top_screen_draw(struct rpt_top_screen *at)
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

#define ESCAPE_NS UINT64_C(50000000)

static char *copy(const char *text)
{
	return rpt_alloc_text(text, strlen(text));
}

/* Keep the line of rates, which is of the window as it is now. */
static void set_head(struct rpt_top_screen *at)
{
	at->head->heap.len = 0;
	rpt_top_put_head(at->top, rpt_top_now(), &at->head->text);
	rpt_text_flush(&at->head->text);
}

int rpt_top_screen_open(struct rpt_top_screen *at, struct rpt_top *top,
			struct pd_err *err)
{
	const struct rpt_top_args *args = top->args;
	int rc;

	*at = (struct rpt_top_screen){ .top = top, .report = args->report };
	at->sort = copy(args->report.columns.sort);
	at->report.columns.sort = at->sort;
	rpt_view_init(&at->view, at->sort);
	at->view.hide.kernel = args->view.hide_kernel;
	at->view.hide.user = args->view.hide_user;
	at->view.is_zeroed = args->view.is_zeroed;
	at->code.is_coloured = sup_terminal()->has_colour;
	at->text = rpt_text_string_new();
	at->head = rpt_text_string_new();
	at->head->text.is_safe = true;
	set_head(at);
	rc = rpt_screen_open(&at->screen, err);
	rpt_view_say(&at->view, "collecting samples ...");
	if (!rc)
		top_screen_draw(at);
	return rc;
}

void rpt_top_screen_close(struct rpt_top_screen *at)
{
	if (!at->text)
		return;
	rpt_screen_close(&at->screen);
	rpt_view_release(&at->view);
	rpt_top_lines_release(&at->lines);
	rpt_top_code_release(&at->code);
	rpt_text_string_free(at->text);
	rpt_text_string_free(at->head);
	free(at->sort);
	at->text = NULL;
	at->sort = NULL;
}

/* Return the event to show: the one that was shown, or the next one (step 1 or
 * -1) that has samples. */
static uint32_t event_to_show(const struct rpt_top_screen *at, uint32_t step)
{
	const struct rpt_live_report *live = &at->top->live;
	uint32_t nr = rpt_live_report_event_nr(live);
	uint32_t event = at->event < nr ? at->event : 0;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t next = (event + (step ? step * (i + 1) : i)) % nr;

		if (rpt_live_report_sample_nr(live, next))
			return next;
	}
	return event;
}

/* Find the lines of the frame.  The cursor stays on its row if it was moved
 * there. */
static void make_lines(struct rpt_top_screen *at)
{
	struct rpt_live_report *live = &at->top->live;
	struct rpt_view_list *list = &at->view.lists[RPT_PAGE_ROWS];
	uint32_t line;

	if (!rpt_live_report_event_nr(live)) {
		at->lines.nr = 0;
		top_screen_fit(at);
		return;
	}
	rpt_live_report_choose(live, at->event, at->screen.columns);
	rpt_view_set_rows(&at->view, live->rows.conf.keys.by,
			  live->rows.conf.chains);
	rpt_top_lines_make(&at->lines, live, &at->view, &at->top->args->view);
	top_screen_fit(at);
	if (!at->view.is_held)
		return;
	line = rpt_top_lines_find(&at->lines, live, at->view.at_id);
	if (line < at->lines.nr)
		rpt_view_list_go(list, line);
}

/* Show the code of the function that was chosen with the frame's samples. */
static void make_code(struct rpt_top_screen *at)
{
	struct pd_err err = PD_ERR_INIT;

	if (at->view.page != RPT_PAGE_CODE ||
	    !rpt_live_report_event_nr(&at->top->live))
		return;
	if (rpt_top_code_make(&at->code, &at->top->live, &err))
		rpt_view_say(&at->view, "%s", err.text);
	top_screen_fit(at);
}

/* Report the window, or the samples of the last frame again.  Sort keys that
 * the recording does not have are those of before. */
static int make_frame(struct rpt_top_screen *at, bool is_again,
		      struct pd_err *err)
{
	struct rpt_top *top = at->top;
	char *sort = at->sort;
	int rc;

	if (!rpt_live_window_events(&top->window))
		return 0;
	if (is_again) {
		sort = copy(at->view.sort);
		at->report.columns.sort = sort;
	}
	rc = is_again ? rpt_live_report_again(&top->live, &at->report,
					      &top->names, err)
		      : rpt_live_report_make(&top->live, &at->report,
					     &top->names, &top->window,
					     &at->view.hide, err);
	if (rc && is_again && rc != -ENOMEM) {
		rpt_view_say(&at->view, "%s", err->text);
		free(sort);
		free(at->view.sort);
		at->view.sort = copy(at->sort);
		at->report.columns.sort = at->sort;
		err->code = 0;
		rc = rpt_live_report_again(&top->live, &at->report, &top->names,
					   err);
	} else if (is_again) {
		free(at->sort);
		at->sort = sort;
	}
	if (rc)
		return rc;
	at->event = event_to_show(at, 0);
	make_lines(at);
	make_code(at);
	if (!is_again)
		set_head(at);
	return 0;
}

int rpt_top_screen_turn(struct rpt_top_screen *at, struct pd_err *err)
{
	int rc = 0;

	if (!at->top->frame_nr)
		at->view.message[0] = '\0';
	if (!at->view.is_paused)
		rc = make_frame(at, false, err);
	if (!rc)
		top_screen_draw(at);
	return rc;
}

/* Return the row under the cursor; NULL: there is none. */
static const struct rpt_view_row *row_at(struct rpt_top_screen *at,
					 struct rpt_view_row *row)
{
	uint32_t line = at->view.lists[RPT_PAGE_ROWS].at;

	if (line >= at->lines.nr)
		return NULL;
	rpt_top_lines_row(&at->lines, &at->top->live, line, row);
	return row;
}

static void show_code(struct rpt_top_screen *at)
{
	struct rpt_live_report *live = &at->top->live;
	uint32_t line = at->view.lists[RPT_PAGE_ROWS].at;
	struct pd_err err = PD_ERR_INIT;
	const char *why = "the row is of no function that is known";
	bool is_chosen =
		rpt_top_code_choose(&at->code, live, at->lines.items[line].row);

	if (is_chosen && !rpt_top_code_make(&at->code, live, &err)) {
		at->view.page = RPT_PAGE_CODE;
		at->view.lists[RPT_PAGE_CODE].at = 0;
		top_screen_fit(at);
		rpt_view_list_go(&at->view.lists[RPT_PAGE_CODE],
				 at->code.hottest);
		return;
	}
	rpt_view_say(&at->view, "%s", is_chosen ? err.text : why);
}

static int act(struct rpt_top_screen *at, unsigned todo, struct pd_err *err)
{
	struct rpt_top *top = at->top;
	int rc = 0;

	if (todo & RPT_DO_QUIT)
		top->is_ended = true;
	if (todo & RPT_DO_WINDOW) {
		uint32_t nr = rpt_top_slice_nr(&top->args->view);

		rpt_live_window_limit(&top->window,
				      at->view.is_zeroed ? 1 : nr);
		rc = make_frame(at, false, err);
	} else if (todo & RPT_DO_FRAME) {
		rc = make_frame(at, true, err);
	} else if (todo & (RPT_DO_EVENT | RPT_DO_EVENT_BACK)) {
		at->event = event_to_show(
			at, todo & RPT_DO_EVENT
				    ? 1
				    : rpt_live_report_event_nr(&top->live) - 1);
		make_lines(at);
	} else if (todo & RPT_DO_LINES) {
		make_lines(at);
	} else if (todo & RPT_DO_CODE) {
		show_code(at);
	}
	return rc;
}

bool rpt_top_screen_waits(const struct rpt_top_screen *at)
{
	return at->escape_ns;
}

/* Return the next key.  An escape alone is a key once nothing has followed it
 * for a while. */
static int next_key(struct rpt_top_screen *at)
{
	uint64_t now_ns = rpt_top_now();
	bool is_over = at->escape_ns && now_ns - at->escape_ns >= ESCAPE_NS;
	int key = rpt_key_reader_next(&at->screen.keys, is_over);

	if (key != RPT_KEY_NONE || !at->screen.keys.len)
		at->escape_ns = 0;
	else if (!at->escape_ns)
		at->escape_ns = now_ns;
	return key;
}

int rpt_top_screen_keys(struct rpt_top_screen *at, bool has_bytes,
			struct pd_err *err)
{
	bool is_changed = false;
	int key, rc = 0;

	if (has_bytes && !rpt_screen_read(&at->screen))
		at->top->is_ended = true;
	if (rpt_screen_heed(&at->screen)) {
		is_changed = true;
		make_lines(at);
	}
	while (!rc && !at->top->is_ended &&
	       (key = next_key(at)) != RPT_KEY_NONE) {
		struct rpt_view_row names;
		const struct rpt_view_row *row = row_at(at, &names);

		rc = act(at, rpt_view_key(&at->view, key, row), err);
		if (!rc && at->view.is_held)
			rpt_view_hold(&at->view, row_at(at, &names));
		is_changed = true;
	}
	if (is_changed && !rc && !at->top->is_ended)
		top_screen_draw(at);
	return rc;
}
