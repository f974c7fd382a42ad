#include "record/ring/thread_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/support/options.h"
#include "record/base/read_file.h"
#include "record/ring/affinity.h"

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

static struct rec_thread_group *group_of(const struct rec_thread_plan *plan,
					 int cpu)
{
	for (size_t i = 0; i < plan->thread_nr; i++)
		if (rec_cpu_list_has(&plan->groups[i].cpus, cpu))
			return &plan->groups[i];
	return NULL;
}

static void release_group(struct rec_thread_group *group)
{
	rec_cpu_list_release(&group->cpus);
	rec_cpu_list_release(&group->bound);
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

/* Format the CPUs that share a core, a package or a node with this one. */
static void neighbours(const struct rec_sysroots *roots, const char *word,
		       int cpu, char ret[REC_CPU_LIST_LEN_MAX])
{
	char file[32];

	snprintf(ret, REC_CPU_LIST_LEN_MAX, "%d", cpu);
	snprintf(file, sizeof(file), "%s_cpus_list", word);
	if (!strcmp(word, "numa"))
		rec_node_cpus(roots, cpu, ret);
	else if (strcmp(word, "cpu") != 0 &&
		 !rec_read_siblings(roots->sys, cpu, file, ret))
		snprintf(ret, REC_CPU_LIST_LEN_MAX, "%d", cpu);
}

static int group_by(struct rec_thread_plan *plan, const char *word,
		    const struct rec_target *target,
		    const struct rec_sysroots *roots)
{
	for (size_t i = 0; i < target->cpu_nr; i++) {
		struct rec_thread_group group = { { NULL, 0 }, { NULL, 0 } };
		char list[REC_CPU_LIST_LEN_MAX];
		int rc;

		if (group_of(plan, target->cpus[i]))
			continue;
		neighbours(roots, word, target->cpus[i], list);
		rc = rec_cpu_list_parse(list, &group.cpus, NULL);
		if (!rc)
			rc = rec_cpu_list_parse(list, &group.bound, NULL);
		if (!rc)
			rc = add_group(plan, &group);
		if (rc) {
			release_group(&group);
			return rc;
		}
	}
	return 0;
}

/* Remove CPUs that are not recorded, as perf does. */
static void keep_known(struct rec_cpu_list *list,
		       const struct rec_target *target)
{
	const struct rec_cpu_list known = { target->cpus, target->cpu_nr };
	size_t kept = 0;

	for (size_t i = 0; i < list->nr; i++)
		if (rec_cpu_list_has(&known, list->cpus[i]))
			list->cpus[kept++] = list->cpus[i];
	list->nr = kept;
}

static bool have_common(const struct rec_cpu_list *a,
			const struct rec_cpu_list *b)
{
	for (size_t i = 0; i < a->nr; i++)
		if (rec_cpu_list_has(b, a->cpus[i]))
			return true;
	return false;
}

static bool overlaps(const struct rec_thread_plan *plan,
		     const struct rec_thread_group *group)
{
	for (size_t i = 0; i < plan->thread_nr; i++)
		if (have_common(&group->cpus, &plan->groups[i].cpus) ||
		    have_common(&group->bound, &plan->groups[i].bound))
			return true;
	return false;
}

/* Parse "0,2-4/2-4". */
static int add_pair(struct rec_thread_plan *plan, char *pair,
		    const struct rec_target *target, struct pd_err *err)
{
	struct rec_thread_group group = { { NULL, 0 }, { NULL, 0 } };
	char *slash = strchr(pair, '/');
	int rc;

	if (!slash)
		return bad(err, pair);
	*slash = '\0';
	rc = rec_cpu_list_parse(pair, &group.cpus, err);
	if (!rc)
		rc = rec_cpu_list_parse(slash + 1, &group.bound, err);
	if (!rc)
		keep_known(&group.cpus, target);
	if (!rc && !group.cpus.nr)
		rc = pd_err_set(err, -EINVAL,
				"--threads: none of the CPUs %s is recorded",
				pair);
	else if (!rc && overlaps(plan, &group))
		rc = pd_err_set(err, -EINVAL,
				"--threads: %s/%s has a CPU that another "
				"thread has",
				pair, slash + 1);
	else if (!rc)
		rc = add_group(plan, &group);
	if (rc)
		release_group(&group);
	return rc;
}

static int parse_pairs(struct rec_thread_plan *plan, const char *text,
		       const struct rec_target *target, struct pd_err *err)
{
	char *copy = strdup(text), *rest = copy, *pair;
	int rc = copy ? 0 : -ENOMEM;

	while (!rc && (pair = strsep(&rest, ":")))
		rc = add_pair(plan, pair, target, err);
	free(copy);
	return rc;
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
	int rc = 0;

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
		rc = group_by(ret, text, target, roots);
	else if (strchr(text, '/'))
		rc = parse_pairs(ret, text, target, err);
	else
		rc = bad(err, text);
	if (rc) {
		pd_err_set(err, rc, "--threads: %s", strerror(-rc));
		rec_thread_plan_release(ret);
	}
	return rc;
}

void rec_thread_plan_release(struct rec_thread_plan *plan)
{
	for (size_t i = 0; plan->groups && i < plan->thread_nr; i++)
		release_group(&plan->groups[i]);
	free(plan->groups);
	memset(plan, 0, sizeof(*plan));
}

size_t rec_thread_plan_find(const struct rec_thread_plan *plan, int cpu)
{
	const struct rec_thread_group *group =
		plan->groups ? group_of(plan, cpu) : NULL;

	return group ? (size_t)(group - plan->groups) : 0;
}
