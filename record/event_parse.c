/* event_parse.c: the syntax of -e.
 *
 *	list	:= item { ',' item }
 *	item	:= [NAME] '{' event { ',' event } '}' [':' letters] | event
 *	event	:= 'mem:' ADDR ['/' LEN] [':' ACCESS] [':' letters]
 *		 | SYS ':' NAME ['/' terms '/'] [[':'] letters]
 *		 | PLAIN ['/' terms '/'] [[':'] letters]
 *		 | PMU '/' terms '/' [[':'] letters]
 *		 | TYPE ':' CONFIG [':' letters]
 */
#include "record/event_spec.h"

#include "record/event_modifier.h"
#include "record/event_names.h"
#include "record/event_nearest.h"
#include "record/event_pmu.h"
#include "record/event_terms.h"
#include "record/tracefs.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX_LEN = 1 << 16, NAME_MAX_LEN = 256 };

struct parser {
	const char *at; /* what is not read yet */
	struct rec_event_list *list;
	const struct rec_event_env *env;
	struct pd_err *err;
};

/* One event's text in its parts. */
struct event_text {
	struct rec_text all;
	struct rec_text name;	   /* up to the slash or the last colon */
	struct rec_text terms;	   /* between the slashes; at NULL: none */
	struct rec_text modifiers; /* letters at the end */
};

/* buf: at least NAME_MAX_LEN. */
static int text_copy(struct parser *p, struct rec_text text, char *buf)
{
	if (text.len >= NAME_MAX_LEN)
		return pd_err_set(p->err, -EINVAL, "event name is too long");
	memcpy(buf, text.at, text.len);
	buf[text.len] = '\0';
	return 0;
}

static void skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')
		p->at++;
}

/* The bytes up to the ',' or '}' that ends this event; commas between slashes
 * and all between quotes belong to it. */
static size_t event_len(const char *text)
{
	bool in_terms = false, in_quote = false;
	bool is_mem = strncmp(text, "mem:", 4) == 0;
	size_t len = 0;

	for (; text[len]; len++) {
		char c = text[len];

		if (c == '\'' && in_terms)
			in_quote = !in_quote;
		if (in_quote)
			continue;
		if (c == '/' && !is_mem)
			in_terms = !in_terms;
		if (!in_terms && (c == ',' || c == '{' || c == '}'))
			break;
	}
	while (len > 0 && strchr(" \t\n", text[len - 1]))
		len--;
	return len;
}

/* The slash that ends the terms, past quotes; NULL: none. */
static const char *closing_slash(const char *at, const char *end)
{
	bool in_quote = false;

	for (; at < end; at++) {
		if (*at == '\'')
			in_quote = !in_quote;
		if (*at == '/' && !in_quote)
			return at;
	}
	return NULL;
}

/* Parts of an event with terms. */
static int split_terms(struct parser *p, struct event_text *t)
{
	const char *end = t->all.at + t->all.len;
	const char *open = memchr(t->all.at, '/', t->all.len);
	const char *close;

	if (!open)
		return 0;
	close = closing_slash(open + 1, end);
	if (!close)
		return pd_err_set(p->err, -EINVAL,
				  "terms of '%.*s' have no closing '/'",
				  (int)t->all.len, t->all.at);
	t->name.len = (size_t)(open - t->all.at);
	t->terms.at = open + 1;
	t->terms.len = (size_t)(close - open - 1);
	t->modifiers.at = close + 1;
	t->modifiers.len = (size_t)(end - close - 1);
	if (t->modifiers.len && t->modifiers.at[0] == ':') {
		t->modifiers.at++;
		t->modifiers.len--;
	}
	return 0;
}

/* Takes ":letters" off the end of text, if there are such. */
static bool split_letters(struct rec_text *text, struct rec_text *letters)
{
	const char *colon = memrchr(text->at, ':', text->len);
	size_t left;

	if (!colon)
		return false;
	left = (size_t)(colon - text->at);
	if (!rec_modifier_is(colon + 1, text->len - left - 1))
		return false;
	letters->at = colon + 1;
	letters->len = text->len - left - 1;
	text->len = left;
	return true;
}

static int modifiers_apply(struct parser *p, size_t first,
			   struct rec_text letters)
{
	for (size_t i = first; i < p->list->nr; i++) {
		int code = rec_modifier_apply(&p->list->events[i], letters.at,
					      letters.len, p->err);

		if (code)
			return code;
	}
	return 0;
}

