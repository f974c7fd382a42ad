/* screen.h: the whole terminal as a screen that is drawn again and again, and
 * its keys.
 *
 *	rpt_screen_open(&screen, &err)
 *	loop:	poll() screen.key_fd
 *		rpt_screen_read(&screen)	then screen.keys (screen_keys.h)
 *		rpt_screen_heed(&screen)	resized, stopped and continued
 *		rpt_screen_draw(&screen, text, len)
 *	rpt_screen_close(&screen)
 *
 * Keys are read from /dev/tty, since a recording may come on standard input.
 * What was on the terminal is back after rpt_screen_close(), and at any end
 * that this process takes but SIGKILL: out of memory (shortage.h), a signal
 * that a fault sends, SIGQUIT.  Signals that the caller catches are the
 * caller's.  Only one screen can be open.
 */
#ifndef RPT_SCREEN_H
#define RPT_SCREEN_H

#include "format/base/err.h"
#include "report/base/text_out.h"
#include "report/screen/screen_keys.h"

struct rpt_screen {
	int key_fd; /* -1: the screen is closed */
	uint32_t columns;
	uint32_t lines;
	struct rpt_key_reader keys;
	char *drawn; /* the last picture; owned, NULL: all is to be drawn */
	size_t drawn_len;
};

/* Take the terminal of this process.  Return 0; a negative errno if there is
 * none. */
int rpt_screen_open(struct rpt_screen *screen, struct pd_err *err);
/* Give it back.  Safe on a screen that is closed. */
void rpt_screen_close(struct rpt_screen *screen);

/* Read bytes of keys; key_fd is readable.  Return false if the terminal is
 * gone. */
bool rpt_screen_read(struct rpt_screen *screen);

/* Do what signals have asked for since the last call: stop (SIGTSTP; returns
 * when the process goes on), find the new size.  Return whether all has to be
 * drawn anew. */
bool rpt_screen_heed(struct rpt_screen *screen);

/* Draw a picture: lines with "\r\n" between them, each of which sets and resets
 * its own style.  Only those that have changed are written.  Return 0 or a
 * negative errno. */
int rpt_screen_draw(struct rpt_screen *screen, const char *text, size_t len);
/* Draw all lines the next time. */
void rpt_screen_forget(struct rpt_screen *screen);

/* A line of text as it fits a screen.
 *
 * The text may have names out of a recording.  What reaches the terminal is
 * valid UTF-8 without control characters, whatever the text is; a line never
 * takes more columns than it may, also with characters that take two or none.
 */

/* Append one line, cut to columns.  Tabs become blanks; bytes that are no
 * UTF-8, control characters, and those that turn the direction of text become
 * '?'. Colours ("\33[31m") are copied if has_colour, else left out; the caller
 * has escaped control characters of names (rpt_text.is_safe), so that a colour
 * is not a name's.  Return how many columns were used. */
uint32_t rpt_screen_put(struct rpt_text *out, const char *text, size_t len,
			uint32_t columns, bool has_colour);

#endif
