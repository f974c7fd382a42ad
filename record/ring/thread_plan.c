#include "record/ring/thread_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/support/options.h"
#include "record/ring/affinity.h"
#include "record/base/read_file.h"

enum {
	CPUS_PER_THREAD = 8,
	THREADS_BY_DEFAULT_MAX = 16,
};

static const char hint[] = "give a number, cpu, core, package, numa, or "
			   "CPUS/AFFINITY:CPUS/AFFINITY:... such as 0/0:1/1";

static int bad(struct pd_err *err, const char *text)
{
	pd_err_set(err, -EINVAL, "--threads '%s' is not understood", text);
	pd_err_hint(err, "%s", hint);
	return -EINVAL;
}

static bool holds(const int *cpus, size_t nr, int cpu)
{
	for (size_t i = 0; i < nr; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

static struct rec_thread_group *group_of(const struct rec_thread_plan *plan,
					 int cpu)
{
	for (size_t i = 0; i < plan->thread_nr; i++)
		if (holds(plan->groups[i].cpus, plan->groups[i].cpu_nr, cpu))
			return &plan->groups[i];
	return NULL;
}

static int add_group(struct rec_thread_plan *plan,
		     const struct rec_thread_group *group)
{
	struct rec_thread_group *grown;

	if (plan->thread_nr == REC_THREADS_MAX)
		return -EINVAL;
	grown = reallocarray(plan->groups, plan->thread_nr + 1,
			     sizeof(*plan->groups));
	if (!grown)
		return -ENOMEM;
	plan->groups = grown;
	plan->groups[plan->thread_nr++] = *group;
	return 0;
}

/* The CPUs that share a core, a package or a node with this one, as text. */
static void neighbours(const struct rec_sysroots *roots, const char *word,
		       int cpu, char ret[REC_CPU_LIST_LEN_MAX])
{
	static const struct {
		const char *word;
		const char *file;
		const char *old_file;
	} files[] = {
		{ "core", "core_cpus_list", "thread_siblings_list" },
		{ "package", "package_cpus_list", "core_siblings_list" },
	};
	char path[128];

	snprintf(ret, REC_CPU_LIST_LEN_MAX, "%d", cpu);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(word, files[i].word) != 0)
			continue;
		snprintf(path, sizeof(path),
			 "devices/system/cpu/cpu%d/topology/%s", cpu,
			 files[i].file);
		if (!rec_read_line(roots->sys, path, ret, REC_CPU_LIST_LEN_MAX))
			return;
		snprintf(path, sizeof(path),
			 "devices/system/cpu/cpu%d/topology/%s", cpu,
			 files[i].old_file);
		if (rec_read_line(roots->sys, path, ret, REC_CPU_LIST_LEN_MAX))
			snprintf(ret, REC_CPU_LIST_LEN_MAX, "%d", cpu);
	}
}

static int group_by(struct rec_thread_plan *plan, const char *word,
		    const struct rec_target *target,
		    const struct rec_sysroots *roots)
{
	for (size_t i = 0; i < target->cpu_nr; i++) {
		struct rec_thread_group group = { .cpus = NULL };
		char list[REC_CPU_LIST_LEN_MAX];
		int code;

		if (group_of(plan, target->cpus[i]))
			continue;
		if (!strcmp(word, "numa"))
			rec_node_cpus(roots, target->cpus[i], list);
		else
			neighbours(roots, word, target->cpus[i], list);
		code = rec_cpu_list_parse(list, &group.cpus, &group.cpu_nr,
					  NULL);
		if (!code)
			code = rec_cpu_list_parse(list, &group.bound,
						  &group.bound_nr, NULL);
		if (!code)
			code = add_group(plan, &group);
		if (code) {
			free(group.cpus);
			free(group.bound);
			return code;
		}
	}
	return 0;
}

/* Leaves out CPUs that are not recorded, as perf does. */
static size_t keep_known(int *cpus, size_t nr, const struct rec_target *target)
{
	size_t kept_nr = 0;

	for (size_t i = 0; i < nr; i++)
		if (holds(target->cpus, target->cpu_nr, cpus[i]))
			cpus[kept_nr++] = cpus[i];
	return kept_nr;
}

