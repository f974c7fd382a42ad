#include "report/top/top_view.h"

#include "report/base/memory.h"
#include "report/rows/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CTRL(letter) ((letter)&0x1f)

void rpt_view_say(struct rpt_view *view, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(view->message, sizeof(view->message), format, ap);
	va_end(ap);
}

static char *copy(const char *text)
{
	return rpt_alloc_text(text, strlen(text));
}

void rpt_view_init(struct rpt_view *view, const char *sort)
{
	*view = (struct rpt_view){ .sort = copy(sort) };
	for (uint32_t i = 0; i < RPT_PAGES_NR; i++)
		view->lists[i].height = 1;
}

void rpt_view_release(struct rpt_view *view)
{
	for (uint32_t i = 0; i < view->zoom_nr; i++)
		free(view->zooms[i].text);
	free(view->sort);
	view->zoom_nr = 0;
	view->sort = NULL;
}

struct rpt_view_list *rpt_view_list(struct rpt_view *view)
{
	return &view->lists[view->page];
}

void rpt_view_list_go(struct rpt_view_list *list, uint32_t at)
{
	list->at = at < list->nr ? at : list->nr ? list->nr - 1 : 0;
	if (list->at < list->first)
		list->first = list->at;
	if (list->at - list->first >= list->height)
		list->first = list->at - list->height + 1;
}

void rpt_view_list_set(struct rpt_view_list *list, uint32_t nr, uint32_t height)
{
	list->nr = nr;
	list->height = height ? height : 1;
	/* no empty lines at the end that others could take */
	if (nr < list->height)
		list->first = 0;
	else if (list->first > nr - list->height)
		list->first = nr - list->height;
	rpt_view_list_go(list, list->at);
}

/* Return whether the key moves the cursor. */
static bool move(struct rpt_view_list *list, int key)
{
	uint32_t page = list->height > 1 ? list->height - 1 : 1;

	switch (key) {
	case RPT_KEY_UP:
		rpt_view_list_go(list, list->at ? list->at - 1 : 0);
		return true;
	case RPT_KEY_DOWN:
		rpt_view_list_go(list, list->at + 1);
		return true;
	case RPT_KEY_PAGE_UP:
		rpt_view_list_go(list, list->at > page ? list->at - page : 0);
		return true;
	case ' ':
	case RPT_KEY_PAGE_DOWN:
		rpt_view_list_go(list, list->at + page);
		return true;
	case RPT_KEY_HOME:
		rpt_view_list_go(list, 0);
		return true;
	case RPT_KEY_END:
		rpt_view_list_go(list, list->nr ? list->nr - 1 : 0);
		return true;
	default:
		return false;
	}
}

/* Undo a zoom. */
static void zoom_out(struct rpt_view *view, uint32_t idx)
{
	free(view->zooms[idx].text);
	view->zoom_nr--;
	memmove(&view->zooms[idx], &view->zooms[idx + 1],
		(view->zoom_nr - idx) * sizeof(view->zooms[0]));
}

void rpt_view_set_blocks(struct rpt_view *view, uint32_t block_nr,
			 double block_s)
{
	view->range = (struct rpt_view_range){ block_nr, 0, block_nr, block_s };
}

bool rpt_view_has_range(const struct rpt_view *view)
{
	return view->range.end - view->range.first < view->range.block_nr;
}

/* Move an end of the range by a twentieth of all time.  Something stays. */
static unsigned move_range(struct rpt_view *view, int key)
{
	struct rpt_view_range *range = &view->range;
	uint32_t step = range->block_nr / 20 ? range->block_nr / 20 : 1;

	if (!range->block_nr) {
		rpt_view_say(view, "the samples have no times");
		return 0;
	}
	switch (key) {
	case '[':
		range->first += step;
		if (range->first >= range->end)
			range->first = range->end - 1;
		break;
	case '{':
		range->first -= step < range->first ? step : range->first;
		break;
	case ']':
		range->end = range->end > range->first + step
				     ? range->end - step
				     : range->first + 1;
		break;
	default:
		range->end = range->block_nr - range->end > step
				     ? range->end + step
				     : range->block_nr;
	}
	return RPT_DO_ROWS;
}