/* General terms for all events from first on. */
static int terms_apply(struct parser *p, size_t first, struct rec_text terms)
{
	struct rec_text rest = terms;
	struct rec_term term;
	int code;

	while ((code = rec_term_next(&rest.at, &rest.len, &term, p->err)) ==
	       1) {
		for (size_t i = first; i < p->list->nr; i++) {
			code = rec_term_apply(&p->list->events[i], &term,
					      p->err);
			if (code < 0)
				return code;
			if (code == 0)
				return pd_err_set(p->err, -EINVAL,
						  "unknown term '%.*s'",
						  (int)term.key_len, term.key);
		}
	}
	return code;
}

/* Breakpoints ------------------------------------------------------------- */

static int access_parse(struct parser *p, struct rec_text text, uint32_t *ret)
{
	static const char letters[] = "rwx";
	static const uint32_t bits[] = { HW_BREAKPOINT_R, HW_BREAKPOINT_W,
					 HW_BREAKPOINT_X };

	*ret = 0;
	for (size_t i = 0; i < text.len; i++) {
		const char *at = strchr(letters, text.at[i]);

		if (!text.at[i] || !at || (*ret & bits[at - letters]))
			return pd_err_set(p->err, -EINVAL,
					  "breakpoint access '%.*s' is not of "
					  "r, w and x",
					  (int)text.len, text.at);
		*ret |= bits[at - letters];
	}
	return 0;
}

/* Takes the text up to the next of seps off *text. */
static struct rec_text take_until(struct rec_text *text, const char *seps)
{
	struct rec_text part = { .at = text->at };

	while (part.len < text->len && !strchr(seps, text->at[part.len]))
		part.len++;
	text->at += part.len;
	text->len -= part.len;
	return part;
}

static bool take_char(struct rec_text *text, char c)
{
	if (text->len == 0 || text->at[0] != c)
		return false;
	text->at++;
	text->len--;
	return true;
}

static int number_parse(struct parser *p, struct rec_text text, uint64_t *ret)
{
	int code = rec_number_parse(text.at, text.len, ret);

	if (code)
		return pd_err_set(p->err, code, "'%.*s' is no number",
				  (int)text.len, text.at);
	return 0;
}

struct breakpoint {
	uint64_t addr;
	uint64_t len; /* 0: the default of its access */
	bool has_len;
	uint32_t access;
	struct rec_text letters;
};

static int breakpoint_split(struct parser *p, struct rec_text rest,
			    struct breakpoint *bp)
{
	struct rec_text access;
	int code = number_parse(p, take_until(&rest, "/:"), &bp->addr);

	if (!code && take_char(&rest, '/')) {
		bp->has_len = true;
		code = number_parse(p, take_until(&rest, ":"), &bp->len);
	}
	if (code)
		return code;
	bp->access = HW_BREAKPOINT_R | HW_BREAKPOINT_W;
	if (!take_char(&rest, ':'))
		return 0;
	access = take_until(&rest, ":");
	if (rest.len == 0 && access.len &&
	    rec_modifier_is(access.at, access.len)) {
		bp->letters = access;
		return 0;
	}
	if (access.len) {
		code = access_parse(p, access, &bp->access);
		if (code)
			return code;
	}
	if (take_char(&rest, ':'))
		bp->letters = rest;
	return 0;
}

/* perf's name of a breakpoint with a length is "mem:ADDR" alone. */
static int breakpoint_parse(struct parser *p, struct rec_text all)
{
	struct breakpoint bp = { .addr = 0 };
	struct rec_text rest = { all.at + 4, all.len - 4 };
	struct rec_event *event;
	char name[NAME_MAX_LEN];
	int code = breakpoint_split(p, rest, &bp);

	if (!code)
		code = text_copy(p, all, name);
	if (code)
		return code;
	if (bp.has_len)
		*strchr(name, '/') = '\0';
	event = rec_event_append(p->list, name);
	if (!event)
		return pd_err_set(p->err, -ENOMEM, "no memory");
	if (bp.len == 0)
		bp.len = bp.access == HW_BREAKPOINT_X ? sizeof(long)
						      : HW_BREAKPOINT_LEN_4;
	event->attr.sys.type = PERF_TYPE_BREAKPOINT;
	event->attr.sys.bp_type = bp.access;
	event->attr.sys.bp_addr = bp.addr;
	event->attr.sys.bp_len = bp.len;
	event->attr.sys.sample_period = 1;
	return modifiers_apply(p, p->list->nr - 1, bp.letters);
}

