#include "report/commands/data_json.h"

#include "report/base/json_text.h"

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

void rpt_json_string(struct rpt_json *json, struct pd_str s)
{
	rpt_json_text(&json->text, s.ptr, s.len);
}
