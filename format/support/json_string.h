/* json_string.h: a string of JSON out of any bytes (RFC 8259).
 *
 * Quotes and control characters are escaped, and bytes that are not UTF-8
 * become U+FFFD: names come from files, programs and users.
 */
#ifndef SUP_JSON_STRING_H
#define SUP_JSON_STRING_H

#include "format/base/cursor.h"

#include <stdio.h>

#define SUP_JSON_LEN 8

/* Return the length of the character at str, whose first byte is one of left;
 * 0 if it is not UTF-8. */
size_t sup_utf8_len(const char *str, size_t left);

/* Return the next part of what stands between the quotes for *left, which is
 * not empty, and cut it off: a part of *left, or an escape in buf. */
struct pd_str sup_json_next(struct pd_str *left, char buf[SUP_JSON_LEN]);

/* Print text as a string with its quotes. */
void sup_json_print(FILE *out, const char *text);

#endif