/* Tracepoints -------------------------------------------------------------- */

static int tracepoint_append(void *ctx, const char *sys, const char *name)
{
	struct parser *p = ctx;
	struct rec_event *event;
	char full[2 * NAME_MAX_LEN];
	uint64_t id;
	int code;

	code = rec_tracefs_id(p->env->tracefs, sys, name, &id, p->err);
	if (code)
		return code;
	snprintf(full, sizeof(full), "%s:%s", sys, name);
	event = rec_event_append(p->list, full);
	if (!event)
		return pd_err_set(p->err, -ENOMEM, "no memory");
	event->attr.sys.type = PERF_TYPE_TRACEPOINT;
	event->attr.sys.config = id;
	event->attr.sys.sample_period = 1;
	event->attr.sys.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME |
				      PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	return 0;
}

static int offer_tracepoint(void *ctx, const char *sys, const char *name)
{
	char full[2 * NAME_MAX_LEN];

	snprintf(full, sizeof(full), "%s:%s", sys, name);
	rec_nearest_offer(ctx, full);
	return 0;
}

static int no_tracepoint(struct parser *p, const char *sys, const char *name)
{
	struct rec_nearest near;
	char full[2 * NAME_MAX_LEN];

	snprintf(full, sizeof(full), "%s:%s", sys, name);
	rec_nearest_init(&near, full, strlen(full));
	rec_tracefs_walk(p->env->tracefs, "*", "*", offer_tracepoint, &near,
			 NULL);
	pd_err_set(p->err, -ENOENT, "this kernel has no tracepoint '%s'", full);
	rec_nearest_hint(&near, p->err,
			 "tracepoints are listed in events/ of tracefs "
			 "(perf list tracepoint)");
	return -ENOENT;
}

