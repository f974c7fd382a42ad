/* safe_text.h: strings out of a file on their way to a terminal.
 *
 * perf prints them as they are; a file could so move the cursor, change the
 * title or type into the terminal of whoever looks at it.  Control characters
 * other than tab and newline (command lines have those) become "\x1b".
 */
#ifndef RPT_SAFE_TEXT_H
#define RPT_SAFE_TEXT_H

#include "format/cursor.h"

#include <stdbool.h>
#include <stdio.h>

#define RPT_SAFE_LEN 16

/* Whether there is no control character in it. */
bool rpt_is_safe(struct pd_str s);

/* The next piece of what is to be written for *left, which is not empty and
 * gets shorter: a part of it, or, in buf, what stands for a control
 * character. */
struct pd_str rpt_safe_next(struct pd_str *left, char buf[RPT_SAFE_LEN]);

void rpt_put_safe(FILE *out, struct pd_str s);
/* NUL-terminated */
void rpt_put_safe_text(FILE *out, const char *text);

#endif
