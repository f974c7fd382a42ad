#include "report/top/top_screen.h"

#include "format/support/terminal.h"
#include "report/base/memory.h"
#include "report/screen/screen.h"
#include "report/top/top.h"
#include "report/top/top_picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CTRL_L	  0x0c
#define ESCAPE_NS UINT64_C(50000000)

static char *copy(const char *text)
{
	return rpt_alloc_text(text, strlen(text));
}

/* Return the sort keys of the rows; of a file there are some without -s. */
static const char *shown_sort(const struct rpt_top_screen *at)
{
	return at->sort ? at->sort : "comm,dso,symbol";
}

/* Keep the line of rates, which is of the window as it is now. */
static void set_head(struct rpt_top_screen *at)
{
	at->head->heap.len = 0;
	if (at->view.is_finished)
		rpt_finished_put_head(at->top, &at->head->text);
	else
		rpt_top_put_head(at->top, rpt_top_now(), &at->head->text);
	rpt_text_flush(&at->head->text);
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

/* Return what is shown of a recording that is over; a window has nothing else.
 */
static struct rpt_stack_choice choice_of(const struct rpt_view *view)
{
	if (!view->is_finished)
		return (struct rpt_stack_choice){ 0 };
	return (struct rpt_stack_choice){
		.first_block = view->range.first,
		.end_block = view->range.end,
		.no_kernel = view->hide.kernel,
		.no_user = view->hide.user,
	};
}

/* Find the lines of the frame.  The cursor stays on its row if it was moved
 * there. */
static void make_lines(struct rpt_top_screen *at, bool are_same_rows)
{
	struct rpt_live_report *live = &at->top->live;
	struct rpt_view_list *list = &at->view.lists[RPT_PAGE_ROWS];
	uint32_t line;

	if (!rpt_live_report_event_nr(live)) {
		at->lines.nr = 0;
		rpt_top_picture_fit(at);
		return;
	}
	if (!are_same_rows) {
		live->report->profile.conf.shown = choice_of(&at->view);
		/* a mark stands in front of each row */
		rpt_live_report_choose(live, at->event, at->screen.columns - 1);
		rpt_view_set_rows(&at->view, live->rows.conf.keys.by,
				  live->rows.conf.chains);
	}
	rpt_top_lines_make(&at->lines, live, &at->view, &at->top->args->view);
	rpt_top_picture_fit(at);
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
	rpt_top_picture_fit(at);
}

/* Take over the blocks of a recording that is over; a range of the same ones
 * stays. */
static void set_blocks(struct rpt_top_screen *at)
{
	const struct rpt_time_blocks *blocks = &at->top->live.report->blocks;

	if (blocks->nr != at->view.range.block_nr)
		rpt_view_set_blocks(&at->view, blocks->nr,
				    (double)blocks->len_ns / 1e9);
}

/* Find what the picture shows of a frame that was read. */
static void show_frame(struct rpt_top_screen *at, bool is_new)
{
	at->event = event_to_show(at, 0);
	make_lines(at, false);
	make_code(at);
	if (is_new)
		set_head(at);
}

static int read_frame(struct rpt_top_screen *at, bool is_again,
		      struct pd_err *err)
{
	struct rpt_top *top = at->top;
	int rc;

	if (top->is_finished) {
		rc = rpt_live_report_read(&top->live, &at->report, err);
		set_blocks(at);
		return rc;
	}
	if (is_again)
		return rpt_live_report_again(&top->live, &at->report,
					     &top->names, err);
	return rpt_live_report_make(&top->live, &at->report, &top->names,
				    &top->window, &at->view.hide, err);
}

/* Report the window, or the samples of the last frame again.  Sort keys that
 * the recording does not have are those of before. */
static int make_frame(struct rpt_top_screen *at, bool is_again,
		      struct pd_err *err)
{
	struct rpt_top *top = at->top;
	char *sort = at->sort;
	int rc;

	if (!top->is_finished && !rpt_live_window_events(&top->window))
		return 0;
	if (is_again) {
		sort = copy(at->view.sort);
		at->report.columns.sort = sort;
	}
	rc = read_frame(at, is_again, err);
	if (rc && is_again && rc != -ENOMEM) {
		rpt_view_say(&at->view, "%s", err->text);
		free(sort);
		free(at->view.sort);
		at->report.columns.sort = at->sort;
		at->view.sort = copy(shown_sort(at));
		err->code = 0;
		rc = read_frame(at, is_again, err);
	} else if (is_again) {
		free(at->sort);
		at->sort = sort;
	}
	if (rc)
		return rc;
	show_frame(at, !is_again);
	return 0;
}

int rpt_top_screen_open(struct rpt_top_screen *at, struct rpt_top *top,
			struct pd_err *err)
{
	const struct rpt_top_args *args = top->args;
	int rc;

	*at = (struct rpt_top_screen){
		.top = top,
		.report = args->report,
		.facts = at->facts,
	};
	if (args->report.columns.sort)
		at->sort = copy(args->report.columns.sort);
	at->report.columns.sort = at->sort;
	rpt_view_init(&at->view, shown_sort(at));
	at->view.is_finished = top->is_finished;
	at->view.hide.kernel = args->view.hide_kernel;
	at->view.hide.user = args->view.hide_user;
	at->view.is_zeroed = args->view.is_zeroed;
	at->code.is_coloured = sup_terminal()->has_colour;
	at->text = rpt_text_string_new();
	at->head = rpt_text_string_new();
	at->head->text.is_safe = true;
	set_head(at);
	rc = rpt_screen_open(&at->screen, err);
	if (rc)
		return rc;
	if (top->is_finished) {
		set_blocks(at);
		show_frame(at, true);
		if (!at->lines.nr)
			rpt_view_say(&at->view, "no sample passes the filters");
		else if (top->has_warnings)
			rpt_view_say(&at->view,
				     "there are warnings: i shows them");
	} else {
		rpt_view_say(&at->view, "collecting samples ...");
	}
	rpt_top_picture_draw(at);
	return 0;
}

void rpt_top_screen_close(struct rpt_top_screen *at)
{
	if (!at->text)
		return;
	rpt_screen_close(&at->screen);
	rpt_view_release(&at->view);
	rpt_top_lines_release(&at->lines);
	rpt_top_code_release(&at->code);
	rpt_top_code_release(&at->facts);
	rpt_text_string_free(at->text);
	rpt_text_string_free(at->head);
	free(at->sort);
	at->text = NULL;
	at->sort = NULL;
}

int rpt_top_screen_turn(struct rpt_top_screen *at, struct pd_err *err)
{
	int rc = 0;

	if (!at->top->frame_nr)
		at->view.message[0] = '\0';
	if (!at->view.is_paused)
		rc = make_frame(at, false, err);
	if (!rc)
		rpt_top_picture_draw(at);
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
		rpt_top_picture_fit(at);
		rpt_view_list_go(&at->view.lists[RPT_PAGE_CODE],
				 at->code.hottest);
		return;
	}
	rpt_view_say(&at->view, "%s", is_chosen ? err.text : why);
}