/* Return the number at a place that is nearest, from min to max. */
static uint32_t nearest(double place, uint32_t min, uint32_t max)
{
	if (place >= max)
		return max;
	return place <= min ? min : (uint32_t)(place + 0.5);
}

/* Take "1.5,3": seconds since the first sample. */
static unsigned type_range(struct rpt_view *view)
{
	struct rpt_view_range *range = &view->range;
	double from, to, len = range->block_s;
	char end;

	if (!view->text_len) {
		rpt_view_set_blocks(view, range->block_nr, len);
		return RPT_DO_ROWS;
	}
	if (sscanf(view->text, "%lf , %lf %c", &from, &to, &end) != 2 ||
	    !(from >= 0 && to > from && from < len * range->block_nr)) {
		rpt_view_say(view,
			     "FROM,TO: seconds since the first sample, "
			     "up to %.3f",
			     len * range->block_nr);
		return 0;
	}
	range->first = nearest(from / len, 0, range->block_nr - 1);
	range->end = nearest(to / len, range->first + 1, range->block_nr);
	return RPT_DO_ROWS;
}

static unsigned leave_zoom(struct rpt_view *view)
{
	if (!view->zoom_nr && rpt_view_has_range(view)) {
		rpt_view_set_blocks(view, view->range.block_nr,
				    view->range.block_s);
		return RPT_DO_ROWS;
	}
	if (!view->zoom_nr) {
		rpt_view_say(view, "q quits");
		return 0;
	}
	zoom_out(view, view->zoom_nr - 1);
	return RPT_DO_LINES;
}

/* There is one zoom of a kind at most. */
static bool drop_zoom(struct rpt_view *view, enum rpt_zoom_kind kind)
{
	for (uint32_t i = 0; i < view->zoom_nr; i++)
		if (view->zooms[i].kind == kind) {
			zoom_out(view, i);
			return true;
		}
	return false;
}

/* Filters that rows have to pass. */
static const unsigned zoom_bys[] = {
	[RPT_ZOOM_DSO] = RPT_BY_DSO,
	[RPT_ZOOM_TID] = RPT_BY_TASK,
	[RPT_ZOOM_COMM] = RPT_BY_COMM,
	[RPT_ZOOM_SYMBOL] = RPT_BY_SYMBOL,
};

void rpt_view_set_rows(struct rpt_view *view, unsigned by, bool has_chains)
{
	view->by = by;
	view->has_chains = has_chains;
	for (uint32_t i = view->zoom_nr; i; i--)
		if (!(by & zoom_bys[view->zooms[i - 1].kind]))
			zoom_out(view, i - 1);
}

static unsigned zoom(struct rpt_view *view, struct rpt_view_zoom to)
{
	drop_zoom(view, to.kind);
	view->zooms[view->zoom_nr++] = to;
	view->is_held = false;
	rpt_view_list_go(&view->lists[RPT_PAGE_ROWS], 0);
	return RPT_DO_LINES;
}

static unsigned zoom_dso(struct rpt_view *view, const struct rpt_view_row *row)
{
	if (drop_zoom(view, RPT_ZOOM_DSO))
		return RPT_DO_LINES;
	if (!(view->by & RPT_BY_DSO)) {
		rpt_view_say(
			view,
			"rows are not by file: s adds dso to the sort keys");
		return 0;
	}
	if (!row || !row->dso) {
		rpt_view_say(view, "the row is of no file");
		return 0;
	}
	return zoom(view, (struct rpt_view_zoom){ .kind = RPT_ZOOM_DSO,
						  .text = copy(row->dso) });
}

static unsigned zoom_thread(struct rpt_view *view,
			    const struct rpt_view_row *row)
{
	if (drop_zoom(view, RPT_ZOOM_TID) || drop_zoom(view, RPT_ZOOM_COMM))
		return RPT_DO_LINES;
	if (!(view->by & (RPT_BY_TASK | RPT_BY_COMM))) {
		rpt_view_say(
			view,
			"rows are not by thread: s adds comm or pid to the "
			"sort keys");
		return 0;
	}
	if (!row || (!row->comm && !(view->by & RPT_BY_TASK))) {
		rpt_view_say(view, "the thread has no name");
		return 0;
	}
	if (view->by & RPT_BY_TASK)
		return zoom(view, (struct rpt_view_zoom){ .kind = RPT_ZOOM_TID,
							  .tid = row->tid });
	return zoom(view, (struct rpt_view_zoom){ .kind = RPT_ZOOM_COMM,
						  .text = copy(row->comm) });
}

