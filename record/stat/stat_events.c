/* stat_events.c: the events of perf stat without -e, and of -d, -dd, -ddd. */
#include "record/stat/stat_args.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Seen with perf 6.1. */
static const char *const details[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,"
	 "iTLB-loads,iTLB-load-misses"),
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

/* Stalled cycles are counted where the PMU has a name for them. */
static int add_stalled(struct rec_event_list *list,
		       const struct rec_event_env *env, const char *name,
		       struct pd_err *err)
{
	char path[512];

	snprintf(path, sizeof(path),
		 "%s/bus/event_source/devices/cpu/events/%s", env->sysfs, name);
	return access(path, F_OK) ? 0 : rec_event_parse(list, name, env, err);
}

static int add_plain(struct rec_event_list *list,
		     const struct rec_event_env *env, bool whole_cpus,
		     struct pd_err *err)
{
	int rc = rec_event_parse(list, whole_cpus ? "cpu-clock" : "task-clock",
				 env, err);

	if (!rc)
		rc = rec_event_parse(
			list,
			"context-switches,cpu-migrations,page-faults,cycles",
			env, err);
	if (!rc)
		rc = add_stalled(list, env, "stalled-cycles-frontend", err);
	if (!rc)
		rc = add_stalled(list, env, "stalled-cycles-backend", err);
	if (!rc)
		rc = rec_event_parse(
			list, "instructions,branches,branch-misses", env, err);
	return rc;
}

int rec_stat_events_add(struct rec_event_list *list,
			const struct rec_event_env *env, bool whole_cpus,
			unsigned detail_nr, struct pd_err *err)
{
	int rc = 0;

	if (!list->nr)
		rc = add_plain(list, env, whole_cpus, err);
	for (unsigned i = 0; i < detail_nr && !rc; i++)
		if (i < sizeof(details) / sizeof(details[0]))
			rc = rec_event_parse(list, details[i], env, err);
	return rc;
}
