#include "record/ring/affinity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/base/read_file.h"
#include "record/targets/target.h"

enum { NODES_MAX = 1024, CPUS_MAX = 16384, SLICE_NS = 100000 };
enum { RESET_ON_FORK = 1 }; /* SCHED_FLAG_RESET_ON_FORK */

int rec_affinity_parse(const char *text, enum rec_affinity_mode *ret,
		       struct pd_err *err)
{
	static const char *const words[] = {
		[REC_AFFINITY_SYS] = "sys",
		[REC_AFFINITY_NODE] = "node",
		[REC_AFFINITY_CPU] = "cpu",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i])) {
			*ret = (enum rec_affinity_mode)i;
			return 0;
		}
	pd_err_set(err, -EINVAL, "--affinity '%s' is not understood", text);
	pd_err_hint(err, "give sys, node or cpu");
	return -EINVAL;
}

void rec_node_cpus(const struct rec_sysroots *roots, int cpu,
		   char ret[REC_CPU_LIST_LEN_MAX])
{
	for (unsigned node = 0; node < NODES_MAX; node++) {
		struct rec_cpu_list list = { NULL, 0 };
		char path[64];
		bool hit;

		snprintf(path, sizeof(path),
			 "devices/system/node/node%u/cpulist", node);
		if (rec_read_line(roots->sys, path, ret, REC_CPU_LIST_LEN_MAX))
			continue;
		hit = !rec_cpu_list_parse(ret, &list, NULL) &&
		      rec_cpu_list_has(&list, cpu);
		rec_cpu_list_release(&list);
		if (hit)
			return;
	}
	if (rec_read_line(roots->sys, REC_ONLINE_CPUS, ret,
			  REC_CPU_LIST_LEN_MAX))
		snprintf(ret, REC_CPU_LIST_LEN_MAX, "%d", cpu);
}

/* Return a set with these CPUs; NULL: no memory. */
static cpu_set_t *set_of(const struct rec_cpu_list *list)
{
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);

	if (!set)
		return NULL;
	CPU_ZERO_S(CPU_ALLOC_SIZE(CPUS_MAX), set);
	for (size_t i = 0; i < list->nr; i++)
		if (list->cpus[i] < CPUS_MAX)
			CPU_SET_S((size_t)list->cpus[i],
				  CPU_ALLOC_SIZE(CPUS_MAX), set);
	return set;
}

int rec_affinity_bind(const struct rec_cpu_list *cpus)
{
	cpu_set_t *set = set_of(cpus);
	int rc = 0;

	if (!set)
		return -ENOMEM;
	if (sched_setaffinity(0, CPU_ALLOC_SIZE(CPUS_MAX), set))
		rc = -errno;
	CPU_FREE(set);
	return rc;
}

int rec_affinity_init(struct rec_affinity *ret, enum rec_affinity_mode mode,
		      const struct rec_ring_reader *readers, size_t nr,
		      const struct rec_sysroots *roots)
{
	char list[REC_CPU_LIST_LEN_MAX];

	memset(ret, 0, sizeof(*ret));
	if (mode == REC_AFFINITY_SYS)
		return 0;
	ret->sets = calloc(nr + 1, sizeof(*ret->sets));
	if (!ret->sets)
		return -ENOMEM;
	ret->nr = nr;
	for (size_t i = 0; i < nr; i++) {
		struct rec_cpu_list cpus;

		if (readers[i].cpu < 0)
			continue;
		snprintf(list, sizeof(list), "%d", readers[i].cpu);
		if (mode == REC_AFFINITY_NODE)
			rec_node_cpus(roots, readers[i].cpu, list);
		if (rec_cpu_list_parse(list, &cpus, NULL))
			continue;
		ret->sets[i] = set_of(&cpus);
		rec_cpu_list_release(&cpus);
	}
	return 0;
}

void rec_affinity_release(struct rec_affinity *affinity)
{
	for (size_t i = 0; i < affinity->nr; i++)
		if (affinity->sets[i])
			CPU_FREE(affinity->sets[i]);
	free(affinity->sets);
	memset(affinity, 0, sizeof(*affinity));
}

void rec_affinity_follow(const struct rec_affinity *affinity, size_t idx,
			 size_t *last)
{
	const cpu_set_t *set;

	if (!affinity->sets || idx == *last || !affinity->sets[idx])
		return;
	set = affinity->sets[idx];
	if (*last == SIZE_MAX || !affinity->sets[*last] ||
	    !CPU_EQUAL_S(CPU_ALLOC_SIZE(CPUS_MAX), set, affinity->sets[*last]))
		(void)!sched_setaffinity(0, CPU_ALLOC_SIZE(CPUS_MAX), set);
	*last = idx;
}

/* sched_setattr(2) has no wrapper in the C library, and its kernel header
 * conflicts with <sched.h>; this is its first version. */
struct sched_attr_v0 {
	uint32_t len;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns;
	uint64_t deadline_ns;
	uint64_t period_ns;
};

bool rec_set_priority(int tid, unsigned priority)
{
	struct sched_attr_v0 attr = {
		.len = sizeof(attr),
		.policy = priority ? SCHED_RR : SCHED_OTHER,
		.flags = RESET_ON_FORK,
		.priority = priority,
	};

	if (!priority) {
		attr.nice = getpriority(PRIO_PROCESS, (id_t)tid);
		attr.runtime_ns = SLICE_NS;
	}
	return !syscall(SYS_sched_setattr, tid, &attr, 0);
}

bool rec_is_at_own_priority(void)
{
	return (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_OTHER;
}

void rec_ask_short_slices(void)
{
	if (rec_is_at_own_priority())
		rec_set_priority(0, 0);
}
