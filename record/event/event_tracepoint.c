/* event_tracepoint.c: "SYS:NAME", with globs on both sides. */
#include "record/event/event_parser.h"

#include "format/support/nearest.h"
#include "record/event/tracefs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int tracepoint_append(void *ctx, const char *sys, const char *name)
{
	struct rec_parser *p = ctx;
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

int rec_offer_tracepoint(void *ctx, const char *sys, const char *name)
{
	char full[2 * REC_EVENT_NAME_LEN];

	snprintf(full, sizeof(full), "%s:%s", sys, name);
	sup_nearest_offer(ctx, full);
	return 0;
}

static int no_tracepoint(struct rec_parser *p, const char *sys,
			 const char *name)
{
	struct sup_nearest near;
	char full[2 * REC_EVENT_NAME_LEN];

	snprintf(full, sizeof(full), "%s:%s", sys, name);
	sup_nearest_init(&near, full, strlen(full));
	rec_tracefs_walk(p->env->tracefs, "*", "*", rec_offer_tracepoint, &near,
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

int rec_parse_tracepoint(struct rec_parser *p, const struct rec_event_text *t)
{
	const char *colon = memchr(t->name.at, ':', t->name.len);
	struct rec_text sys_text = { t->name.at, (size_t)(colon - t->name.at) };
	struct rec_text name_text = { colon + 1,
				      t->name.len - sys_text.len - 1 };
	char sys[REC_EVENT_NAME_LEN], name[REC_EVENT_NAME_LEN];
	size_t first = p->list->nr;
	int rc = rec_parser_copy(p, sys_text, sys);

	if (!rc)
		rc = rec_parser_copy(p, name_text, name);
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
		struct rec_parser quiet = *p;

		quiet.err = &inner;
		rc = tracepoint_append(&quiet, sys, name);
		if (rc == -ENOENT)
			rc = no_tracepoint(p, sys, name);
		else if (rc)
			pd_err_set(p->err, rc, "%s", inner.text);
	}
	if (!rc)
		rc = rec_parser_terms(p, first, t->terms);
	return rc ? rc : rec_parser_modifiers(p, first, t->modifiers);
}
