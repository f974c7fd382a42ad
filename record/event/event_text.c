/* event_text.c: find the parts of an event's text. */
#include "record/event/event_text.h"

#include "record/event/event_modifier.h"

#include <string.h>

size_t rec_text_event_len(const char *text)
{
	bool in_terms = false, in_quote = false;
	bool is_mem = strncmp(text, "mem:", 4) == 0;
	size_t len = 0;

	for (; text[len]; len++) {
		char c = text[len];

		if (c == '\'' && in_terms)
			in_quote = !in_quote;
		if (in_quote)
			continue;
		if (c == '/' && !is_mem)
			in_terms = !in_terms;
		if (!in_terms && (c == ',' || c == '{' || c == '}'))
			break;
	}
	while (len > 0 && strchr(" \t\n", text[len - 1]))
		len--;
	return len;
}

const char *rec_text_closing_slash(const char *at, const char *end)
{
	bool in_quote = false;

	for (; at < end; at++) {
		if (*at == '\'')
			in_quote = !in_quote;
		if (*at == '/' && !in_quote)
			return at;
	}
	return NULL;
}

bool rec_text_split_letters(struct rec_text *text, struct rec_text *letters)
{
	const char *colon = memrchr(text->at, ':', text->len);
	size_t left;

	if (!colon)
		return false;
	left = (size_t)(colon - text->at);
	if (!rec_modifier_is(colon + 1, text->len - left - 1))
		return false;
	letters->at = colon + 1;
	letters->len = text->len - left - 1;
	text->len = left;
	return true;
}

struct rec_text rec_text_take_until(struct rec_text *text, const char *seps)
{
	struct rec_text part = { .at = text->at };

	while (part.len < text->len && !strchr(seps, text->at[part.len]))
		part.len++;
	text->at += part.len;
	text->len -= part.len;
	return part;
}

bool rec_text_take_char(struct rec_text *text, char c)
{
	if (text->len == 0 || text->at[0] != c)
		return false;
	text->at++;
	text->len--;
	return true;
}
