#include "record/targets/online.h"

#include <errno.h>
#include <stdlib.h>

int rec_online_init(struct rec_online *online, const struct rec_target *target,
		    const char *sysfs, bool wants_new)
{
	*online = (struct rec_online){ .target = target,
				       .sysfs = sysfs,
				       .wants_new = wants_new };
	online->is_gone = calloc(target->cpu_nr + 1, sizeof(bool));
	return online->is_gone ? 0 : -ENOMEM;
}

void rec_online_release(struct rec_online *online)
{
	free(online->is_gone);
	free(online->new_cpus);
	online->is_gone = NULL;
	online->new_cpus = NULL;
	online->new_nr = 0;
}

static bool has_cpu(const int *cpus, size_t nr, int cpu)
{
	for (size_t i = 0; i < nr; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

static void look_for_gone(struct rec_online *online, const int *cpus, size_t nr,
			  FILE *say)
{
	const struct rec_target *target = online->target;

	for (size_t i = 0; i < target->cpu_nr; i++) {
		int cpu = target->cpus[i];

		if (online->is_gone[i] || has_cpu(cpus, nr, cpu))
			continue;
		online->is_gone[i] = true;
		fprintf(say,
			"[ perfpair-record: CPU %d went offline: it is not "
			"recorded from now on, not even when it is back ]\n",
			cpu);
	}
}

static void look_for_new(struct rec_online *online, int cpu, FILE *say)
{
	const struct rec_target *target = online->target;
	int *grown;

	if (has_cpu(target->cpus, target->cpu_nr, cpu) ||
	    has_cpu(online->new_cpus, online->new_nr, cpu))
		return;
	grown = realloc(online->new_cpus,
			(online->new_nr + 1) * sizeof(*grown));
	if (!grown)
		return; /* said the next time */
	online->new_cpus = grown;
	grown[online->new_nr++] = cpu;
	fprintf(say,
		"[ perfpair-record: CPU %d came online: only a new recording "
		"has it ]\n",
		cpu);
}

void rec_online_look(struct rec_online *online, FILE *say)
{
	const struct rec_target *target = online->target;
	size_t nr;
	int *cpus;

	if (target->any_cpu || rec_online_cpus(online->sysfs, &cpus, &nr, NULL))
		return;
	if (target->system_wide)
		look_for_gone(online, cpus, nr, say);
	for (size_t i = 0; online->wants_new && i < nr; i++)
		look_for_new(online, cpus[i], say);
	free(cpus);
}