bool rpt_view_is_open(const struct rpt_view *view, uint64_t id)
{
	for (uint32_t i = 0; i < view->open_nr; i++)
		if (view->open[i] == id)
			return !view->are_open;
	return view->are_open;
}

static unsigned toggle_graph(struct rpt_view *view,
			     const struct rpt_view_row *row)
{
	if (!view->has_chains) {
		rpt_view_say(
			view,
			"nothing was recorded with call chains: -g does so");
		return 0;
	}
	if (!row)
		return 0;
	for (uint32_t i = 0; i < view->open_nr; i++)
		if (view->open[i] == row->id) {
			view->open[i] = view->open[--view->open_nr];
			return RPT_DO_LINES;
		}
	if (view->open_nr == RPT_VIEW_OPEN)
		memmove(view->open, view->open + 1,
			--view->open_nr * sizeof(view->open[0]));
	view->open[view->open_nr++] = row->id;
	return RPT_DO_LINES;
}

static unsigned open_all(struct rpt_view *view, bool are_open)
{
	view->are_open = are_open;
	view->open_nr = 0;
	return RPT_DO_LINES;
}

static void ask(struct rpt_view *view, enum rpt_view_prompt prompt,
		const char *text)
{
	view->prompt = prompt;
	view->text_len = strnlen(text, sizeof(view->text) - 1);
	memcpy(view->text, text, view->text_len);
	view->text[view->text_len] = '\0';
}

/* Take what was typed. */
static unsigned answer(struct rpt_view *view)
{
	enum rpt_view_prompt prompt = view->prompt;

	view->prompt = RPT_ASK_NOTHING;
	if (prompt == RPT_ASK_RANGE)
		return type_range(view);
	if (prompt == RPT_ASK_FILE)
		return view->text_len ? RPT_DO_WRITE : 0;
	if (prompt == RPT_ASK_SYMBOL && !view->text_len)
		return drop_zoom(view, RPT_ZOOM_SYMBOL) ? RPT_DO_LINES : 0;
	if (prompt == RPT_ASK_SYMBOL)
		return zoom(view,
			    (struct rpt_view_zoom){ .kind = RPT_ZOOM_SYMBOL,
						    .text = copy(view->text) });
	if (!view->text_len)
		return 0;
	free(view->sort);
	view->sort = copy(view->text);
	return RPT_DO_FRAME;
}

static unsigned type(struct rpt_view *view, int key)
{
	switch (key) {
	case RPT_KEY_ENTER:
		return answer(view);
	case RPT_KEY_ESC:
		view->prompt = RPT_ASK_NOTHING;
		break;
	case CTRL('U'):
		view->text_len = 0;
		break;
	case RPT_KEY_DELETE:
		/* the whole letter, which may have several bytes */
		while (view->text_len &&
		       (view->text[--view->text_len] & 0xc0) == 0x80)
			;
		break;
	default:
		if (key >= ' ' && key < 256 &&
		    view->text_len < sizeof(view->text) - 1)
			view->text[view->text_len++] = (char)key;
	}
	view->text[view->text_len] = '\0';
	return 0;
}

static unsigned pause_frames(struct rpt_view *view)
{
	if (view->is_finished) {
		rpt_view_say(view, "the recording is over: nothing moves");
		return 0;
	}
	view->is_paused = !view->is_paused;
	return view->is_paused ? 0 : RPT_DO_WINDOW;
}

/* Take a key that is of a recording that is over, or of none. */
static unsigned finished_key(struct rpt_view *view, int key)
{
	if (!view->is_finished) {
		rpt_view_say(view, "h shows all keys");
		return 0;
	}
	switch (key) {
	case '[':
	case ']':
	case '{':
	case '}':
		return move_range(view, key);
	case 'r':
		if (view->range.block_nr)
			ask(view, RPT_ASK_RANGE, "");
		return 0;
	case 'w':
		ask(view, RPT_ASK_FILE, "");
		return 0;
	case 'o':
		return RPT_DO_OFF_CPU;
	default:
		rpt_view_say(view, "h shows all keys");
		return 0;
	}
}

