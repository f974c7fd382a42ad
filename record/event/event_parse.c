/* The syntax of -e.
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
#include "format/support/nearest.h"
#include "record/event/event_modifier.h"
#include "record/event/event_names.h"
#include "record/event/event_pmu.h"
#include "record/event/event_terms.h"
#include "record/event/pmu.h"
#include "record/event/tracefs.h"
#include "record/vendor/vendor_names.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parser of -e, and the parsers of each kind of event.
 *
 * All functions here return 0 or a negative errno with err set;
 * rec_event_parse() then drops the events that were already appended. */

enum { REC_EVENT_NAME_LEN = 256 };

struct parser {
	const char *at; /* the rest of the text */
	struct rec_event_list *list;
	const struct rec_event_env *env;
	struct pd_err *err;
};

/* The text of one event, split into its parts. */
struct event_text {
	struct rec_text all;
	struct rec_text name;	   /* up to the slash or the last colon */
	struct rec_text terms;	   /* between the slashes; at NULL: none */
	struct rec_text modifiers; /* letters at the end */
};

enum { TEXT_MAX_LEN = 1 << 16 };

/* Copy text to buf, REC_EVENT_NAME_LEN long, as a string. */
static int parser_copy(struct parser *p, struct rec_text text, char *buf)
{
	if (text.len >= REC_EVENT_NAME_LEN)
		return pd_err_set(p->err, -EINVAL, "event name is too long");
	memcpy(buf, text.at, text.len);
	buf[text.len] = '\0';
	return 0;
}

