/* look.h: how text is shown on a terminal: percentages in colours, and names
 * shortened so that lines fit.
 *
 * Both are off in a zeroed struct, as in files and pipes.
 */
#ifndef RPT_LOOK_H
#define RPT_LOOK_H

#include "report/base/text_out.h"

#include <locale.h>

struct rpt_look {
	uint32_t width;	 /* columns of the terminal; 0: names stay whole */
	bool has_colour; /* by escape sequences */
};

#define RPT_COLOUR_END "\33[m"

/* Return the escape sequence that begins the colour of a percentage: perf's are
 * red from 5 on, green above 0.5, whatever its sign.  NULL: it has none. */
const char *rpt_percent_colour(const struct rpt_look *look, double pct);

/* A name is cut in its middle, with three dots there, at the bounds of UTF-8
 * characters.  Names keep at least this much of a line. */
#define RPT_SHORT_LEN 20u

/* Append the name, shortened to width bytes if it is longer.  Return how many
 * bytes were put. */
size_t rpt_text_short(struct rpt_text *text, const char *name, size_t width);

/* Return the name if it has at most width bytes, else put it shortened into buf
 * of width + 1 bytes at least and return that. */
const char *rpt_short_name(const char *name, size_t width, char *buf);

/* Return the locale by which characters are UTF-8; 0: there is none. */
locale_t rpt_look_utf8(void);

/* Return how many columns of the terminal the first len bytes of text take,
 * made safe (safe_text.h): characters of East Asia take two, combining ones
 * none.  In files and pipes it is len, as in perf. */
size_t rpt_look_columns(const struct rpt_look *look, const char *text,
			size_t len);

/* The same as rpt_text_short(), where width and what is returned are such
 * columns. */
size_t rpt_look_short(const struct rpt_look *look, struct rpt_text *text,
		      const char *name, size_t width);

/* Return what is left of a line for a name that begins after used columns. */
size_t rpt_look_room(const struct rpt_look *look, size_t used);

#endif
