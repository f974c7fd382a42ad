/* event_terms.c: general terms of an event. */
#include "record/event/event_terms.h"

#include "record/event/attr_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool rec_raw_parse(const char *text, size_t len, uint64_t *ret)
{
	char hex[20];

	if (len < 2 || len > 17 || text[0] != 'r')
		return false;
	snprintf(hex, sizeof(hex), "0x%.*s", (int)len - 1, text + 1);
	return rec_number_parse(hex, strlen(hex), ret) == 0;
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

/* Split off "key" or "key=value"; *ret_used is its length before the comma. */
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
	int rc;

	if (*len == 0)
		return 0;
	rc = term_split(*text, *len, ret, &used, err);
	if (rc)
		return rc;
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
	int rc;

	*ret = 1;
	if (!term->val)
		return 0;
	rc = rec_number_parse(term->val, term->val_len, ret);
	if (rc)
		return pd_err_set(err, rc, "term '%.*s' is no number: '%.*s'",
				  (int)term->key_len, term->key,
				  (int)term->val_len, term->val);
	return 0;
}

enum term_value { VALUE_NUMBER, VALUE_FLAG, VALUE_TEXT };

enum term {
	TERM_CONFIG,
	TERM_CONFIG1,
	TERM_CONFIG2,
	TERM_CONFIG3,
	TERM_NAME,
	TERM_PERIOD,
	TERM_FREQ,
	TERM_BRANCH,
	TERM_TIME,
	TERM_CALLCHAIN,
	TERM_STACK_LEN,
	TERM_INHERIT,
	TERM_NO_INHERIT,
	TERM_MAX_STACK,
	TERM_OVERWRITE,
	TERM_NO_OVERWRITE,
	TERM_AUX_OUTPUT,
	TERM_NR
};

static const struct general_term {
	const char *key;
	enum term_value value;
	unsigned bit; /* REC_TERM_*, set in rec_event_terms; 0: none */
} general_terms[TERM_NR] = {
	[TERM_CONFIG] = { "config", VALUE_NUMBER, 0 },
	[TERM_CONFIG1] = { "config1", VALUE_NUMBER, 0 },
	[TERM_CONFIG2] = { "config2", VALUE_NUMBER, 0 },
	[TERM_CONFIG3] = { "config3", VALUE_NUMBER, 0 },
	[TERM_NAME] = { "name", VALUE_TEXT, REC_TERM_NAME },
	[TERM_PERIOD] = { "period", VALUE_NUMBER, REC_TERM_PERIOD },
	[TERM_FREQ] = { "freq", VALUE_NUMBER, REC_TERM_FREQ },
	[TERM_BRANCH] = { "branch_type", VALUE_TEXT, REC_TERM_BRANCH },
	[TERM_TIME] = { "time", VALUE_FLAG, REC_TERM_TIME },
	[TERM_CALLCHAIN] = { "call-graph", VALUE_TEXT, REC_TERM_CALLCHAIN },
	[TERM_STACK_LEN] = { "stack-size", VALUE_TEXT, REC_TERM_STACK_LEN },
	[TERM_INHERIT] = { "inherit", VALUE_FLAG, REC_TERM_INHERIT },
	[TERM_NO_INHERIT] = { "no-inherit", VALUE_FLAG, REC_TERM_INHERIT },
	[TERM_MAX_STACK] = { "max-stack", VALUE_NUMBER, REC_TERM_MAX_STACK },
	[TERM_OVERWRITE] = { "overwrite", VALUE_FLAG, REC_TERM_OVERWRITE },
	[TERM_NO_OVERWRITE] = { "no-overwrite", VALUE_FLAG,
				REC_TERM_OVERWRITE },
	[TERM_AUX_OUTPUT] = { "aux-output", VALUE_FLAG, 0 },
};

/* Check the value by its kind; store a number in *ret_num, text in ret_text. */
static int read_value(const struct rec_term *term, enum term_value kind,
		      uint64_t *ret_num, char ret_text[VALUE_MAX_LEN],
		      struct pd_err *err)
{
	int rc = 0;

