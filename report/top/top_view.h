/* top_view.h: what keys change of the screen: the cursor, the zoom, open call
 * graphs, prompts.  Nothing here draws or reads a recording.
 *
 *	unsigned todo = rpt_view_key(&view, key, &row)	RPT_DO_*
 *
 * The row that the cursor is on is the caller's to find; rows of different
 * frames are the same if their ids are.
 */
#ifndef RPT_TOP_VIEW_H
#define RPT_TOP_VIEW_H

#include "report/screen/screen_keys.h"
#include "report/top/live_window.h"

#define RPT_VIEW_TEXT_LEN 256u
#define RPT_VIEW_ZOOMS	  4u
#define RPT_VIEW_OPEN	  64u

/* An action that a key asks for beside a new picture. */
enum {
	RPT_DO_LINES = 1 << 0,	/* find the lines again: other rows, graphs */
	RPT_DO_FRAME = 1 << 1,	/* report the same samples again: sort keys */
	RPT_DO_WINDOW = 1 << 2, /* take the window: what it has, has changed */
	RPT_DO_CODE = 1 << 3,	/* show the code of the row */
	RPT_DO_EVENT = 1 << 4,	/* the next event ... */
	RPT_DO_EVENT_BACK = 1 << 5, /* ... the one before */
	RPT_DO_QUIT = 1 << 6,
	RPT_DO_ROWS = 1 << 7,	 /* make the rows of other samples, and lines */
	RPT_DO_WRITE = 1 << 8,	 /* write what is shown to the file text */
	RPT_DO_OFF_CPU = 1 << 9, /* count times without a CPU, or samples */
};

/* Lines of which a part is on the screen. */
struct rpt_view_list {
	uint32_t nr;
	uint32_t height; /* lines of the screen, at least 1 */
	uint32_t at;	 /* the cursor */
	uint32_t first;	 /* the first line on the screen */
};

enum rpt_view_page {
	RPT_PAGE_ROWS,
	RPT_PAGE_CODE,
	RPT_PAGE_HELP,
	RPT_PAGE_FACTS, /* of a recording that is over */
	RPT_PAGES_NR,
};

enum rpt_zoom_kind {
	RPT_ZOOM_DSO,
	RPT_ZOOM_TID,
	RPT_ZOOM_COMM,
	RPT_ZOOM_SYMBOL, /* text is part of its name */
};

struct rpt_view_zoom {
	enum rpt_zoom_kind kind;
	uint32_t tid;
	char *text; /* owned; NULL of a tid */
};

enum rpt_view_prompt {
	RPT_ASK_NOTHING,
	RPT_ASK_SYMBOL,
	RPT_ASK_SORT,
	RPT_ASK_RANGE,
	RPT_ASK_FILE,
};

/* The blocks of time of a recording that is over, and those that are shown. */
struct rpt_view_range {
	uint32_t block_nr; /* 0: there is no time to choose from */
	uint32_t first;
	uint32_t end;	/* behind the last one */
	double block_s; /* how long a block is */
};

/* A row as far as keys need it.  All is borrowed; a name is NULL if it is not
 * known. */
struct rpt_view_row {
	uint64_t id;
	const char *dso;
	const char *symbol;
	const char *comm;
	uint32_t tid;
};

struct rpt_view {
	struct rpt_view_list lists[RPT_PAGES_NR];
	enum rpt_view_page page;
	enum rpt_view_page former_page; /* of the help, of facts */
	/* The row that the cursor stays on when rows move: once it was moved
	 * from the first one. */
	uint64_t at_id;
	bool is_held;
	struct rpt_view_zoom zooms[RPT_VIEW_ZOOMS]; /* the last is undone first
						     */
	uint32_t zoom_nr;
	uint64_t open[RPT_VIEW_OPEN]; /* rows unlike the others ... */
	uint32_t open_nr;
	bool are_open; /* ... whose call graphs are shown */
	enum rpt_view_prompt prompt;
	char text[RPT_VIEW_TEXT_LEN]; /* typed */
	size_t text_len;
	char *sort;	   /* owned; the keys of rows */
	char message[200]; /* until the next key */
	bool is_finished;  /* the recording is over: it does not move */
	struct rpt_view_range range;
	bool is_paused;
	bool is_zeroed;
	struct rpt_live_hide hide;
	unsigned by;	 /* RPT_BY_* of the rows */
	bool has_chains; /* rows may have call graphs */
};

/* Begin with these sort keys. */
void rpt_view_init(struct rpt_view *view, const char *sort);
void rpt_view_release(struct rpt_view *view);

/* Show all of that many blocks, of a recording that is over. */
void rpt_view_set_blocks(struct rpt_view *view, uint32_t block_nr,
			 double block_s);
/* Return whether a part of the blocks is shown. */
bool rpt_view_has_range(const struct rpt_view *view);

/* Show a message until the next key. */
void rpt_view_say(struct rpt_view *view, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return the list of the page that is shown. */
struct rpt_view_list *rpt_view_list(struct rpt_view *view);
/* Give a list that many lines, and as many of the screen; the cursor stays
 * inside. */
void rpt_view_list_set(struct rpt_view_list *list, uint32_t nr,
		       uint32_t height);
/* Move the cursor to a line. */
void rpt_view_list_go(struct rpt_view_list *list, uint32_t at);

/* Take a key; row is the one under the cursor, NULL: there is none.  Return
 * RPT_DO_*. */
unsigned rpt_view_key(struct rpt_view *view, int key,
		      const struct rpt_view_row *row);
/* Note the row that the cursor is on, after a key has moved it. */
void rpt_view_hold(struct rpt_view *view, const struct rpt_view_row *row);

/* Say what rows are of: RPT_BY_*, and whether they may have call graphs.  Zooms
 * by what they are not of any more are undone. */
void rpt_view_set_rows(struct rpt_view *view, unsigned by, bool has_chains);

/* Return whether no zoom hides the row, and whether its call graph is shown. */
bool rpt_view_shows(const struct rpt_view *view,
		    const struct rpt_view_row *row);
bool rpt_view_is_open(const struct rpt_view *view, uint64_t id);

#endif
