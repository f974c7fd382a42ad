/* event_terms.c: general terms of an event. */
#include "record/event/event_terms.h"

#include "record/event/attr_config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))

enum { VALUE_MAX_LEN = 128 };

int rec_number_parse(const char *text, size_t len, uint64_t *ret)
{
	char buf[32];
	char *end;

	if (len == 0 || len >= sizeof(buf))
		return -EINVAL;
	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	memcpy(buf, text, len);
	buf[len] = '\0';
	errno = 0;
	*ret = strtoull(buf, &end, 0);
	if (errno == ERANGE)
		return -ERANGE;
	return end == buf + len ? 0 : -EINVAL;
}

bool rec_term_is(const struct rec_term *term, const char *key)
{
	return strlen(key) == term->key_len &&
	       memcmp(key, term->key, term->key_len) == 0;
}

static int quoted_value(const char *at, const char *end, struct rec_term *ret,
			struct pd_err *err)
{
	const char *close = memchr(at + 1, '\'', (size_t)(end - at - 1));

	if (!close || (close + 1 < end && close[1] != ','))
		return pd_err_set(err, -EINVAL,
				  "quote of term '%.*s' does not end",
				  (int)ret->key_len, ret->key);
	ret->val = at + 1;
	ret->val_len = (size_t)(close - ret->val);
	return (int)(close + 1 - at);
}

/* "key" or "key=value" up to a comma; *ret_used: its bytes without that. */
static int term_split(const char *text, size_t len, struct rec_term *ret,
		      size_t *ret_used, struct pd_err *err)
{
	const char *end = text + len;
	const char *at = text;
	int used;

	*ret = (struct rec_term){ .key = text };
	while (at < end && *at != ',' && *at != '=')
		at++;
	ret->key_len = (size_t)(at - text);
	if (at < end && *at == '=') {
		at++;
		if (at < end && *at == '\'') {
			used = quoted_value(at, end, ret, err);
			if (used < 0)
				return used;
			at += used;
		} else {
			ret->val = at;
			while (at < end && *at != ',')
				at++;
			ret->val_len = (size_t)(at - ret->val);
		}
	}
	*ret_used = (size_t)(at - text);
	return 0;
}

int rec_term_next(const char **text, size_t *len, struct rec_term *ret,
		  struct pd_err *err)
{
	size_t used;
	int code;

	if (*len == 0)
		return 0;
	code = term_split(*text, *len, ret, &used, err);
	if (code)
		return code;
	if (ret->key_len == 0)
		return pd_err_set(err, -EINVAL, "empty term");
	if (used < *len) {
		used++; /* the comma */
		if (used == *len)
			return pd_err_set(err, -EINVAL,
					  "no term behind the last comma");
	}
	*text += used;
	*len -= used;
	return 1;
}

int rec_term_u64(const struct rec_term *term, uint64_t *ret, struct pd_err *err)
{
	int code;

	*ret = 1;
	if (!term->val)
		return 0;
	code = rec_number_parse(term->val, term->val_len, ret);
	if (code)
		return pd_err_set(err, code, "term '%.*s' is no number: '%.*s'",
				  (int)term->key_len, term->key,
				  (int)term->val_len, term->val);
	return 0;
}

static int flag_value(const struct rec_term *term, bool *ret,
		      struct pd_err *err)
{
	uint64_t num;
	int code = rec_term_u64(term, &num, err);

	if (code)
		return code;
	if (num > 1)
		return pd_err_set(err, -EINVAL, "term '%.*s' takes 0 or 1",
				  (int)term->key_len, term->key);
	*ret = num != 0;
	return 0;
}

static int text_value(const struct rec_term *term, char *buf,
		      struct pd_err *err)
{
	if (!term->val || term->val_len == 0)
		return pd_err_set(err, -EINVAL, "term '%.*s' needs a text",
				  (int)term->key_len, term->key);
	if (term->val_len >= VALUE_MAX_LEN)
		return pd_err_set(err, -EINVAL, "term '%.*s' is too long",
				  (int)term->key_len, term->key);
	memcpy(buf, term->val, term->val_len);
	buf[term->val_len] = '\0';
	return 0;
}

static int set_config(struct rec_event *event, const struct rec_term *term,
		      struct pd_err *err)
{
	uint64_t num;
	int code = rec_term_u64(term, &num, err);

	if (code)
		return code;
	if (rec_term_is(term, "config"))
		event->attr.sys.config = num;
	else if (rec_term_is(term, "config1"))
		event->attr.sys.config1 = num;
	else if (rec_term_is(term, "config2"))
		event->attr.sys.config2 = num;
	else
		rec_attr_set_config3(&event->attr, num);
	return 0;
}

static int set_name(struct rec_event *event, const struct rec_term *term,
		    struct pd_err *err)
{
	char buf[VALUE_MAX_LEN];
	int code = text_value(term, buf, err);
	char *name;