static bool overlaps(const struct rec_thread_plan *plan,
		     const struct rec_thread_group *group)
{
	for (size_t i = 0; i < plan->thread_nr; i++) {
		const struct rec_thread_group *g = &plan->groups[i];

		for (size_t k = 0; k < group->cpu_nr; k++)
			if (holds(g->cpus, g->cpu_nr, group->cpus[k]))
				return true;
		for (size_t k = 0; k < group->bound_nr; k++)
			if (holds(g->bound, g->bound_nr, group->bound[k]))
				return true;
	}
	return false;
}

/* "0,2-4/2-4" */
static int add_pair(struct rec_thread_plan *plan, char *pair,
		    const struct rec_target *target, struct pd_err *err)
{
	struct rec_thread_group group = { .cpus = NULL };
	char *slash = strchr(pair, '/');
	int code;

	if (!slash)
		return bad(err, pair);
	*slash = '\0';
	code = rec_cpu_list_parse(pair, &group.cpus, &group.cpu_nr, err);
	if (!code)
		code = rec_cpu_list_parse(slash + 1, &group.bound,
					  &group.bound_nr, err);
	if (code)
		goto out;
	group.cpu_nr = keep_known(group.cpus, group.cpu_nr, target);
	if (!group.cpu_nr)
		code = pd_err_set(err, -EINVAL,
				  "--threads: none of the CPUs %s is recorded",
				  pair);
	else if (overlaps(plan, &group))
		code = pd_err_set(err, -EINVAL,
				  "--threads: %s/%s has a CPU that another "
				  "thread has",
				  pair, slash + 1);
	else
		code = add_group(plan, &group);
out:
	if (code) {
		free(group.cpus);
		free(group.bound);
	}
	return code;
}

static int parse_pairs(struct rec_thread_plan *plan, const char *text,
		       const struct rec_target *target, struct pd_err *err)
{
	char *copy = strdup(text), *rest = copy, *pair;
	int code = copy ? 0 : -ENOMEM;

	while (!code && (pair = strsep(&rest, ":")))
		code = add_pair(plan, pair, target, err);
	free(copy);
	return code;
}

static bool is_word(const char *text)
{
	static const char *const words[] = { "cpu", "core", "package", "numa" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i]))
			return true;
	return false;
}

static size_t default_nr(const struct rec_target *target)
{
	size_t nr = (target->cpu_nr + CPUS_PER_THREAD - 1) / CPUS_PER_THREAD;

	return nr < THREADS_BY_DEFAULT_MAX ? nr : THREADS_BY_DEFAULT_MAX;
}

int rec_thread_plan_init(struct rec_thread_plan *ret, const char *text,
			 const struct rec_target *target,
			 const struct rec_sysroots *roots, struct pd_err *err)
{
	uint64_t nr;
	int code = 0;

	memset(ret, 0, sizeof(*ret));
	if (!text) {
		ret->thread_nr = default_nr(target);
		return 0;
	}
	if (!sup_parse_u64(text, &nr)) {
		if (!nr || nr > REC_THREADS_MAX)
			return bad(err, text);
		ret->thread_nr = (size_t)nr;
		return 0;
	}
	if (target->any_cpu) {
		pd_err_set(err, -EINVAL,
			   "--threads '%s' goes by CPUs, --per-thread has a "
			   "ring for each thread",
			   text);
		pd_err_hint(err, "give a number of threads");
		return -EINVAL;
	}
	if (is_word(text))
		code = group_by(ret, text, target, roots);
	else if (strchr(text, '/'))
		code = parse_pairs(ret, text, target, err);
	else
		code = bad(err, text);
	if (code) {
		pd_err_set(err, code, "--threads: %s", strerror(-code));
		rec_thread_plan_release(ret);
	}
	return code;
}

void rec_thread_plan_release(struct rec_thread_plan *plan)
{
	for (size_t i = 0; plan->groups && i < plan->thread_nr; i++) {
		free(plan->groups[i].cpus);
		free(plan->groups[i].bound);
	}
	free(plan->groups);
	memset(plan, 0, sizeof(*plan));
}

size_t rec_thread_plan_find(const struct rec_thread_plan *plan, int cpu)
{
	const struct rec_thread_group *group =
		plan->groups ? group_of(plan, cpu) : NULL;

	return group ? (size_t)(group - plan->groups) : 0;
}
