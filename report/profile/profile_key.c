/* Makes the key of a sample's stack. */
#include "report/profile/profile_impl.h"

#include <string.h>

static uint32_t copy_chain(const struct pd_u64s *chain, uint64_t *to)
{
	uint32_t nr = (uint32_t)chain->nr; /* RPT_CHAIN_NR at most */

	if (!nr)
		return 0;
	if (!chain->swap) {
		memcpy(to, chain->raw, nr * sizeof(*to));
		return nr;
	}
	for (uint32_t i = 0; i < nr; i++)
		to[i] = pd_u64s_at(chain, i);
	return nr;
}

void rpt_profile_key_fill(const struct rpt_profile_conf *conf,
			  struct rpt_stack_key *key,
			  const struct pd_sample *sample)
{
	key->ip = sample->ip;
	key->cpumode = sample->misc & PD_MISC_CPUMODE_MASK;
	key->chain_nr = 0;
	if (conf->history.is_asked)
		key->chain_nr =
			rpt_branch_history(&conf->history, sample, key->chain);
	else if (conf->with_chains)
		key->chain_nr = copy_chain(&sample->callchain, key->chain);
	key->is_of_branches = sample->is_chain_of_branches;
}

size_t rpt_profile_key_close(struct rpt_stack_key *key,
			     const struct rpt_profile *profile,
			     const struct pd_sample *sample,
			     struct rpt_timestamp when)
{
	const struct rpt_profile_conf *conf = &profile->conf;
	uint64_t *end = key->chain + key->chain_nr;

	key->branch_words = 0;
	if (conf->branches.by_from || conf->branches.by_flags) {
		*end++ = conf->branches.by_from ? profile->branch.from : 0;
		*end++ = profile->branch.flags & conf->branches.by_flags;
		key->branch_words = 2;
	}
	key->value_nr = (uint8_t)conf->value_nr; /* RPT_VALUES_NR */
	for (uint32_t i = 0; i < conf->value_nr; i++)
		*end++ = rpt_value_of(conf->values[i], sample, when,
				      &conf->value_conf);
	key->raw_len = 0;
	if (conf->by_raw && sample->raw_len <= PD_RECORD_LEN_MAX)
		key->raw_len = sample->raw_len;
	if (key->raw_len)
		memcpy(end, sample->raw, key->raw_len);
	return (size_t)((uint8_t *)end - (uint8_t *)key) + key->raw_len;
}

static const struct rpt_stack_context *
find_base(struct rpt_profile *profile, const struct rpt_stack_context *base)
{
	struct rpt_stack_bases *bases = profile->conf.bases;
	const struct rpt_stack_context *found;
	bool is_new;

	if (profile->is_full)
		return rpt_stack_bases_find(bases, base);
	found = rpt_stack_bases_get(bases, base, &is_new);
	if (found && is_new &&
	    !rpt_profile_take(profile, RPT_STACK_CONTEXT_COST_LEN))
		profile->is_full = true;
	return found;
}

const struct rpt_stack_context *
rpt_profile_context(struct rpt_profile *profile, const struct pd_sample *sample,
		    const struct rpt_task_state *task)
{
	const struct rpt_profile_conf *conf = &profile->conf;
	struct rpt_stack_context base = {
		.comm = (uint64_t)(uintptr_t)task->comm,
		.tid = conf->by_task || !task->comm ? task->ref.tid
						    : RPT_NO_KEY,
		.cpu = RPT_NO_KEY,
		/* What user frames depend on; kernel addresses do not. */
		.space_id = task->space_id,
		.space_version = task->space_version,
		.kernel_version = task->kernel_version,
		.block = profile->block,
	};
	const struct rpt_stack_context **last;

	if (conf->by_cpu)
		base.cpu = sample->present & PD_SAMPLE_CPU ? sample->cpu
							   : UINT32_MAX;
	last = &profile->recent[(task->ref.tid + base.cpu) %
				RPT_RECENT_CONTEXTS_NR];
	if (!*last || memcmp(*last, &base, sizeof(base)) != 0)
		*last = find_base(profile, &base);
	return *last;
}
