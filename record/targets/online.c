#include "record/targets/online.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* A difference of two clocks that are read one after the other is none. */
enum { SLEEP_MIN_NS = 100000000 };

/* Return for how long the machine has been suspended since it was booted. */
static int64_t asleep_ns(void)
{
	struct timespec real, awake;

	clock_gettime(CLOCK_MONOTONIC, &awake);
	clock_gettime(CLOCK_BOOTTIME, &real);
	return (int64_t)((real.tv_sec - awake.tv_sec) * 1000000000 +
			 real.tv_nsec - awake.tv_nsec);
}

int rec_online_init(struct rec_online *online, const struct rec_target *target,
		    const char *sysfs, bool wants_new)
{
	*online = (struct rec_online){ .target = target,
				       .sysfs = sysfs,
				       .wants_new = wants_new,
				       .asleep_ns = asleep_ns() };
	online->is_reported = calloc(REC_CPU_MAX + 1, sizeof(bool));
	return online->is_reported ? 0 : -ENOMEM;
}

void rec_online_release(struct rec_online *online)
{
	free(online->is_reported);
	online->is_reported = NULL;
}

static bool report_once(struct rec_online *online, int cpu, const char *what,
			const char *then, FILE *out)
{
	if (online->is_reported[cpu])
		return false;
	online->is_reported[cpu] = true;
	if (out)
		fprintf(out, "[ perfpair-record: CPU %d %s: %s ]\n", cpu, what,
			online->is_reload ? "recording again on those that are "
					    "online"
					  : then);
	return true;
}

static bool look_at_sleep(struct rec_online *online, FILE *out)
{
	int64_t now_ns = asleep_ns();
	bool has_slept = now_ns > online->asleep_ns + SLEEP_MIN_NS;

	online->has_slept |= has_slept;
	has_slept &= online->is_reload;
	if (has_slept && out)
		fputs("[ perfpair-record: the machine has slept: recording "
		      "again, since CPUs may have lost their events ]\n",
		      out);
	online->asleep_ns = now_ns;
	return has_slept;
}

bool rec_online_look(struct rec_online *online, FILE *out)
{
	const struct rec_target *target = online->target;
	const struct rec_cpu_list own = { target->cpus, target->cpu_nr };
	struct rec_cpu_list now;
	bool found = false;

	if (target->any_cpu ||
	    rec_cpu_list_read(online->sysfs, REC_ONLINE_CPUS, &now, NULL))
		return false;
	for (size_t i = 0; target->system_wide && i < own.nr; i++)
		if (!rec_cpu_list_has(&now, own.cpus[i]))
			found |=
				report_once(online, own.cpus[i], "went offline",
					    "it is not recorded from now on, "
					    "not even when it is back",
					    out);
	for (size_t i = 0; online->wants_new && i < now.nr; i++)
		if (!rec_cpu_list_has(&own, now.cpus[i]))
			found |=
				report_once(online, now.cpus[i], "came online",
					    "only a new recording has it", out);
	rec_cpu_list_release(&now);
	if (target->system_wide && !found)
		found = look_at_sleep(online, out);
	return found;
}