	if (code)
		return code;
	name = strdup(buf);
	if (!name)
		return pd_err_set(err, -ENOMEM, "out of memory");
	free(event->name);
	event->name = name;
	event->terms.set |= REC_TERM_NAME;
	return 0;
}

/* period and freq: the last one counts. */
static int set_rate(struct rec_event *event, const struct rec_term *term,
		    struct pd_err *err)
{
	bool is_freq = rec_term_is(term, "freq");
	uint64_t num;
	int code = rec_term_u64(term, &num, err);

	if (code)
		return code;
	event->terms.set &= ~(unsigned)(REC_TERM_PERIOD | REC_TERM_FREQ);
	event->terms.set |= is_freq ? REC_TERM_FREQ : REC_TERM_PERIOD;
	if (is_freq)
		event->terms.freq_hz = num;
	else
		event->terms.period = num;
	return 0;
}

static int set_time(struct rec_event *event, const struct rec_term *term,
		    struct pd_err *err)
{
	event->terms.set |= REC_TERM_TIME;
	return flag_value(term, &event->terms.time, err);
}

static int set_callchain(struct rec_event *event, const struct rec_term *term,
			 struct pd_err *err)
{
	char buf[VALUE_MAX_LEN];
	uint32_t stack_len = 0;
	int code = text_value(term, buf, err);

	if (code)
		return code;
	code = rec_callchain_parse(buf, &event->terms.callchain, &stack_len,
				   err);
	if (code)
		return code;
	event->terms.set |= REC_TERM_CALLCHAIN;
	return 0;
}

static int set_stack_len(struct rec_event *event, const struct rec_term *term,
			 struct pd_err *err)
{
	char buf[VALUE_MAX_LEN];
	int code = text_value(term, buf, err);

	if (code)
		return code;
	event->terms.set |= REC_TERM_STACK_LEN;
	return rec_stack_len_parse(buf, &event->terms.stack_len, err);
}

static int set_inherit(struct rec_event *event, const struct rec_term *term,
		       struct pd_err *err)
{
	bool on = false;
	int code = flag_value(term, &on, err);

	if (code)
		return code;
	event->terms.set |= REC_TERM_INHERIT;
	event->terms.inherit = rec_term_is(term, "inherit") == on;
	return 0;
}

static int set_overwrite(struct rec_event *event, const struct rec_term *term,
			 struct pd_err *err)
{
	bool on = false;
	int code = flag_value(term, &on, err);

	if (code)
		return code;
	event->terms.set |= REC_TERM_OVERWRITE;
	event->terms.overwrite = rec_term_is(term, "overwrite") == on;
	return 0;
}

static int set_max_stack(struct rec_event *event, const struct rec_term *term,
			 struct pd_err *err)
{
	uint64_t num;
	int code = rec_term_u64(term, &num, err);

	if (code)
		return code;
	if (num > UINT16_MAX)
		return pd_err_set(err, -EINVAL, "max-stack is over %u",
				  UINT16_MAX);
	event->terms.set |= REC_TERM_MAX_STACK;
	event->terms.max_stack = (uint16_t)num;
	return 0;
}

static int set_branch(struct rec_event *event, const struct rec_term *term,
		      struct pd_err *err)
{
	char buf[VALUE_MAX_LEN];
	int code = text_value(term, buf, err);

	if (code)
		return code;
	event->terms.set |= REC_TERM_BRANCH;
	return rec_branch_parse(buf, &event->terms.branch_type, err);
}

static int set_aux_output(struct rec_event *event, const struct rec_term *term,
			  struct pd_err *err)
{
	bool on = false;
	int code = flag_value(term, &on, err);

	if (code)
		return code;
	event->attr.sys.aux_output = on;
	return 0;
}

struct general_term {
	const char *key;
	int (*set)(struct rec_event *event, const struct rec_term *term,
		   struct pd_err *err);
};

static const struct general_term general_terms[] = {
	{ "config", set_config },
	{ "config1", set_config },
	{ "config2", set_config },
	{ "config3", set_config },
	{ "name", set_name },
	{ "period", set_rate },
	{ "freq", set_rate },
	{ "branch_type", set_branch },
	{ "time", set_time },
	{ "call-graph", set_callchain },
	{ "stack-size", set_stack_len },
	{ "inherit", set_inherit },
	{ "no-inherit", set_inherit },
	{ "max-stack", set_max_stack },
	{ "overwrite", set_overwrite },
	{ "no-overwrite", set_overwrite },
	{ "aux-output", set_aux_output },
};

int rec_term_apply(struct rec_event *event, const struct rec_term *term,
		   struct pd_err *err)
{
	for (size_t i = 0; i < ARRAY_NR(general_terms); i++) {
		int code;

		if (!rec_term_is(term, general_terms[i].key))
			continue;
		code = general_terms[i].set(event, term, err);
		return code ? code : 1;
	}
	return 0;
}

const char *rec_term_name_at(size_t idx)
{
	return idx < ARRAY_NR(general_terms) ? general_terms[idx].key : NULL;
}
