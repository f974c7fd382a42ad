#include "record/targets/online.h"

#include <errno.h>
#include <stdlib.h>

int rec_online_init(struct rec_online *online, const struct rec_target *target,
		    const char *sysfs, bool wants_new)
{
	*online = (struct rec_online){ .target = target,
				       .sysfs = sysfs,
				       .wants_new = wants_new };
	online->is_reported = calloc(REC_CPU_MAX + 1, sizeof(bool));
	return online->is_reported ? 0 : -ENOMEM;
}

void rec_online_release(struct rec_online *online)
{
	free(online->is_reported);
	online->is_reported = NULL;
}

static void report_once(struct rec_online *online, int cpu, const char *what,
			FILE *out)
{
	if (!online->is_reported[cpu])
		fprintf(out, "[ perfpair-record: CPU %d %s ]\n", cpu, what);
	online->is_reported[cpu] = true;
}

void rec_online_look(struct rec_online *online, FILE *out)
{
	const struct rec_target *target = online->target;
	const struct rec_cpu_list own = { target->cpus, target->cpu_nr };
	struct rec_cpu_list now;

	if (target->any_cpu ||
	    rec_cpu_list_read(online->sysfs, REC_ONLINE_CPUS, &now, NULL))
		return;
	for (size_t i = 0; target->system_wide && i < own.nr; i++)
		if (!rec_cpu_list_has(&now, own.cpus[i]))
			report_once(online, own.cpus[i],
				    "went offline: it is not recorded from now "
				    "on, not even when it is back",
				    out);
	for (size_t i = 0; online->wants_new && i < now.nr; i++)
		if (!rec_cpu_list_has(&own, now.cpus[i]))
			report_once(online, now.cpus[i],
				    "came online: only a new recording has it",
				    out);
	rec_cpu_list_release(&now);
}
