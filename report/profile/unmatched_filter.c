#include "report/profile/unmatched_filter.h"

#include "report/symbols/dso_class.h"
#include "report/timeline/tasks.h"

#include "format/support/nearest.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* A single option. */
struct search {
	const struct rpt_profile *profile;
	const char *option;
	const char *typed;
	struct rpt_filter filter; /* of this option only */
	struct sup_nearest near;
};

/* Look whether a task fits, by the last name that it had. */
static bool fits_task(struct search *s)
{
	const struct rpt_timeline *tl = s->profile->conf.timeline;
	struct rpt_task_exit last;

	for (uint32_t i = 0; rpt_timeline_last_task(tl, i, &last); i++) {
		const struct rpt_task *task = last.ref.task;
		struct rpt_filtered_task last_names;
		const char *near;

		if (!task)
			continue;
		last_names = (struct rpt_filtered_task){
			task->pid,
			task->tid,
			rpt_task_ref_comm_last(&last.ref),
			rpt_filter_process(&s->filter, tl, task->pid, task->tid,
					   (struct rpt_timestamp){
						   UINT64_MAX, UINT64_MAX }),
		};
		if (rpt_filter_task(&s->filter, &last_names))
			return true;
		near = s->filter.asked & RPT_FILTER_PROCESS ? last_names.process
							    : last_names.comm;
		if (near)
			sup_nearest_offer(&s->near, near);
	}
	return false;
}

/* Return the mapping in which a stack's sample was taken; false if there is
 * none. */
static bool find_map(const struct rpt_profile *profile, uint32_t idx,
		     struct rpt_map *ret)
{
	const struct rpt_timeline *timeline = profile->conf.timeline;
	const struct rpt_stack *stack = &profile->stacks[idx];
	const struct rpt_stack_key *key = rpt_profile_key(profile, idx);
	struct rpt_task_ref ref;

	rpt_timeline_task(timeline, stack->first_pid, stack->first_tid,
			  stack->first, &ref);
	return rpt_timeline_map(timeline, &ref, key->cpumode, key->ip,
				stack->first, ret);
}

/* Look whether a sample is there. */
static bool fits_place(struct search *s)
{
	for (uint32_t i = 0; i < s->profile->keys.nr; i++) {
		uint64_t ip = rpt_profile_key(s->profile, i)->ip;
		const struct rpt_symbol *symbol;
		struct rpt_map map;
		char name[PATH_MAX];

		if (!find_map(s->profile, i, &map))
			continue;
		symbol = rpt_dso_symbol(map.dso, ip - map.start + map.pgoff);
		if (rpt_filter_place(&s->filter, map.dso,
				     symbol ? symbol->name : NULL, ip))
			return true;
		if (s->filter.asked & RPT_FILTER_DSO)
			sup_nearest_offer(&s->near,
					  rpt_dso_short_name(map.dso, name,
							     sizeof(name)));
		else if (symbol)
			sup_nearest_offer(&s->near, symbol->name);
	}
	return false;
}

/* Return whether nothing fits the option; ret then says so. */
static bool is_unmatched(struct search *s, const char *what, bool is_task,
			 struct pd_err *ret)
{
	/* those that other tasks have are not in the profile */
	if (is_task && s->profile->keys.nr)
		return false;
	sup_nearest_init(&s->near, s->typed, strcspn(s->typed, ","));
	if (is_task ? fits_task(s) : fits_place(s))
		return false;
	pd_err_set(ret, -ENOENT, "%s: no %s '%s'", s->option, what, s->typed);
	sup_nearest_hint(&s->near, ret, NULL);
	return true;
}

bool rpt_unmatched_filter_find(const struct rpt_profile *profile,
			       const struct rpt_filter_args *args,
			       struct pd_err *ret)
{
	const struct {
		const char *option, *typed, *what;
		struct rpt_filter_args alone;
		bool is_task;
	} options[] = {
		{ "--pid",
		  args->pids,
		  "process has the number",
		  { .pids = args->pids },
		  true },
		{ "--tid",
		  args->tids,
		  "thread has the number",
		  { .tids = args->tids },
		  true },
		{ "--comms",
		  args->comms,
		  "thread is named",
		  { .comms = args->comms },
		  true },
		{ "--process",
		  args->processes,
		  "process is named",
		  { .processes = args->processes },
		  true },
		{ "--dsos",
		  args->dsos,
		  "sample is in a file",
		  { .dsos = args->dsos },
		  false },
		{ "--symbols",
		  args->symbols,
		  "sample is in a function",
		  { .symbols = args->symbols, .addr_range = args->addr_range },
		  false },
	};
	bool is_found = false;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct search s = { .profile = profile,
				    .option = options[i].option,
				    .typed = options[i].typed };

		if (is_found || !s.typed)
			continue;
		is_found =
			!rpt_filter_parse(&s.filter, &options[i].alone, NULL) &&
			is_unmatched(&s, options[i].what, options[i].is_task,
				     ret);
		rpt_filter_release(&s.filter);
	}
	return is_found;
}
