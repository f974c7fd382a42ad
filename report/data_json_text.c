#include "report/data_json.h"

static void line(struct rpt_json *json, unsigned depth)
{
	rpt_text_char(&json->text, '\n');
	while (depth--)
		rpt_text_char(&json->text, '\t');
}

void rpt_json_item(struct rpt_json *json, unsigned depth)
{
	if (!json->is_first)
		rpt_text_char(&json->text, ',');
	json->is_first = false;
	line(json, depth);
}

void rpt_json_key(struct rpt_json *json, unsigned depth, const char *key)
{
	rpt_json_item(json, depth);
	rpt_text_char(&json->text, '"');
	rpt_text_str(&json->text, key);
	rpt_text_str(&json->text, "\": ");
}

void rpt_json_u64(struct rpt_json *json, unsigned depth, const char *key,
		  uint64_t v)
{
	rpt_json_key(json, depth, key);
	rpt_text_dec(&json->text, v, 0);
}

void rpt_json_open(struct rpt_json *json, char bracket)
{
	rpt_text_char(&json->text, bracket);
	json->is_first = true;
}

void rpt_json_close(struct rpt_json *json, unsigned depth, char bracket)
{
	line(json, depth);
	rpt_text_char(&json->text, bracket);
	json->is_first = false;
}

/* The length of a character of UTF-8 beyond ASCII; 0: it is none. */
static size_t utf8_len(const unsigned char *s, size_t left)
{
	size_t len = s[0] < 0xc2   ? 0
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

static void put_escape(struct rpt_text *text, unsigned char c)
{
	static const char letters[][3] = {
		['\b'] = "\\b", ['\f'] = "\\f",	 ['\n'] = "\\n", ['\r'] = "\\r",
		['\t'] = "\\t", ['\\'] = "\\\\", ['"'] = "\\\"",
	};
	char code[8];

	if (c < sizeof(letters) / sizeof(letters[0]) && letters[c][0]) {
		rpt_text_str(text, letters[c]);
		return;
	}
	snprintf(code, sizeof(code), "\\u%04x", c);
	rpt_text_str(text, code);
}

void rpt_json_string(struct rpt_json *json, struct pd_str s)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	struct rpt_text *text = &json->text;

	rpt_text_char(text, '"');
	for (size_t i = 0; i < s.len;) {
		size_t len = 1;

		if (p[i] >= 0x80) {
			len = utf8_len(p + i, s.len - i);
			if (len)
				rpt_text_put(text, s.ptr + i, len);
			else
				rpt_text_str(text, "\xef\xbf\xbd");
		} else if (p[i] < ' ' || p[i] == '"' || p[i] == '\\') {
			put_escape(text, p[i]);
		} else {
			rpt_text_char(text, s.ptr[i]);
		}
		i += len ? len : 1;
	}
	rpt_text_char(text, '"');
}