static bool has_glob(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

static int tracepoint_parse(struct parser *p, const struct event_text *t)
{
	const char *colon = memchr(t->name.at, ':', t->name.len);
	struct rec_text sys_text = { t->name.at, (size_t)(colon - t->name.at) };
	struct rec_text name_text = { colon + 1,
				      t->name.len - sys_text.len - 1 };
	char sys[NAME_MAX_LEN], name[NAME_MAX_LEN];
	size_t first = p->list->nr;
	int code = text_copy(p, sys_text, sys);

	if (!code)
		code = text_copy(p, name_text, name);
	if (code)
		return code;
	if (!sys[0] || !name[0] || strpbrk(name, ":/") || strchr(sys, '/'))
		return pd_err_set(p->err, -EINVAL, "'%.*s' is no event",
				  (int)t->all.len, t->all.at);
	if (!p->env->tracefs)
		return pd_err_set(p->err, -ENOENT,
				  "%s:%s needs tracefs, which is not mounted",
				  sys, name);
	if (has_glob(sys) || has_glob(name)) {
		code = rec_tracefs_walk(p->env->tracefs, sys, name,
					tracepoint_append, p, p->err);
		if (!code && p->list->nr == first)
			code = no_tracepoint(p, sys, name);
	} else {
		struct pd_err inner = PD_ERR_INIT;
		struct parser quiet = *p;

		quiet.err = &inner;
		code = tracepoint_append(&quiet, sys, name);
		if (code == -ENOENT)
			code = no_tracepoint(p, sys, name);
		else if (code)
			pd_err_set(p->err, code, "%s", inner.text);
	}
	if (!code)
		code = terms_apply(p, first, t->terms);
	return code ? code : modifiers_apply(p, first, t->modifiers);
}

/* Names -------------------------------------------------------------------- */

/* "r1a8": type RAW. */
static bool raw_find(struct rec_text name, uint64_t *ret_config)
{
	char hex[20];

	if (name.len < 2 || name.len > 17 || name.at[0] != 'r')
		return false;
	snprintf(hex, sizeof(hex), "0x%.*s", (int)name.len - 1, name.at + 1);
	return rec_number_parse(hex, strlen(hex), ret_config) == 0;
}

static bool plain_find(struct rec_text name, struct rec_plain_event *ret)
{
	*ret = (struct rec_plain_event){ .name = name.at,
					 .name_len = name.len };
	if (rec_event_name_find(name.at, name.len, &ret->type, &ret->config))
		return true;
	ret->type = PERF_TYPE_RAW;
	return raw_find(name, &ret->config);
}

static void plain_attr(struct rec_event *event)
{
	struct perf_event_attr *sys = &event->attr.sys;

	if (sys->type != PERF_TYPE_SOFTWARE ||
	    sys->config != PERF_COUNT_SW_BPF_OUTPUT)
		return;
	sys->sample_period = 1;
	sys->sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME |
			   PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
}

static int plain_parse(struct parser *p, const struct event_text *t,
		       const struct rec_plain_event *plain)
{
	size_t first = p->list->nr;
	struct rec_text tail_text = { t->name.at + t->name.len,
				      t->all.len - t->name.len };
	char tail[NAME_MAX_LEN];
	int nr, code = text_copy(p, tail_text, tail);

	if (code)
		return code;
	nr = rec_plain_append(p->list, plain, tail, p->env, p->err);
	if (nr < 0)
		return nr;
	for (size_t i = first; i < p->list->nr; i++)
		plain_attr(&p->list->events[i]);
	code = terms_apply(p, first, t->terms);
	return code ? code : modifiers_apply(p, first, t->modifiers);
}

static int pmu_parse(struct parser *p, const struct event_text *t)
{
	size_t first = p->list->nr;
	char name[NAME_MAX_LEN];
	int nr, code = text_copy(p, t->all, name);

	if (code)
		return code;
	nr = rec_pmu_append(p->list, t->name, t->terms, name, p->env, p->err);
	return nr < 0 ? nr : modifiers_apply(p, first, t->modifiers);
}

static int no_event(struct parser *p, struct rec_text name)
{
	struct rec_nearest near;
	char other[NAME_MAX_LEN];

	rec_nearest_init(&near, name.at, name.len);
	for (size_t i = 0; rec_event_name_at(i, other, sizeof(other)); i++)
		rec_nearest_offer(&near, other);
	rec_pmu_offer_aliases(&near, p->env);
	if (p->env->tracefs && memchr(name.at, ':', name.len))
		rec_tracefs_walk(p->env->tracefs, "*", "*", offer_tracepoint,
				 &near, NULL);
	pd_err_set(p->err, -ENOENT, "unknown event '%.*s'", (int)name.len,
		   name.at);
	rec_nearest_hint(&near, p->err,
			 "names are those of perf list; tracepoints are "
			 "SYS:NAME");
	return -ENOENT;
}

/* A bare name that some PMU has in events/. */
static int alias_parse(struct parser *p, const struct event_text *t)
{
	size_t first = p->list->nr;
	char name[NAME_MAX_LEN];
	int nr, code = text_copy(p, t->all, name);

	if (code)
		return code;
	nr = rec_pmu_alias_append(p->list, t->name, name, p->env, p->err);
	if (nr < 0)
		return nr;
	if (nr == 0)
		return no_event(p, t->name);
	return modifiers_apply(p, first, t->modifiers);
}

/* "1:0": attr.type and attr.config as numbers. */
static bool numeric_parse(struct parser *p, const struct event_text *t,
			  int *ret_code)
{
	struct rec_text rest = t->name;
	struct rec_text type_text = take_until(&rest, ":");
	struct rec_event *event;
	uint64_t type, config;
	char name[NAME_MAX_LEN];

	if (!take_char(&rest, ':') ||
	    rec_number_parse(type_text.at, type_text.len, &type) ||
	    rec_number_parse(rest.at, rest.len, &config) || type > UINT32_MAX)
		return false;
	*ret_code = text_copy(p, t->all, name);
	if (*ret_code)
		return true;
	event = rec_event_append(p->list, name);
	if (!event) {
		*ret_code = pd_err_set(p->err, -ENOMEM, "no memory");
		return true;
	}
	event->attr.sys.type = (uint32_t)type;
	event->attr.sys.config = config;
	*ret_code = modifiers_apply(p, p->list->nr - 1, t->modifiers);
	return true;
}

/* Anything without terms. */
static int bare_parse(struct parser *p, struct event_text *t)
{
	struct rec_plain_event plain;
	bool is_tracepoint;
	int code;

	if (plain_find(t->name, &plain))
		return plain_parse(p, t, &plain);
	/* Letters first, unless that leaves no event: "sched:kp" may be one. */
	if (split_letters(&t->name, &t->modifiers)) {
		if (plain_find(t->name, &plain))
			return plain_parse(p, t, &plain);
		if (numeric_parse(p, t, &code))
			return code;
		if (!memchr(t->name.at, ':', t->name.len)) {
			struct rec_text letters = t->modifiers;

			t->modifiers = (struct rec_text){ .at = letters.at };
			t->modifiers.len = letters.len;
			return alias_parse(p, t);
		}
	}
	is_tracepoint = memchr(t->name.at, ':', t->name.len) != NULL;
	if (!is_tracepoint)
		return alias_parse(p, t);
	if (numeric_parse(p, t, &code))
		return code;
	return tracepoint_parse(p, t);
}

static int event_parse(struct parser *p, struct rec_text all)
{
	struct event_text t = { .all = all, .name = all };
	struct rec_plain_event plain;
	int code;

	if (all.len == 0)
		return pd_err_set(p->err, -EINVAL,
				  "an event is missing at '%.20s'", p->at);
	if (all.len > 4 && memcmp(all.at, "mem:", 4) == 0)
		return breakpoint_parse(p, all);
	code = split_terms(p, &t);
	if (code)
		return code;
	if (!t.terms.at)
		return bare_parse(p, &t);
	if (plain_find(t.name, &plain))
		return plain_parse(p, &t, &plain);
	if (memchr(t.name.at, ':', t.name.len))
		return tracepoint_parse(p, &t);
	return pmu_parse(p, &t);
}

/* Lists and groups --------------------------------------------------------- */

static int take_event(struct parser *p)
{
	struct rec_text all;
	int code;

	skip_blanks(p);
	all.at = p->at;
	all.len = event_len(p->at);
	code = event_parse(p, all);
	if (code)
		return code;
	p->at += all.len;
	skip_blanks(p);
	return 0;
}

/* Binds the events from first on to one group. */
static int group_bind(struct parser *p, size_t first, struct rec_text name)
{
	struct rec_event *leader = &p->list->events[first];
	char *copy = strndup(name.at, name.len);

	if (!copy)
		return pd_err_set(p->err, -ENOMEM, "no memory");
	free(leader->group_name);
	leader->group_name = copy;
	leader->member_nr = p->list->nr - first;
	for (size_t i = first; i < p->list->nr; i++)
		p->list->events[i].leader_idx = first;
	return 0;
}

static int group_modifiers(struct parser *p, size_t first)
{
	struct rec_text letters = { .at = NULL };
	int code = 0;

	skip_blanks(p);
	if (*p->at != ':')
		return 0;
	letters.at = ++p->at;
	letters.len = event_len(p->at);
	p->at += letters.len;
	for (size_t i = first; i < p->list->nr && !code; i++)
		code = rec_modifier_add_group(&p->list->events[i], i == first,
					      letters.at, letters.len, p->err);
	return code;
}

/* p->at stands on the '{'. */
static int take_group(struct parser *p, struct rec_text name)
{
	size_t first = p->list->nr;
	int code;

	do {
		p->at++;
		code = take_event(p);
		if (code)
			return code;
	} while (*p->at == ',');
	if (*p->at != '}')
		return pd_err_set(p->err, -EINVAL,
				  "group has no closing '}' at '%.20s'", p->at);
	p->at++;
	code = group_bind(p, first, name);
	return code ? code : group_modifiers(p, first);
}

static int take_item(struct parser *p)
{
	struct rec_text name;

	skip_blanks(p);
	name.at = p->at;
	name.len = event_len(p->at);
	if (p->at[name.len] != '{')
		return take_event(p);
	p->at += name.len;
	return take_group(p, name);
}

static int take_list(struct parser *p)
{
	int code = take_item(p);

	while (!code && *p->at == ',') {
		p->at++;
		code = take_item(p);
	}
	if (code)
		return code;
	skip_blanks(p);
	if (*p->at)
		return pd_err_set(p->err, -EINVAL,
				  "event syntax ends at '%.20s'", p->at);
	return 0;
}

int rec_event_parse(struct rec_event_list *list, const char *text,
		    const struct rec_event_env *env, struct pd_err *err)
{
	struct parser p = { .at = text, .list = list, .env = env, .err = err };
	size_t first = list->nr;
	int code;

	if (strnlen(text, TEXT_MAX_LEN) >= TEXT_MAX_LEN)
		return pd_err_set(err, -EINVAL, "event list is too long");
	code = take_list(&p);
	if (code) {
		rec_event_list_truncate(list, first);
		return code;
	}
	list->last_first = first;
	return 0;
}