/* Count times without a CPU, or samples again.  Each has its event. */
static int toggle_off_cpu(struct rpt_top_screen *at, struct pd_err *err)
{
	bool *is_off_cpu = &at->report.switches.off_cpu;
	uint32_t event = at->event;
	int rc;

	*is_off_cpu = !*is_off_cpu;
	at->event = at->other_event;
	rc = make_frame(at, false, err);
	if (!rc || rc == -ENOMEM) {
		at->other_event = event;
		return rc;
	}
	rpt_view_say(&at->view, "%s", err->text);
	err->code = 0;
	*is_off_cpu = !*is_off_cpu;
	at->event = event;
	return 0;
}

static int act(struct rpt_top_screen *at, unsigned todo, struct pd_err *err)
{
	struct rpt_top *top = at->top;
	int rc = 0;

	if (todo & RPT_DO_QUIT)
		top->is_ended = true;
	if (todo & RPT_DO_WRITE) {
		rpt_finished_write_file(top, at->view.text);
	} else if (todo & RPT_DO_OFF_CPU) {
		rc = toggle_off_cpu(at, err);
	} else if (todo & RPT_DO_WINDOW && top->is_finished) {
		make_lines(at, false);
	} else if (todo & RPT_DO_WINDOW) {
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
		make_lines(at, false);
		set_head(at);
	} else if (todo & (RPT_DO_LINES | RPT_DO_ROWS)) {
		make_lines(at, !(todo & RPT_DO_ROWS));
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
		make_lines(at, false);
	}
	while (!rc && !at->top->is_ended &&
	       (key = next_key(at)) != RPT_KEY_NONE) {
		struct rpt_view_row names;
		const struct rpt_view_row *row = row_at(at, &names);

		if (key == CTRL_L)
			rpt_screen_forget(&at->screen);
		rc = act(at, rpt_view_key(&at->view, key, row), err);
		if (!rc && at->view.is_held)
			rpt_view_hold(&at->view, row_at(at, &names));
		is_changed = true;
	}
	if (is_changed && !rc && !at->top->is_ended)
		rpt_top_picture_draw(at);
	return rc;
}