/* Apply modifier letters or general terms to all events from first on. */
static int parser_modifiers(struct parser *p, size_t first,
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
static int parser_terms(struct parser *p, size_t first, struct rec_text terms)
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

/* "mem:ADDR[/LEN][:rwx][:letters]". */

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

static int number_parse(struct parser *p, struct rec_text text, uint64_t *ret)
{
	int rc = rec_number_parse(text.at, text.len, ret);

	if (rc)
		return pd_err_set(p->err, rc, "'%.*s' is no number",
				  (int)text.len, text.at);
	return 0;
}

struct breakpoint {
	uint64_t addr;
	uint64_t len; /* 0: the default for its access */
	bool has_len;
	uint32_t access;
	struct rec_text letters;
};

static int breakpoint_split(struct parser *p, struct rec_text rest,
			    struct breakpoint *bp)
{
	struct rec_text access;
	int rc = number_parse(p, rec_text_take_until(&rest, "/:"), &bp->addr);

	if (!rc && rec_text_take_char(&rest, '/')) {
		bp->has_len = true;
		rc = number_parse(p, rec_text_take_until(&rest, ":"), &bp->len);
	}
	if (rc)
		return rc;
	bp->access = HW_BREAKPOINT_R | HW_BREAKPOINT_W;
	if (!rec_text_take_char(&rest, ':'))
		return 0;
	access = rec_text_take_until(&rest, ":");
	if (rest.len == 0 && access.len &&
	    rec_modifier_is(access.at, access.len)) {
		bp->letters = access;
		return 0;
	}
	if (access.len) {
		rc = access_parse(p, access, &bp->access);
		if (rc)
			return rc;
	}
	if (rec_text_take_char(&rest, ':'))
		bp->letters = rest;
	return 0;
}

/* Parse "mem:...", including the prefix. */
/* perf names a breakpoint with a length "mem:ADDR" alone. */
static int parse_breakpoint(struct parser *p, struct rec_text all)
{
	struct breakpoint bp = { .addr = 0 };
	struct rec_text rest = { all.at + 4, all.len - 4 };
	struct rec_event *event;
	char name[REC_EVENT_NAME_LEN];
	int rc = breakpoint_split(p, rest, &bp);

	if (!rc)
		rc = parser_copy(p, all, name);
	if (rc)
		return rc;
	if (bp.has_len)
		*strchr(name, '/') = '\0';
	event = rec_event_append(p->list, name);
	if (!event)
		return pd_err_set(p->err, -ENOMEM, "out of memory");
	if (bp.len == 0)
		bp.len = bp.access == HW_BREAKPOINT_X ? sizeof(long)
						      : HW_BREAKPOINT_LEN_4;
	event->attr.sys.type = PERF_TYPE_BREAKPOINT;
	event->attr.sys.bp_type = bp.access;
	event->attr.sys.bp_addr = bp.addr;
	event->attr.sys.bp_len = bp.len;
	event->attr.sys.sample_period = 1;
	return parser_modifiers(p, p->list->nr - 1, bp.letters);
}

/* "SYS:NAME", with globs on both sides. */

static int tracepoint_append(void *ctx, const char *sys, const char *name)
{
	struct parser *p = ctx;
	struct rec_event *event;
	char full[2 * REC_EVENT_NAME_LEN];
	uint64_t id;
	int rc;

	rc = rec_tracefs_id(p->env->tracefs, sys, name, &id, p->err);
	if (rc)
		return rc;
	snprintf(full, sizeof(full), "%s:%s", sys, name);
	event = rec_event_append(p->list, full);
	if (!event)
		return pd_err_set(p->err, -ENOMEM, "out of memory");
	event->attr.sys.type = PERF_TYPE_TRACEPOINT;
	event->attr.sys.config = id;
	event->attr.sys.sample_period = 1;
	event->attr.sys.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME |
				      PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	return 0;
}

/* A rec_tracefs_visit() that offers names to the struct sup_nearest in ctx. */
static int offer_tracepoint(void *ctx, const char *sys, const char *name)
{
	char full[2 * REC_EVENT_NAME_LEN];

	snprintf(full, sizeof(full), "%s:%s", sys, name);
	sup_nearest_offer(ctx, full);
	return 0;
}

static int no_tracepoint(struct parser *p, const char *sys, const char *name)
{
	struct sup_nearest near;
	char full[2 * REC_EVENT_NAME_LEN];

	snprintf(full, sizeof(full), "%s:%s", sys, name);
	sup_nearest_init(&near, full, strlen(full));
	rec_tracefs_walk(p->env->tracefs, "*", "*", offer_tracepoint, &near,
			 NULL);
	pd_err_set(p->err, -ENOENT, "this kernel has no tracepoint '%s'", full);
	sup_nearest_hint(&near, p->err,
			 "'perfpair-record --list tracepoint' lists them");
	return -ENOENT;
}

static bool has_glob(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/* Parse a tracepoint; t->name has a colon. */
static int parse_tracepoint(struct parser *p, const struct event_text *t)
{
	const char *colon = memchr(t->name.at, ':', t->name.len);
	struct rec_text sys_text = { t->name.at, (size_t)(colon - t->name.at) };
	struct rec_text name_text = { colon + 1,
				      t->name.len - sys_text.len - 1 };
	char sys[REC_EVENT_NAME_LEN] = "", name[REC_EVENT_NAME_LEN] = "";
	size_t first = p->list->nr;
	int rc = parser_copy(p, sys_text, sys);

	if (!rc)
		rc = parser_copy(p, name_text, name);
	if (rc)
		return rc;
	if (!sys[0] || !name[0] || strpbrk(name, ":/") || strchr(sys, '/'))
		return pd_err_set(p->err, -EINVAL, "'%.*s' is no event",
				  (int)t->all.len, t->all.at);
	if (!p->env->tracefs)
		return pd_err_set(p->err, -ENOENT,
				  "%s:%s needs tracefs, which is not mounted",
				  sys, name);
	if (has_glob(sys) || has_glob(name)) {
		rc = rec_tracefs_walk(p->env->tracefs, sys, name,
				      tracepoint_append, p, p->err);
		if (!rc && p->list->nr == first)
			rc = no_tracepoint(p, sys, name);
	} else {
		struct pd_err inner = PD_ERR_INIT;
		struct parser quiet = *p;

		quiet.err = &inner;
		rc = tracepoint_append(&quiet, sys, name);
		if (rc == -ENOENT)
			rc = no_tracepoint(p, sys, name);
		else if (rc)
			pd_err_set(p->err, rc, "%s", inner.text);
	}
	if (!rc)
		rc = parser_terms(p, first, t->terms);
	return rc ? rc : parser_modifiers(p, first, t->modifiers);
}

/* Names of the CPU's vendor, "l1d.replacement". */

/* Give the event the PMU that has this type: which CPUs count for all. */
static int own_by_type(struct parser *p, struct rec_event *event, uint32_t type)
{
	char **names = NULL;
	size_t nr = 0;
	int rc = rec_pmu_names(p->env->sysfs, &names, &nr);
	bool found = false;

	for (size_t i = 0; i < nr && !rc && !found; i++) {
		struct rec_pmu pmu;

		if (rec_pmu_open(&pmu, p->env->sysfs, names[i], NULL))
			continue;
		found = pmu.type == type;
		if (found)
			rc = rec_pmu_own(event, &pmu);
		rec_pmu_release(&pmu);
	}
	rec_pmu_names_free(names, nr);
	return rc;
}

static int vendor_append(struct parser *p, const struct event_text *t,
			 const struct rec_vendor_event *found)
{
	struct rec_event *event;
	char name[REC_EVENT_NAME_LEN];
	int rc = parser_copy(p, t->all, name);

	if (rc)
		return rc;
	event = rec_event_append(p->list, name);
	if (!event || (found->type != PERF_TYPE_RAW &&
		       own_by_type(p, event, found->type)))
		return pd_err_set(p->err, -ENOMEM, "out of memory");
	event->attr.sys.type = found->type;
	event->attr.sys.config = found->config;
	event->attr.sys.config1 = found->config1;
	event->attr.sys.config2 = found->config2;
	event->attr.sys.exclude_user = found->exclude_user;
	event->attr.sys.exclude_kernel = found->exclude_kernel;
	return t->modifiers.len
		       ? parser_modifiers(p, p->list->nr - 1, t->modifiers)
		       : 0;
}

static void offer(void *ctx, const struct rec_vendor_row *row)
{
	sup_nearest_offer(ctx, row->name);
}

/* Offer these names in perf list's spelling. */
static void offer_vendor(struct sup_nearest *near,
			 const struct rec_event_env *env)
{
	if (env->vendor_names)
		rec_vendor_walk(offer, near);
}

/* Set the hint of a wrong unit mask to the names that are near. */
static void hint_near(const struct parser *p, struct rec_text text,
		      struct pd_err *err)
{
	char want[REC_VENDOR_NAME_LEN];
	struct sup_nearest near;
	size_t len = 0;

	for (; len < text.len && len < sizeof(want); len++)
		want[len] =
			text.at[len] == ':'
				? '.'
				: (char)tolower((unsigned char)text.at[len]);
	sup_nearest_init(&near, want, len);
	offer_vendor(&near, p->env);
	if (near.nr)
		err->hint[0] = '\0';
	sup_nearest_hint(&near, err, NULL);
}

/* Parse a name of the CPU's vendor.  Return 1, or 0 if there is none. */
static int parse_vendor(struct parser *p, const struct event_text *text)
{
	struct event_text t = *text;
	struct rec_vendor_event found;
	struct pd_err why = PD_ERR_INIT;
	int rc;

	if (!p->env->vendor_names)
		return 0;
	rc = rec_vendor_find(t.name.at, t.name.len, &found, &why);
	/* A term of letters may be a unit mask. */
	if (rc && t.modifiers.len &&
	    !rec_vendor_find(t.all.at, t.all.len, &found, NULL)) {
		t.modifiers.len = 0;
		rc = 0;
	}
	if (rc == -ENOENT)
		return 0;
	if (rc) {
		hint_near(p, t.name, &why);
		if (p->err && !p->err->code)
			*p->err = why;
		return rc;
	}
	rc = vendor_append(p, &t, &found);
	return rc ? rc : 1;
}

static void skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')
		p->at++;
}

/* Split an event with terms into its parts. */
static int split_terms(struct parser *p, struct event_text *t)
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
	ret->tool = rec_tool_find(name.at, name.len);
	if (ret->tool) {
		ret->type = PERF_TYPE_SOFTWARE;
		ret->config = PERF_COUNT_SW_DUMMY;
		return true;
	}
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

static int plain_parse(struct parser *p, const struct event_text *t,
		       const struct rec_plain_event *plain)
{
	size_t first = p->list->nr;
	struct rec_text tail_text = { t->name.at + t->name.len,
				      t->all.len - t->name.len };
	char tail[REC_EVENT_NAME_LEN];
	int nr, rc = parser_copy(p, tail_text, tail);

	if (rc)
		return rc;
	nr = rec_plain_append(p->list, plain, tail, p->env, p->err);
	if (nr < 0)
		return nr;
	for (size_t i = first; i < p->list->nr; i++)
		plain_attr(&p->list->events[i]);
	if (plain->tool) {
		p->list->events[first].tool = plain->tool;
		p->list->events[first].unit = strdup("ns");
		if (!p->list->events[first].unit)
			return pd_err_set(p->err, -ENOMEM, "out of memory");
	}
	rc = parser_terms(p, first, t->terms);
	return rc ? rc : parser_modifiers(p, first, t->modifiers);
}

static int pmu_parse(struct parser *p, const struct event_text *t)
{
	size_t first = p->list->nr;
	char name[REC_EVENT_NAME_LEN];
	int nr, rc = parser_copy(p, t->all, name);

	if (rc)
		return rc;
	nr = rec_pmu_append(p->list, t->name, t->terms, name, p->env, p->err);
	return nr < 0 ? nr : parser_modifiers(p, first, t->modifiers);
}

static int no_event(struct parser *p, struct rec_text name)
{
	const char *hint = "'perfpair-record --list' lists all names";
	struct sup_nearest near;
	char other[REC_EVENT_NAME_LEN];

	sup_nearest_init(&near, name.at, name.len);
	for (size_t i = 0; rec_event_name_at(i, other, sizeof(other)); i++)
		sup_nearest_offer(&near, other);
	rec_pmu_offer_aliases(&near, p->env);
	offer_vendor(&near, p->env);
	if (p->env->vendor_names && !rec_vendor_is_there())
		hint = rec_vendor_missing();
	if (p->env->tracefs && memchr(name.at, ':', name.len))
		rec_tracefs_walk(p->env->tracefs, "*", "*", offer_tracepoint,
				 &near, NULL);
	pd_err_set(p->err, -ENOENT, "unknown event '%.*s'", (int)name.len,
		   name.at);
	sup_nearest_hint(&near, p->err, hint);
	return -ENOENT;
}

/* Parse a bare name that some PMU has in events/. */
static int alias_parse(struct parser *p, const struct event_text *t)
{
	size_t first = p->list->nr;
	char name[REC_EVENT_NAME_LEN];
	int nr, rc = parser_copy(p, t->all, name);

	if (rc)
		return rc;
	nr = rec_pmu_alias_append(p->list, t->name, name, p->env, p->err);
	if (nr < 0)
		return nr;
	if (nr > 0)
		return parser_modifiers(p, first, t->modifiers);
	rc = parse_vendor(p, t);
	if (rc == 0)
		return no_event(p, t->name);
	return rc < 0 ? rc : 0;
}

/* Parse "SYS:NAME", or "EVENT:UMASK" if no tracepoint is called so. */
static int colon_parse(struct parser *p, const struct event_text *t)
{
	struct pd_err why = PD_ERR_INIT;
	struct pd_err *err = p->err;
	size_t first = p->list->nr;
	int rc, vendor_rc = 0;

	p->err = &why;
	rc = parse_tracepoint(p, t);
	p->err = err;
	if (rc && p->list->nr == first)
		vendor_rc = parse_vendor(p, t);
	if (vendor_rc)
		return vendor_rc < 0 ? vendor_rc : 0;
	if (rc && err && !err->code)
		*err = why;
	return rc;
}

/* Parse "1:0": attr.type and attr.config as numbers. */
static bool numeric_parse(struct parser *p, const struct event_text *t,
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
	*ret_rc = parser_copy(p, t->all, name);
	if (*ret_rc)
		return true;
	event = rec_event_append(p->list, name);
	if (!event) {
		*ret_rc = pd_err_set(p->err, -ENOMEM, "out of memory");
		return true;
	}
	event->attr.sys.type = (uint32_t)type;
	event->attr.sys.config = config;
	*ret_rc = parser_modifiers(p, p->list->nr - 1, t->modifiers);
	return true;
}

/* Parse an event without terms. */
static int bare_parse(struct parser *p, struct event_text *t)
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

static int event_parse(struct parser *p, struct rec_text all)
{
	struct event_text t = { .all = all, .name = all };
	struct rec_plain_event plain;
	int rc;

	if (all.len == 0)
		return pd_err_set(p->err, -EINVAL,
				  "an event is missing at '%.20s'", p->at);
	if (all.len > 4 && memcmp(all.at, "mem:", 4) == 0)
		return parse_breakpoint(p, all);
	rc = split_terms(p, &t);
	if (rc)
		return rc;
	if (!t.terms.at)
		return bare_parse(p, &t);
	if (plain_find(t.name, &plain))
		return plain_parse(p, &t, &plain);
	if (memchr(t.name.at, ':', t.name.len))
		return parse_tracepoint(p, &t);
	return pmu_parse(p, &t);
}

/* Lists and groups --------------------------------------------------------- */

static int take_event(struct parser *p)
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
static int group_bind(struct parser *p, size_t first, struct rec_text name)
{
	struct rec_event *leader = &p->list->events[first];
	char *copy = strndup(name.at, name.len);

	if (!copy)
		return pd_err_set(p->err, -ENOMEM, "out of memory");
	free(leader->group_name);
	leader->group_name = copy;
	for (size_t i = first; i < p->list->nr; i++) {
		p->list->events[i].leader_idx = first;
		p->list->events[i].member_nr = 0;
	}
	leader->member_nr = p->list->nr - first;
	return 0;
}

static int group_modifiers(struct parser *p, size_t first)
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
static int take_group(struct parser *p, struct rec_text name)
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

static int take_item(struct parser *p)
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

static int take_list(struct parser *p)
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
	struct parser p = { .at = text, .list = list, .env = env, .err = err };
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