static unsigned rows_key(struct rpt_view *view, int key,
			 const struct rpt_view_row *row)
{
	switch (key) {
	case RPT_KEY_ENTER:
	case RPT_KEY_RIGHT:
	case 'a':
		return row ? RPT_DO_CODE : 0;
	case RPT_KEY_ESC:
	case RPT_KEY_LEFT:
		return leave_zoom(view);
	case RPT_KEY_TAB:
		return RPT_DO_EVENT;
	case RPT_KEY_BACK_TAB:
		return RPT_DO_EVENT_BACK;
	case 'd':
		return zoom_dso(view, row);
	case 't':
		return zoom_thread(view, row);
	case 'e':
	case '+':
		return toggle_graph(view, row);
	case 'E':
	case 'C':
		return open_all(view, key == 'E');
	case '/':
		if (view->by & RPT_BY_SYMBOL)
			ask(view, RPT_ASK_SYMBOL, "");
		else
			rpt_view_say(view, "rows are not by function: s adds "
					   "symbol to the sort keys");
		return 0;
	case 's':
		ask(view, RPT_ASK_SORT, view->sort);
		return 0;
	case 'K':
		view->hide.kernel = !view->hide.kernel;
		return RPT_DO_WINDOW;
	case 'U':
		view->hide.user = !view->hide.user;
		return RPT_DO_WINDOW;
	case 'z':
		if (view->is_finished)
			return pause_frames(view);
		view->is_zeroed = !view->is_zeroed;
		return RPT_DO_WINDOW;
	case 'q':
		return RPT_DO_QUIT;
	default:
		return finished_key(view, key);
	}
}

/* Return whether the key leaves a page for the one before. */
static bool is_back(int key)
{
	return key == RPT_KEY_ESC || key == RPT_KEY_LEFT || key == 'q';
}

unsigned rpt_view_key(struct rpt_view *view, int key,
		      const struct rpt_view_row *row)
{
	view->message[0] = '\0';
	if (view->prompt)
		return type(view, key);
	if (key == CTRL('L'))
		return 0;
	if (move(rpt_view_list(view), key)) {
		view->is_held = view->lists[RPT_PAGE_ROWS].at > 0;
		return 0;
	}
	if (key == 'f' || key == 'p')
		return pause_frames(view);
	if (view->page == RPT_PAGE_HELP) {
		view->page = view->former_page;
		return 0;
	}
	if (key == 'h' || key == '?' || key == RPT_KEY_F1) {
		view->former_page = view->page;
		view->page = RPT_PAGE_HELP;
		return 0;
	}
	if (key == 'i' && view->is_finished && view->page != RPT_PAGE_FACTS) {
		view->former_page = view->page;
		view->page = RPT_PAGE_FACTS;
		return 0;
	}
	if (view->page == RPT_PAGE_ROWS)
		return rows_key(view, key, row);
	if (!is_back(key))
		rpt_view_say(view, "q goes back");
	else if (view->page == RPT_PAGE_FACTS)
		view->page = view->former_page;
	else
		view->page = RPT_PAGE_ROWS;
	return 0;
}

void rpt_view_hold(struct rpt_view *view, const struct rpt_view_row *row)
{
	view->at_id = row ? row->id : 0;
}

static bool passes(const struct rpt_view_zoom *zoom,
		   const struct rpt_view_row *row)
{
	switch (zoom->kind) {
	case RPT_ZOOM_DSO:
		return row->dso && !strcmp(row->dso, zoom->text);
	case RPT_ZOOM_TID:
		return row->tid == zoom->tid;
	case RPT_ZOOM_COMM:
		return row->comm && !strcmp(row->comm, zoom->text);
	default:
		return row->symbol && strstr(row->symbol, zoom->text);
	}
}

bool rpt_view_shows(const struct rpt_view *view, const struct rpt_view_row *row)
{
	for (uint32_t i = 0; i < view->zoom_nr; i++)
		if (!passes(&view->zooms[i], row))
			return false;
	return true;
}
