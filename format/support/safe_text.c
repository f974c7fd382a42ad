#include "format/support/safe_text.h"

#include "format/support/json_string.h"

#include <stdlib.h>
#include <string.h>

/* The kinds are as many as the characters from tab on that stay. */
_Static_assert(SUP_SAFE_LINE == 1 && SUP_SAFE_LINES == 2 && '\n' == '\t' + 1,
	       "kinds count tab and newline");

static bool is_unsafe(uint32_t c)
{
	return c < ' ' || (c >= 0x7f && c <= 0x9f) || c == 0x61c ||
	       c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

/* Return the code point of a character of UTF-8. */
static uint32_t code_point(const unsigned char *s, size_t len)
{
	uint32_t c = len == 1 ? s[0] : s[0] & (0x7fu >> len);

	for (size_t i = 1; i < len; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

/* Return the length of the character at s, or of what is none; *ret_is_safe
 * tells whether it is written as it is. */
static size_t char_len(const char *s, size_t left, enum sup_safe kind,
		       bool *ret_is_safe)
{
	size_t len = sup_utf8_len(s, left);

	*ret_is_safe =
		len && (!is_unsafe(code_point((const unsigned char *)s, len)) ||
			(*s >= '\t' && *s < '\t' + (int)kind));
	return len ? len : 1;
}

#define CHUNK_LEN 64

/* Return whether CHUNK_LEN bytes are ASCII that is written as it is.  The loop
 * has no branch, so that compilers vectorise it. */
static bool is_plain_ascii(const char *s, enum sup_safe kind)
{
	uint8_t found = 0, kept_nr = (uint8_t)kind;

	for (size_t i = 0; i < CHUNK_LEN; i++) {
		uint8_t c = (uint8_t)s[i];

		found |= ((uint8_t)(c - ' ') >= 0x7f - ' ') &
			 ((uint8_t)(c - '\t') >= kept_nr);
	}
	return !found;
}

/* Return whether 8 bytes are ASCII from ' ' to '~'; it may be false though they
 * are, if an earlier byte is not. */
static bool are_printable(const char *s)
{
	const uint64_t ones = UINT64_MAX / UINT8_MAX;
	uint64_t word;

	memcpy(&word, s, sizeof(word));
	return !(((word - ' ' * ones) | (word + ones) | word) & 0x80 * ones);
}

/* Return how many bytes at the beginning of s are written as they are. */
static size_t plain_len(struct pd_str s, enum sup_safe kind)
{
	size_t i = 0;

	while (i < s.len) {
		size_t end = s.len - i < CHUNK_LEN ? s.len : i + CHUNK_LEN;

		if (end - i == CHUNK_LEN && is_plain_ascii(s.ptr + i, kind)) {
			i = end;
			continue;
		}
		while (i < end) {
			bool is_safe;
			size_t len;

			/* most names are short, and are ASCII */
			if (end - i >= 8 && are_printable(s.ptr + i)) {
				i += 8;
				continue;
			}
			if ((uint8_t)(s.ptr[i] - ' ') < 0x7f - ' ') {
				i++;
				continue;
			}
			len = char_len(s.ptr + i, s.len - i, kind, &is_safe);
			if (!is_safe)
				return i;
			i += len;
		}
	}
	return i;
}

struct pd_str sup_safe_next(struct pd_str *left, enum sup_safe kind,
			    char buf[SUP_SAFE_LEN])
{
	static const char hex[] = "0123456789abcdef";
	struct pd_str part = { left->ptr, plain_len(*left, kind) };
	size_t len = part.len;
	bool is_safe;

	if (!len) {
		len = char_len(left->ptr, left->len, kind, &is_safe);
		part = (struct pd_str){ buf, 4 * len };
		for (size_t i = 0; i < len; i++) {
			unsigned char c = (unsigned char)left->ptr[i];

			buf[4 * i] = '\\';
			buf[4 * i + 1] = 'x';
			buf[4 * i + 2] = hex[c >> 4];
			buf[4 * i + 3] = hex[c & 0xf];
		}
	}
	left->ptr += len;
	left->len -= len;
	return part;
}

bool sup_is_safe(struct pd_str s, enum sup_safe kind)
{
	return plain_len(s, kind) == s.len;
}

size_t sup_cut_len(struct pd_str s)
{
	for (size_t i = 1; i <= 3 && i <= s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[s.len - i];
		size_t len = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

		if ((c & 0xc0) != 0x80)
			return len > i ? i : 0;
	}
	return 0;
}

void sup_put_safe(FILE *out, struct pd_str s)
{
	char buf[SUP_SAFE_LEN];

	while (s.len) {
		struct pd_str part = sup_safe_next(&s, SUP_SAFE_NAME, buf);

		fwrite(part.ptr, 1, part.len, out);
	}
}

void sup_put_safe_text(FILE *out, const char *text)
{
	sup_put_safe(out, (struct pd_str){ text, strlen(text) });
}

char *sup_safe_copy(struct pd_str s, enum sup_safe kind)
{
	char buf[SUP_SAFE_LEN], *copy, *at;

	if (s.len > (SIZE_MAX - 1) / 4)
		return NULL;
	at = copy = malloc(sup_is_safe(s, kind) ? s.len + 1 : 4 * s.len + 1);
	if (!copy)
		return NULL;
	while (s.len) {
		struct pd_str part = sup_safe_next(&s, kind, buf);

		memcpy(at, part.ptr, part.len);
		at += part.len;
	}
	*at = '\0';
	return copy;
}

bool sup_is_plain_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ/._-+,@%=";

	return !word[strspn(word, plain)];
}
