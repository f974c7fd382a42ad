/* safe_text.h: makes strings out of a file safe for a terminal.
 *
 * perf prints them as they are, so that a file can move the cursor, change the
 * title or type into the terminal.  Control characters
 * other than tab and newline (command lines have those) become "\x1b".
 */
#ifndef RPT_SAFE_TEXT_H
#define RPT_SAFE_TEXT_H

#include "format/base/cursor.h"

#include <stdio.h>

#define RPT_SAFE_LEN 16

/* Return the next part of what is to be written for *left, which is not empty,
 * and cut it off: a part of *left, or an escaped control character in buf. */
struct pd_str rpt_safe_next(struct pd_str *left, char buf[RPT_SAFE_LEN]);

/* Write s with its control characters escaped. */
void rpt_put_safe(FILE *out, struct pd_str s);
/* The same for a NUL-terminated string. */
void rpt_put_safe_text(FILE *out, const char *text);

#endif
