/* safe_text.h: strings out of files, programs and users, made safe to print:
 * the one rule for every output of both programs.
 *
 * perf prints them as they are, so that the name of a thread, a file or a
 * function can move the cursor, type into the terminal, or add a row of its own
 * by a newline.  Here each byte of these becomes "\x1b":
 *   control characters: U+0000 to U+001F, U+007F to U+009F
 *   separators of lines and paragraphs: U+2028, U+2029
 *   marks that turn the direction of text: U+061C, U+200E, U+200F, U+202A to
 *	U+202E, U+2066 to U+2069 (Unicode Standard Annex 9)
 *   what is not UTF-8
 * All else is printed as it is.  Text of several lines is what we laid out: the
 * names in it were made safe when they were put there.
 */
#ifndef SUP_SAFE_TEXT_H
#define SUP_SAFE_TEXT_H

#include "format/base/cursor.h"

#include <stdbool.h>
#include <stdio.h>

enum sup_safe {
	SUP_SAFE_NAME,
	SUP_SAFE_LINE,	/* a line of text: tabs stay */
	SUP_SAFE_LINES, /* newlines stay, too */
};

#define SUP_SAFE_LEN 16

/* Return the next part of what is to be written for *left, which is not empty,
 * and cut it off: a part of *left, or an escaped character in buf. */
struct pd_str sup_safe_next(struct pd_str *left, enum sup_safe kind,
			    char buf[SUP_SAFE_LEN]);

/* Return whether s is written as it is. */
bool sup_is_safe(struct pd_str s, enum sup_safe kind);

/* Return how many bytes at the end of s begin a character of UTF-8 that is
 * longer: 0 to 3. */
size_t sup_cut_len(struct pd_str s);

/* Write a name. */
void sup_put_safe(FILE *out, struct pd_str s);
/* The same for a NUL-terminated one. */
void sup_put_safe_text(FILE *out, const char *text);

/* Return s as it is written, NUL-terminated; the caller frees it.  NULL: out of
 * memory. */
char *sup_safe_copy(struct pd_str s, enum sup_safe kind);

/* Return whether a shell, and one on another host behind it, take the word as
 * it is. */
bool sup_is_plain_word(const char *word);

#endif
