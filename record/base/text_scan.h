/* text_scan.h: parse the kernel's text files by hand.
 *
 * A struct rec_text_scan walks text that is not NUL terminated.  Every function
 * returns false and does not move if the text is not what it asks for, so a
 * line is read as one chain of &&.
 */
#ifndef REC_TEXT_SCAN_H
#define REC_TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rec_text_scan {
	const char *at;
	const char *end;
};

static inline bool rec_text_scan_char(struct rec_text_scan *s, char c)
{
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

static inline unsigned rec_text_scan_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
}

/* Read digits of base (10 or 16).  Return false beyond 64 bits, too. */
static inline bool rec_text_scan_number(struct rec_text_scan *s, unsigned base,
					uint64_t *ret)
{
	const char *p = s->at;
	uint64_t v = 0;

	while (p < s->end && rec_text_scan_digit(*p) < base) {
		if (v > (UINT64_MAX - rec_text_scan_digit(*p)) / base)
			return false;
		v = v * base + rec_text_scan_digit(*p++);
	}
	if (p == s->at)
		return false;
	s->at = p;
	*ret = v;
	return true;
}

static inline bool rec_text_scan_hex(struct rec_text_scan *s, uint64_t *ret)
{
	return rec_text_scan_number(s, 16, ret);
}

static inline bool rec_text_scan_dec(struct rec_text_scan *s, uint64_t *ret)
{
	return rec_text_scan_number(s, 10, ret);
}

static inline bool rec_text_scan_dec32(struct rec_text_scan *s, uint32_t *ret)
{
	const char *start = s->at;
	uint64_t v;

	if (!rec_text_scan_dec(s, &v))
		return false;
	if (v > UINT32_MAX) {
		s->at = start;
		return false;
	}
	*ret = (uint32_t)v;
	return true;
}

/* Move over blanks; always true. */
static inline bool rec_text_scan_blanks(struct rec_text_scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
		s->at++;
	return true;
}

/* Set the text up to c, which is consumed but not part of it. */
static inline bool rec_text_scan_until(struct rec_text_scan *s, char c,
				       struct rec_text_scan *ret)
{
	const char *p;

	if (s->at == s->end)
		return false;
	p = memchr(s->at, c, (size_t)(s->end - s->at));
	if (!p)
		return false;
	ret->at = s->at;
	ret->end = p;
	s->at = p + 1;
	return true;
}

/* Read the next line without its newline; the last one need not have one.
 * Return false at the end. */
static inline bool rec_text_scan_line(struct rec_text_scan *s,
				      struct rec_text_scan *ret)
{
	if (s->at == s->end)
		return false;
	if (rec_text_scan_until(s, '\n', ret))
		return true;
	*ret = *s;
	s->at = s->end;
	return true;
}

/* Read the next word: the text before a blank or the end. */
static inline bool rec_text_scan_word(struct rec_text_scan *s,
				      struct rec_text_scan *ret)
{
	rec_text_scan_blanks(s);
	ret->at = s->at;
	while (s->at < s->end && *s->at != ' ' && *s->at != '\t')
		s->at++;
	ret->end = s->at;
	return ret->end > ret->at;
}

static inline size_t rec_text_scan_left(const struct rec_text_scan *s)
{
	return (size_t)(s->end - s->at);
}

static inline bool rec_text_scan_is(const struct rec_text_scan *s,
				    const char *text)
{
	const size_t len = strlen(text);

	return rec_text_scan_left(s) == len && !memcmp(s->at, text, len);
}

/* Return true if a list with commas has that word. */
static inline bool rec_text_scan_has(struct rec_text_scan list,
				     const char *word)
{
	struct rec_text_scan one;

	while (rec_text_scan_until(&list, ',', &one))
		if (rec_text_scan_is(&one, word))
			return true;
	return rec_text_scan_is(&list, word);
}

/* Move over text if it is next. */
static inline bool rec_text_scan_text(struct rec_text_scan *s, const char *text)
{
	const size_t len = strlen(text);

	if (rec_text_scan_left(s) < len || memcmp(s->at, text, len) != 0)
		return false;
	s->at += len;
	return true;
}

#endif
