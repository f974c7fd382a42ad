#include "report/profile/profile_impl.h"

#include "report/base/memory.h"

#include <string.h>

/* Latencies are counted in whole numbers; what is left over, in parts of
 * LATENCY_ONE, goes to the next sample, so that no sum is off by more than one.
 */
#define LATENCY_ONE (UINT64_C(1) << 20)

static uint64_t latency_of(struct rpt_profile *profile, uint64_t period)
{
	uint32_t nr = profile->conf.value_conf.parallelism;
	uint64_t parts;

	if (nr == 1 || period >= UINT64_MAX / LATENCY_ONE)
		return period / nr;
	parts = period * LATENCY_ONE / nr + profile->latency_rest;
	profile->latency_rest = parts % LATENCY_ONE;
	return parts / LATENCY_ONE;
}

void rpt_profile_set_latency(struct rpt_profile *profile,
			     struct rpt_sample *sample)
{
	uint64_t period = sample->fields.period;

	if (!profile->conf.value_conf.parallelism)
		return;
	sample->second = latency_of(profile, period);
	if (profile->is_latency) {
		sample->fields.period = sample->second;
		sample->second = period;
	}
}

void rpt_profile_add_second(struct rpt_profile *profile, int64_t stack_idx,
			    const struct rpt_sample *sample)
{
	struct rpt_stack_seconds *seconds = &profile->seconds;
	uint32_t nr = profile->stacks_cap;

	if (!sample->second)
		return;
	if (stack_idx >= seconds->nr) {
		seconds->items = rpt_realloc_array(seconds->items, nr,
						   sizeof(*seconds->items));
		memset(seconds->items + seconds->nr, 0,
		       (nr - seconds->nr) * sizeof(*seconds->items));
		seconds->nr = nr;
	}
	seconds->items[stack_idx] += sample->second;
}
