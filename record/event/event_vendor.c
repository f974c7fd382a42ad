/* event_vendor.c: names of the CPU's vendor, "l1d.replacement". */
#include "record/event/event_parser.h"

#include "record/event/pmu.h"
#include "record/vendor/vendor_names.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Give the event the PMU that has this type: which CPUs count for all. */
static int own_by_type(struct rec_parser *p, struct rec_event *event,
		       uint32_t type)
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

static int vendor_append(struct rec_parser *p, const struct rec_event_text *t,
			 const struct rec_vendor_event *found)
{
	struct rec_event *event;
	char name[REC_EVENT_NAME_LEN];
	int rc = rec_parser_copy(p, t->all, name);

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
		       ? rec_parser_modifiers(p, p->list->nr - 1, t->modifiers)
		       : 0;
}

static void offer(void *ctx, const struct rec_vendor_row *row)
{
	sup_nearest_offer(ctx, row->name);
}

void rec_offer_vendor(struct sup_nearest *near, const struct rec_event_env *env)
{
	if (env->vendor_names)
		rec_vendor_walk(offer, near);
}

/* Set the hint of a wrong unit mask to the names that are near. */
static void hint_near(const struct rec_parser *p, struct rec_text text,
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
	rec_offer_vendor(&near, p->env);
	if (near.nr)
		err->hint[0] = '\0';
	sup_nearest_hint(&near, err, NULL);
}

int rec_parse_vendor(struct rec_parser *p, const struct rec_event_text *text)
{
	struct rec_event_text t = *text;
	struct rec_vendor_event found;
	struct pd_err why = PD_ERR_INIT;
	int rc;

	if (!p->env->vendor_names)
		return 0;
	rc = rec_vendor_find(t.name.at, t.name.len, &found, &why);
	/* What looks like letters may be a unit mask. */
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
