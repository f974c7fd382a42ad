/* event_text.h: split the text of -e. */
#ifndef REC_EVENT_TEXT_H
#define REC_EVENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct rec_text {
	const char *at;
	size_t len;
};

/* Return the length up to the ',', '{' or '}' that ends the event at text,
 * without blanks before it; commas between slashes, and all between quotes,
 * belong to the event. */
size_t rec_text_event_len(const char *text);

/* Return the slash that ends the terms, outside quotes; NULL: none. */
const char *rec_text_closing_slash(const char *at, const char *end);

/* Take ":letters" off the end of text.  Return false if there are none. */
bool rec_text_split_letters(struct rec_text *text, struct rec_text *letters);

/* Take the text before the first of seps off the front. */
struct rec_text rec_text_take_until(struct rec_text *text, const char *seps);

/* Take c off the front if it is there. */
bool rec_text_take_char(struct rec_text *text, char c);

#endif
