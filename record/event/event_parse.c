/* event_parse.c: the syntax of -e.
 *
 *	list	:= item { ',' item }
 *	item	:= [NAME] '{' event { ',' event } '}' [':' letters] | event
 *	event	:= 'mem:' ADDR ['/' LEN] [':' ACCESS] [':' letters]
 *		 | SYS ':' NAME ['/' terms '/'] [[':'] letters]
 *		 | PLAIN ['/' terms '/'] [[':'] letters]
 *		 | PMU '/' terms '/' [[':'] letters]
 *		 | TYPE ':' CONFIG [':' letters]
 *		 | VENDOR [':' letters]
 */
#include "record/event/event_parser.h"

#include "format/support/nearest.h"
#include "record/event/event_modifier.h"
#include "record/event/event_names.h"
#include "record/event/event_terms.h"
#include "record/event/tracefs.h"
#include "record/vendor/vendor_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX_LEN = 1 << 16 };

/* buf must hold REC_EVENT_NAME_LEN bytes. */
int rec_parser_copy(struct rec_parser *p, struct rec_text text, char *buf)
{
	if (text.len >= REC_EVENT_NAME_LEN)
		return pd_err_set(p->err, -EINVAL, "event name is too long");
	memcpy(buf, text.at, text.len);
	buf[text.len] = '\0';
	return 0;
}

int rec_parser_modifiers(struct rec_parser *p, size_t first,
			 struct rec_text letters)
{
	for (size_t i = first; i < p->list->nr; i++) {
		int rc = rec_modifier_apply(&p->list->events[i], letters.at,
					    letters.len, p->err);

		if (rc)
			return rc;
	}
	return 0;
}

/* Apply general terms to all events from first on. */
int rec_parser_terms(struct rec_parser *p, size_t first, struct rec_text terms)
{
	struct rec_text rest = terms;
	struct rec_term term;
	int rc;

	while ((rc = rec_term_next(&rest.at, &rest.len, &term, p->err)) == 1) {
		for (size_t i = first; i < p->list->nr; i++) {
			rc = rec_term_apply(&p->list->events[i], &term, p->err);
			if (rc < 0)
				return rc;
			if (rc == 0)
				return pd_err_set(p->err, -EINVAL,
						  "unknown term '%.*s'",
						  (int)term.key_len, term.key);
		}
	}
	return rc;
}

static void skip_blanks(struct rec_parser *p)
{
	while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')
		p->at++;
}

