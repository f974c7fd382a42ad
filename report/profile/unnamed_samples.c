#include "report/profile/unnamed_samples.h"

#include "report/base/intern.h"
#include "report/symbols/carried_names.h"

bool rpt_unnamed_samples_map(const struct rpt_profile *profile,
			     uint32_t stack_idx, struct rpt_map *ret)
{
	const struct rpt_timeline *timeline = profile->conf.timeline;
	const struct rpt_stack *stack = &profile->stacks[stack_idx];
	const struct rpt_stack_key *key = rpt_profile_key(profile, stack_idx);
	struct rpt_task_ref ref;

	rpt_timeline_task(timeline, stack->first_pid, stack->first_tid,
			  stack->first, &ref);
	return rpt_timeline_map(timeline, &ref, key->cpumode, key->ip,
				stack->first, ret);
}

/* Return true if the file of the mapping could not be named, and the address
 * has no name, for no reason that is reported otherwise. */
static bool is_unnamed(const struct rpt_map *map, uint64_t ip,
		       bool is_unfinished)
{
	const struct pd_carried_file *f = rpt_dso_carried_file(map->dso);
	const struct rpt_symbol *sym;

	if (!is_unfinished && (!f || f->reason == PD_CARRIED_WHOLE))
		return false;
	sym = rpt_dso_symbol(map->dso, ip - map->start + map->pgoff);
	return (!sym || sym->is_made_up) && !rpt_dso_problem(map->dso);
}

void rpt_unnamed_samples_count(const struct rpt_profile *profile,
			       bool is_unfinished,
			       struct rpt_unnamed_samples *ret)
{
	struct rpt_symbols *symbols =
		rpt_timeline_symbols(profile->conf.timeline);
	struct rpt_intern files = { .nr = 0 };

	*ret = (struct rpt_unnamed_samples){ .is_unfinished = is_unfinished };
	if (!is_unfinished && !rpt_symbols_lacks_carried(symbols))
		return;
	for (uint32_t i = 0; i < profile->keys.nr; i++) {
		struct rpt_map map;
		int64_t idx;

		ret->all_nr += profile->stacks[i].nr;
		if (!rpt_unnamed_samples_map(profile, i, &map) ||
		    !is_unnamed(&map, rpt_profile_key(profile, i)->ip,
				is_unfinished))
			continue;
		ret->nr += profile->stacks[i].nr;
		idx = rpt_intern(&files, &map.dso, sizeof(map.dso));
		if (idx >= 0 && idx < RPT_UNNAMED_SHOWN)
			ret->files[idx] = map.dso;
	}
	ret->file_nr = files.nr;
	rpt_intern_release(&files);
}
