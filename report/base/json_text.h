/* json_text.h: writes JSON, and the fields of CSV.
 *
 * The writer puts commas, quotes and escapes; the caller says what stands on a
 * line of its own:
 *
 *	struct rpt_json json = RPT_JSON_INIT(out, "  ");
 *
 *	rpt_json_open(&json, '{');
 *	rpt_json_line(&json, 1);
 *	rpt_json_key(&json, "rows");
 *	rpt_json_open(&json, '[');
 *	rpt_json_u64(&json, 1);
 *	rpt_json_u64(&json, 2);
 *	rpt_json_close(&json, ']');
 *	rpt_json_line(&json, 0);
 *	rpt_json_close(&json, '}');
 *
 * writes
 *
 *	{
 *	  "rows": [1, 2]
 *	}
 *
 * Strings may come from the file (format/support/json_string.h).
 */
#ifndef RPT_JSON_TEXT_H
#define RPT_JSON_TEXT_H

#include "report/base/text_out.h"

struct rpt_json {
	struct rpt_text *out;
	const char *indent;  /* one step of indentation */
	unsigned line_depth; /* 1 + steps of the line that the next item or
			      * bracket begins; 0: it begins none */
	bool is_first;	     /* no comma before the next item */
	bool is_keyed;	     /* the next value belongs to a key */
};

#define RPT_JSON_INIT(text, step)                                  \
	(struct rpt_json)                                          \
	{                                                          \
		.out = (text), .indent = (step), .is_first = true, \
	}

/* Begin a new line, indented by depth steps, before the next item or closing
 * bracket. */
void rpt_json_line(struct rpt_json *json, unsigned depth);

/* Open and close an object or a list; bracket is one of {[ and of ]}. */
void rpt_json_open(struct rpt_json *json, char bracket);
void rpt_json_close(struct rpt_json *json, char bracket);

/* Put the key of an object's next member; its value follows. */
void rpt_json_key(struct rpt_json *json, const char *key);

/* Close on a line of its own. */
static inline void rpt_json_line_close(struct rpt_json *json, unsigned depth,
				       char bracket)
{
	rpt_json_line(json, depth);
	rpt_json_close(json, bracket);
}

/* Put a key on a line of its own. */
static inline void rpt_json_line_key(struct rpt_json *json, unsigned depth,
				     const char *key)
{
	rpt_json_line(json, depth);
	rpt_json_key(json, key);
}

/* Put a value: that of the key before it, or the next one of a list. */
void rpt_json_string(struct rpt_json *json, const char *str, size_t len);
/* Put a string; null if str is NULL. */
void rpt_json_str(struct rpt_json *json, const char *str);
void rpt_json_u64(struct rpt_json *json, uint64_t v);
void rpt_json_int(struct rpt_json *json, int64_t v);
void rpt_json_bool(struct rpt_json *json, bool v);
/* Put all digits of a whole number, or ten of another; null if v is not finite.
 */
void rpt_json_number(struct rpt_json *json, double v);

/* Put a value that is JSON already. */
void rpt_json_raw(struct rpt_json *json, const char *text, size_t len);

/* Put a member: its key and value. */
static inline void rpt_json_member_str(struct rpt_json *json, const char *key,
				       const char *str)
{
	rpt_json_key(json, key);
	rpt_json_str(json, str);
}

static inline void rpt_json_member_u64(struct rpt_json *json, const char *key,
				       uint64_t v)
{
	rpt_json_key(json, key);
	rpt_json_u64(json, v);
}

static inline void rpt_json_member_bool(struct rpt_json *json, const char *key,
					bool v)
{
	rpt_json_key(json, key);
	rpt_json_bool(json, v);
}

static inline void rpt_json_member_number(struct rpt_json *json,
					  const char *key, double v)
{
	rpt_json_key(json, key);
	rpt_json_number(json, v);
}

/* Put a field of CSV in quotes (RFC 4180). */
void rpt_csv_text(struct rpt_text *text, const char *str);
/* As rpt_json_number(); a field stays empty unless the number is finite. */
void rpt_csv_number(struct rpt_text *text, double v);

#endif
