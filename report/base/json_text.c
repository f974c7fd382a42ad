#include "report/base/json_text.h"

#include <math.h>

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

void rpt_json_text(struct rpt_text *text, const char *str, size_t len)
{
	const unsigned char *p = (const unsigned char *)str;

	rpt_text_char(text, '"');
	for (size_t i = 0; i < len;) {
		size_t step = 1;

		if (p[i] >= 0x80) {
			step = utf8_len(p + i, len - i);
			if (step)
				rpt_text_put(text, str + i, step);
			else
				rpt_text_str(text, "\xef\xbf\xbd");
		} else if (p[i] < ' ' || p[i] == '"' || p[i] == '\\') {
			put_escape(text, p[i]);
		} else {
			rpt_text_char(text, str[i]);
		}
		i += step ? step : 1;
	}
	rpt_text_char(text, '"');
}

void rpt_json_number(struct rpt_text *text, double v)
{
	bool is_count = v == trunc(v) && fabs(v) < 0x1p53;

	if (isfinite(v))
		rpt_text_format(text, is_count ? "%.0f" : "%.10g", v);
	else
		rpt_text_str(text, "null");
}

void rpt_csv_text(struct rpt_text *text, const char *str)
{
	rpt_text_char(text, '"');
	for (; *str; str++) {
		if (*str == '"')
			rpt_text_char(text, '"');
		rpt_text_char(text, *str);
	}
	rpt_text_char(text, '"');
}
