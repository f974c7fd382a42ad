#include "format/support/json_string.h"

#include <string.h>

size_t sup_utf8_len(const char *str, size_t left)
{
	const unsigned char *s = (const unsigned char *)str;
	size_t len = s[0] < 0x80   ? 1
		     : s[0] < 0xc2 ? 0
		     : s[0] < 0xe0 ? 2
		     : s[0] < 0xf0 ? 3
		     : s[0] < 0xf5 ? 4
				   : 0;

	if (!len || len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* longer than needed, surrogates, beyond U+10FFFF */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* Return the length of what needs no escape at the beginning of s. */
static size_t plain_len(struct pd_str s)
{
	size_t i = 0;

	while (i < s.len) {
		const unsigned char c = (unsigned char)s.ptr[i];
		size_t step = c >= 0x80 ? sup_utf8_len(s.ptr + i, s.len - i)
			      : c < ' ' || c == '"' || c == '\\' ? 0
								 : 1;

		if (!step)
			break;
		i += step;
	}
	return i;
}

static size_t put_escape(char *buf, unsigned char c)
{
	static const char letters[][3] = {
		['\b'] = "\\b", ['\f'] = "\\f",	 ['\n'] = "\\n", ['\r'] = "\\r",
		['\t'] = "\\t", ['\\'] = "\\\\", ['"'] = "\\\"",
	};

	if (c >= 0x80)
		return (size_t)snprintf(buf, SUP_JSON_LEN, "\xef\xbf\xbd");
	if (c < sizeof(letters) / sizeof(letters[0]) && letters[c][0])
		return (size_t)snprintf(buf, SUP_JSON_LEN, "%s", letters[c]);
	return (size_t)snprintf(buf, SUP_JSON_LEN, "\\u%04x", c);
}

struct pd_str sup_json_next(struct pd_str *left, char buf[SUP_JSON_LEN])
{
	struct pd_str part = { left->ptr, plain_len(*left) };
	size_t used = part.len;

	if (!used) {
		part.ptr = buf;
		part.len = put_escape(buf, (unsigned char)left->ptr[0]);
		used = 1;
	}
	left->ptr += used;
	left->len -= used;
	return part;
}

void sup_json_print(FILE *out, const char *text)
{
	struct pd_str left = { text, strlen(text) };
	char buf[SUP_JSON_LEN];

	putc('"', out);
	while (left.len) {
		struct pd_str part = sup_json_next(&left, buf);

		fwrite(part.ptr, 1, part.len, out);
	}
	putc('"', out);
}