	if (kind != VALUE_TEXT) {
		rc = rec_term_u64(term, ret_num, err);
		if (!rc && kind == VALUE_FLAG && *ret_num > 1)
			rc = pd_err_set(err, -EINVAL,
					"term '%.*s' takes 0 or 1",
					(int)term->key_len, term->key);
		return rc;
	}
	if (!term->val || term->val_len == 0)
		return pd_err_set(err, -EINVAL, "term '%.*s' needs a text",
				  (int)term->key_len, term->key);
	if (term->val_len >= VALUE_MAX_LEN)
		return pd_err_set(err, -EINVAL, "term '%.*s' is too long",
				  (int)term->key_len, term->key);
	memcpy(ret_text, term->val, term->val_len);
	ret_text[term->val_len] = '\0';
	return 0;
}

static int set_text(struct rec_event *event, enum term which, const char *text,
		    struct pd_err *err)
{
	struct rec_event_terms *terms = &event->terms;
	uint32_t no_len;
	char *name;

	if (which == TERM_BRANCH)
		return rec_branch_parse(text, &terms->branch_type, err);
	if (which == TERM_CALLCHAIN)
		return rec_callchain_parse(text, &terms->callchain, &no_len,
					   err);
	if (which == TERM_STACK_LEN)
		return rec_stack_len_parse(text, &terms->stack_len, err);
	name = strdup(text);
	if (!name)
		return pd_err_set(err, -ENOMEM, "out of memory");
	free(event->name);
	event->name = name;
	return 0;
}

/* Set the period or freq; the last one given is used. */
static void set_number(struct rec_event *event, enum term which, uint64_t num)
{
	struct perf_event_attr *sys = &event->attr.sys;
	struct rec_event_terms *terms = &event->terms;

	if (which == TERM_CONFIG)
		sys->config = num;
	else if (which == TERM_CONFIG1)
		sys->config1 = num;
	else if (which == TERM_CONFIG2)
		sys->config2 = num;
	else if (which == TERM_CONFIG3)
		rec_attr_set_config3(&event->attr, num);
	else if (which == TERM_AUX_OUTPUT)
		sys->aux_output = num & 1;
	else if (which == TERM_PERIOD)
		terms->period = num;
	else if (which == TERM_FREQ)
		terms->freq_hz = num;
	else if (which == TERM_TIME)
		terms->time = num;
	else if (which == TERM_MAX_STACK)
		terms->max_stack = (uint16_t)num;
	else if (which == TERM_INHERIT || which == TERM_NO_INHERIT)
		terms->inherit = (which == TERM_INHERIT) == num;
	else
		terms->overwrite = (which == TERM_OVERWRITE) == num;
	if (which == TERM_PERIOD || which == TERM_FREQ)
		terms->set &= ~(unsigned)(REC_TERM_PERIOD | REC_TERM_FREQ);
}

int rec_term_apply(struct rec_event *event, const struct rec_term *term,
		   struct pd_err *err)
{
	char text[VALUE_MAX_LEN];
	uint64_t num = 0;
	enum term which = 0;
	int rc;

	while (which < TERM_NR && !rec_term_is(term, general_terms[which].key))
		which++;
	if (which == TERM_NR)
		return 0;
	rc = read_value(term, general_terms[which].value, &num, text, err);
	if (!rc && which == TERM_MAX_STACK && num > UINT16_MAX)
		rc = pd_err_set(err, -EINVAL, "max-stack is over %u",
				UINT16_MAX);
	if (!rc && general_terms[which].value == VALUE_TEXT)
		rc = set_text(event, which, text, err);
	else if (!rc)
		set_number(event, which, num);
	if (rc)
		return rc;
	event->terms.set |= general_terms[which].bit;
	return 1;
}

const char *rec_term_name_at(size_t idx)
{
	return idx < TERM_NR ? general_terms[idx].key : NULL;
}
