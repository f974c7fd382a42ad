/* screen_text.h: a line of text as it fits a screen.
 *
 * The text may have names out of a recording.  What reaches the terminal is
 * valid UTF-8 without control characters, whatever the text is; a line never
 * takes more columns than it may, also with characters that take two or none.
 */
#ifndef RPT_SCREEN_TEXT_H
#define RPT_SCREEN_TEXT_H

#include "report/base/text_out.h"

/* Append one line, cut to columns.  Tabs become blanks; bytes that are no
 * UTF-8, control characters, and those that turn the direction of text become
 * '?'. Colours ("\33[31m") are copied if has_colour, else left out; the caller
 * has escaped control characters of names (rpt_text.is_safe), so that a colour
 * is not a name's.  Return how many columns were used. */
uint32_t rpt_screen_put(struct rpt_text *out, const char *text, size_t len,
			uint32_t columns, bool has_colour);

#endif
