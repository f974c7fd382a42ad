#include "report/base/safe_text.h"

#include <string.h>

/* Return the length of the control character at s, or 0.  U+0080 to U+009F
 * control terminals too. */
static size_t control_len(const char *s, size_t left)
{
	unsigned char c = (unsigned char)s[0];

	if ((c < ' ' && c != '\t' && c != '\n') || c == 0x7f)
		return 1;
	if (c == 0xc2 && left > 1 && (unsigned char)s[1] < 0xa0)
		return 2;
	return 0;
}

#define CHUNK_LEN 64

/* Return whether CHUNK_LEN bytes are ASCII without control characters.  The
 * loop has no branch, so that compilers vectorise it. */
static bool is_plain_ascii(const char *s)
{
	uint8_t found = 0;

	for (size_t i = 0; i < CHUNK_LEN; i++) {
		uint8_t c = (uint8_t)s[i];

		found |= ((uint8_t)(c - ' ') >= 0x7f - ' ') &
			 ((uint8_t)(c - '\t') > '\n' - '\t');
	}
	return !found;
}

/* Return how many bytes stand in front of the first control character. */
static size_t plain_len(struct pd_str s)
{
	size_t i = 0;

	while (i < s.len) {
		size_t end = s.len - i < CHUNK_LEN ? s.len : i + CHUNK_LEN;

		if (end - i == CHUNK_LEN && is_plain_ascii(s.ptr + i)) {
			i = end;
			continue;
		}
		for (; i < end; i++) {
			if (control_len(s.ptr + i, s.len - i))
				return i;
		}
	}
	return i;
}

struct pd_str rpt_safe_next(struct pd_str *left, char buf[RPT_SAFE_LEN])
{
	struct pd_str part = { left->ptr, plain_len(*left) };
	size_t len = part.len;

	if (!len) {
		len = control_len(left->ptr, left->len);
		part.ptr = buf;
		for (size_t i = 0; i < len; i++)
			part.len += (size_t)snprintf(
				buf + part.len, RPT_SAFE_LEN - part.len,
				"\\x%02x", (unsigned char)left->ptr[i]);
	}
	left->ptr += len;
	left->len -= len;
	return part;
}

void rpt_put_safe(FILE *out, struct pd_str s)
{
	char buf[RPT_SAFE_LEN];

	while (s.len) {
		struct pd_str part = rpt_safe_next(&s, buf);

		fwrite(part.ptr, 1, part.len, out);
	}
}

void rpt_put_safe_text(FILE *out, const char *text)
{
	rpt_put_safe(out, (struct pd_str){ text, strlen(text) });
}
