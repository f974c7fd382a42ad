/* event_plain.c: events with a name of their own, on hybrid machines too. */
#include "record/event/event_pmu.h"

#include "record/event/pmu.h"

#include <errno.h>
#include <stdio.h>

enum { NAME_MAX_LEN = 256 };

static int plain_one(struct rec_event_list *list,
		     const struct rec_plain_event *plain, const char *name,
		     const struct rec_pmu *pmu, struct pd_err *err)
{
	struct rec_event *event = rec_event_append(list, name);

	if (!event)
		return pd_err_set(err, -ENOMEM, "out of memory");
	if (pmu && rec_pmu_own(event, pmu))
		return pd_err_set(err, -ENOMEM, "out of memory");
	event->attr.sys.type = plain->type;
	event->attr.sys.config = plain->config;
	if (pmu)
		event->attr.sys.config |= (uint64_t)pmu->type
					  << REC_PMU_TYPE_SHIFT;
	return 0;
}

/* Append an event per kind of core; return 0 if the machine is not hybrid. */
static int hybrid_append(struct rec_event_list *list,
			 const struct rec_plain_event *plain, const char *tail,
			 const struct rec_event_env *env, struct pd_err *err)
{
	static const char *const kinds[] = { "cpu_core", "cpu_atom" };
	int appended = 0;

	if (tail[0] == ':' || tail[0] == '/')
		tail++;
	for (size_t i = 0; i < 2; i++) {
		char name[NAME_MAX_LEN];
		struct rec_pmu pmu;
		int rc;

		if (rec_pmu_open(&pmu, env->sysfs, kinds[i], NULL))
			continue;
		snprintf(name, sizeof(name), "%s/%.*s/%s", kinds[i],
			 (int)plain->name_len, plain->name, tail);
		rc = plain_one(list, plain, name, &pmu, err);
		rec_pmu_release(&pmu);
		if (rc)
			return rc;
		appended++;
	}
	return appended;
}

int rec_plain_append(struct rec_event_list *list,
		     const struct rec_plain_event *plain, const char *tail,
		     const struct rec_event_env *env, struct pd_err *err)
{
	char name[NAME_MAX_LEN];
	int nr = 0;

	if (plain->type == PERF_TYPE_HARDWARE ||
	    plain->type == PERF_TYPE_HW_CACHE)
		nr = hybrid_append(list, plain, tail, env, err);
	if (nr != 0)
		return nr;
	snprintf(name, sizeof(name), "%.*s%s", (int)plain->name_len,
		 plain->name, tail);
	nr = plain_one(list, plain, name, NULL, err);
	return nr ? nr : 1;
}