/* Split an event with terms into its parts. */
static int split_terms(struct rec_parser *p, struct rec_event_text *t)
{
	const char *end = t->all.at + t->all.len;
	const char *open = memchr(t->all.at, '/', t->all.len);
	const char *close;

	if (!open)
		return 0;
	close = rec_text_closing_slash(open + 1, end);
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

/* Names -------------------------------------------------------------------- */

static bool plain_find(struct rec_text name, struct rec_plain_event *ret)
{
	*ret = (struct rec_plain_event){ .name = name.at,
					 .name_len = name.len };
	if (rec_event_name_find(name.at, name.len, &ret->type, &ret->config))
		return true;
	ret->type = PERF_TYPE_RAW;
	return rec_raw_parse(name.at, name.len, &ret->config);
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

static int plain_parse(struct rec_parser *p, const struct rec_event_text *t,
		       const struct rec_plain_event *plain)
{
	size_t first = p->list->nr;
	struct rec_text tail_text = { t->name.at + t->name.len,
				      t->all.len - t->name.len };
	char tail[REC_EVENT_NAME_LEN];
	int nr, rc = rec_parser_copy(p, tail_text, tail);

	if (rc)
		return rc;
	nr = rec_plain_append(p->list, plain, tail, p->env, p->err);
	if (nr < 0)
		return nr;
	for (size_t i = first; i < p->list->nr; i++)
		plain_attr(&p->list->events[i]);
	rc = rec_parser_terms(p, first, t->terms);
	return rc ? rc : rec_parser_modifiers(p, first, t->modifiers);
}

static int pmu_parse(struct rec_parser *p, const struct rec_event_text *t)
{
	size_t first = p->list->nr;
	char name[REC_EVENT_NAME_LEN];
	int nr, rc = rec_parser_copy(p, t->all, name);

	if (rc)
		return rc;
	nr = rec_pmu_append(p->list, t->name, t->terms, name, p->env, p->err);
	return nr < 0 ? nr : rec_parser_modifiers(p, first, t->modifiers);
}

static int no_event(struct rec_parser *p, struct rec_text name)
{
	const char *hint = "'perfpair-record --list' lists all names";
	struct sup_nearest near;
	char other[REC_EVENT_NAME_LEN];

	sup_nearest_init(&near, name.at, name.len);
	for (size_t i = 0; rec_event_name_at(i, other, sizeof(other)); i++)
		sup_nearest_offer(&near, other);
	rec_pmu_offer_aliases(&near, p->env);
	rec_offer_vendor(&near, p->env);
	if (p->env->vendor_names && !rec_vendor_is_there())
		hint = rec_vendor_missing();
	if (p->env->tracefs && memchr(name.at, ':', name.len))
		rec_tracefs_walk(p->env->tracefs, "*", "*",
				 rec_offer_tracepoint, &near, NULL);
	pd_err_set(p->err, -ENOENT, "unknown event '%.*s'", (int)name.len,
		   name.at);
	sup_nearest_hint(&near, p->err, hint);
	return -ENOENT;
}

/* Parse a bare name that some PMU has in events/. */
static int alias_parse(struct rec_parser *p, const struct rec_event_text *t)
{
	size_t first = p->list->nr;
	char name[REC_EVENT_NAME_LEN];
	int nr, rc = rec_parser_copy(p, t->all, name);

	if (rc)
		return rc;
	nr = rec_pmu_alias_append(p->list, t->name, name, p->env, p->err);
	if (nr < 0)
		return nr;
	if (nr > 0)
		return rec_parser_modifiers(p, first, t->modifiers);
	rc = rec_parse_vendor(p, t);
	if (rc == 0)
		return no_event(p, t->name);
	return rc < 0 ? rc : 0;
}

/* Parse "SYS:NAME", or "EVENT:UMASK" if no tracepoint is called so. */
static int colon_parse(struct rec_parser *p, const struct rec_event_text *t)
{
	struct pd_err why = PD_ERR_INIT;
	struct pd_err *err = p->err;
	size_t first = p->list->nr;
	int rc, vendor_rc = 0;

	p->err = &why;
	rc = rec_parse_tracepoint(p, t);
	p->err = err;
	if (rc && p->list->nr == first)
		vendor_rc = rec_parse_vendor(p, t);
	if (vendor_rc)
		return vendor_rc < 0 ? vendor_rc : 0;
	if (rc && err && !err->code)
		*err = why;
	return rc;
}

/* Parse "1:0": attr.type and attr.config as numbers. */
static bool numeric_parse(struct rec_parser *p, const struct rec_event_text *t,
			  int *ret_rc)
{
	struct rec_text rest = t->name;
	struct rec_text type_text = rec_text_take_until(&rest, ":");
	struct rec_event *event;
	uint64_t type, config;
	char name[REC_EVENT_NAME_LEN];

	if (!rec_text_take_char(&rest, ':') ||
	    rec_number_parse(type_text.at, type_text.len, &type) ||
	    rec_number_parse(rest.at, rest.len, &config) || type > UINT32_MAX)
		return false;
	*ret_rc = rec_parser_copy(p, t->all, name);
	if (*ret_rc)
		return true;
	event = rec_event_append(p->list, name);
	if (!event) {
		*ret_rc = pd_err_set(p->err, -ENOMEM, "out of memory");
		return true;
	}
	event->attr.sys.type = (uint32_t)type;
	event->attr.sys.config = config;
	*ret_rc = rec_parser_modifiers(p, p->list->nr - 1, t->modifiers);
	return true;
}

/* Parse an event without terms. */
static int bare_parse(struct rec_parser *p, struct rec_event_text *t)
{
	struct rec_plain_event plain;
	int rc;

	if (plain_find(t->name, &plain))
		return plain_parse(p, t, &plain);
	/* First the letters, unless no event remains: "sched:kp" may be one. */
	if (rec_text_split_letters(&t->name, &t->modifiers)) {
		if (plain_find(t->name, &plain))
			return plain_parse(p, t, &plain);
		if (numeric_parse(p, t, &rc))
			return rc;
	}
	if (!memchr(t->name.at, ':', t->name.len))
		return alias_parse(p, t);
	if (numeric_parse(p, t, &rc))
		return rc;
	return colon_parse(p, t);
}

static int event_parse(struct rec_parser *p, struct rec_text all)
{
	struct rec_event_text t = { .all = all, .name = all };
	struct rec_plain_event plain;
	int rc;

	if (all.len == 0)
		return pd_err_set(p->err, -EINVAL,
				  "an event is missing at '%.20s'", p->at);
	if (all.len > 4 && memcmp(all.at, "mem:", 4) == 0)
		return rec_parse_breakpoint(p, all);
	rc = split_terms(p, &t);
	if (rc)
		return rc;
	if (!t.terms.at)
		return bare_parse(p, &t);
	if (plain_find(t.name, &plain))
		return plain_parse(p, &t, &plain);
	if (memchr(t.name.at, ':', t.name.len))
		return rec_parse_tracepoint(p, &t);
	return pmu_parse(p, &t);
}

/* Lists and groups --------------------------------------------------------- */

static int take_event(struct rec_parser *p)
{
	struct rec_text all;
	int rc;

	skip_blanks(p);
	all.at = p->at;
	all.len = rec_text_event_len(p->at);
	rc = event_parse(p, all);
	if (rc)
		return rc;
	p->at += all.len;
	skip_blanks(p);
	return 0;
}

/* Put the events from first on into one group. */
static int group_bind(struct rec_parser *p, size_t first, struct rec_text name)
{
	struct rec_event *leader = &p->list->events[first];
	char *copy = strndup(name.at, name.len);

	if (!copy)
		return pd_err_set(p->err, -ENOMEM, "out of memory");
	free(leader->group_name);
	leader->group_name = copy;
	leader->member_nr = p->list->nr - first;
	for (size_t i = first; i < p->list->nr; i++)
		p->list->events[i].leader_idx = first;
	return 0;
}

static int group_modifiers(struct rec_parser *p, size_t first)
{
	struct rec_text letters = { .at = NULL };
	int rc = 0;

	skip_blanks(p);
	if (*p->at != ':')
		return 0;
	letters.at = ++p->at;
	letters.len = rec_text_event_len(p->at);
	p->at += letters.len;
	for (size_t i = first; i < p->list->nr && !rc; i++)
		rc = rec_modifier_add_group(&p->list->events[i], i == first,
					    letters.at, letters.len, p->err);
	return rc;
}

/* Parse a group; p->at is at its '{'. */
static int take_group(struct rec_parser *p, struct rec_text name)
{
	size_t first = p->list->nr;
	int rc;

	do {
		p->at++;
		rc = take_event(p);
		if (rc)
			return rc;
	} while (*p->at == ',');
	if (*p->at != '}')
		return pd_err_set(p->err, -EINVAL,
				  "group has no closing '}' at '%.20s'", p->at);
	p->at++;
	rc = group_bind(p, first, name);
	return rc ? rc : group_modifiers(p, first);
}

static int take_item(struct rec_parser *p)
{
	struct rec_text name;

	skip_blanks(p);
	name.at = p->at;
	name.len = rec_text_event_len(p->at);
	if (p->at[name.len] != '{')
		return take_event(p);
	p->at += name.len;
	return take_group(p, name);
}

static int take_list(struct rec_parser *p)
{
	int rc = take_item(p);

	while (!rc && *p->at == ',') {
		p->at++;
		rc = take_item(p);
	}
	if (rc)
		return rc;
	skip_blanks(p);
	if (*p->at)
		return pd_err_set(p->err, -EINVAL,
				  "event syntax ends at '%.20s'", p->at);
	return 0;
}

int rec_event_parse(struct rec_event_list *list, const char *text,
		    const struct rec_event_env *env, struct pd_err *err)
{
	struct rec_parser p = {
		.at = text, .list = list, .env = env, .err = err
	};
	size_t first = list->nr;
	int rc;

	if (strnlen(text, TEXT_MAX_LEN) >= TEXT_MAX_LEN)
		return pd_err_set(err, -EINVAL, "event list is too long");
	rc = take_list(&p);
	if (rc) {
		rec_event_list_truncate(list, first);
		return rc;
	}
	list->last_first = first;
	return 0;
}
