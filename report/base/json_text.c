#include "report/base/json_text.h"

#include <math.h>
#include <string.h>

size_t rpt_utf8_len(const char *str, size_t left)
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
static size_t plain_len(const unsigned char *s, size_t len)
{
	size_t i = 0;

	while (i < len) {
		size_t step = s[i] >= 0x80 ? rpt_utf8_len((const char *)s + i,
							  len - i)
			      : s[i] < ' ' || s[i] == '"' || s[i] == '\\' ? 0
									  : 1;

		if (!step)
			break;
		i += step;
	}
	return i;
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

/* Put all digits of a whole number, or ten of another. */
static void put_number(struct rpt_text *text, double v)
{
	bool is_whole = v == trunc(v) && fabs(v) < 0x1p53;

	rpt_text_format(text, is_whole ? "%.0f" : "%.10g", v);
}

static void begin_line(struct rpt_json *json)
{
	rpt_text_char(json->out, '\n');
	while (--json->line_depth)
		rpt_text_str(json->out, json->indent);
}

/* Put what separates the next value from the item before it. */
static void begin_value(struct rpt_json *json)
{
	if (json->is_keyed) {
		json->is_keyed = false;
		return;
	}
	if (!json->is_first)
		rpt_text_char(json->out, ',');
	if (json->line_depth)
		begin_line(json);
	else if (!json->is_first)
		rpt_text_char(json->out, ' ');
	json->is_first = false;
}

void rpt_json_line(struct rpt_json *json, unsigned depth)
{
	json->line_depth = depth + 1;
}

void rpt_json_open(struct rpt_json *json, char bracket)
{
	begin_value(json);
	rpt_text_char(json->out, bracket);
	json->is_first = true;
}

void rpt_json_close(struct rpt_json *json, char bracket)
{
	if (json->line_depth)
		begin_line(json);
	rpt_text_char(json->out, bracket);
	json->is_first = false;
}

void rpt_json_key(struct rpt_json *json, const char *key)
{
	rpt_json_str(json, key);
	rpt_text_str(json->out, ": ");
	json->is_keyed = true;
}

void rpt_json_string(struct rpt_json *json, const char *str, size_t len)
{
	const unsigned char *p = (const unsigned char *)str;
	struct rpt_text *text = json->out;
	size_t step;

	begin_value(json);
	rpt_text_char(text, '"');
	for (size_t i = 0; i < len; i += step) {
		step = plain_len(p + i, len - i);
		if (step) {
			rpt_text_put(text, str + i, step);
		} else if (p[i] < 0x80) {
			put_escape(text, p[i]);
			step = 1;
		} else {
			rpt_text_str(text, "\xef\xbf\xbd");
			step = 1;
		}
	}
	rpt_text_char(text, '"');
}

void rpt_json_str(struct rpt_json *json, const char *str)
{
	if (str) {
		rpt_json_string(json, str, strlen(str));
		return;
	}
	begin_value(json);
	rpt_text_str(json->out, "null");
}

void rpt_json_raw(struct rpt_json *json, const char *text, size_t len)
{
	begin_value(json);
	rpt_text_put(json->out, text, len);
}

void rpt_json_u64(struct rpt_json *json, uint64_t v)
{
	begin_value(json);
	rpt_text_dec(json->out, v, 0);
}

void rpt_json_int(struct rpt_json *json, int64_t v)
{
	begin_value(json);
	rpt_text_int(json->out, v, 0);
}

void rpt_json_bool(struct rpt_json *json, bool v)
{
	begin_value(json);
	rpt_text_str(json->out, v ? "true" : "false");
}

void rpt_json_number(struct rpt_json *json, double v)
{
	begin_value(json);
	if (isfinite(v))
		put_number(json->out, v);
	else
		rpt_text_str(json->out, "null");
}

void rpt_csv_number(struct rpt_text *text, double v)
{
	if (isfinite(v))
		put_number(text, v);
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
