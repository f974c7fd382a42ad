#include "report/base/json_text.h"

#include "format/support/json_string.h"

#include <math.h>
#include <string.h>

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
	struct pd_str left = { str, len };
	char buf[SUP_JSON_LEN];

	begin_value(json);
	rpt_text_char(json->out, '"');
	while (left.len) {
		struct pd_str part = sup_json_next(&left, buf);

		rpt_text_put(json->out, part.ptr, part.len);
	}
	rpt_text_char(json->out, '"');
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
