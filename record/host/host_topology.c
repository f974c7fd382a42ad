#include "record/host/host_parts.h"

#include "record/base/cpu_list.h"
#include "record/base/read_file.h"

#include <stdio.h>
#include <stdlib.h>

enum { ID_UNKNOWN = -1 };

/* Read an id; -1 if the firmware does not provide it. */
static uint32_t read_id(const struct rec_sysroots *roots, uint32_t cpu,
			const char *name)
{
	char path[128];
	uint64_t v;

	snprintf(path, sizeof(path), "devices/system/cpu/cpu%u/topology/%s",
		 cpu, name);
	if (rec_read_u64(roots->sys, path, &v) != 0 || v > UINT32_MAX)
		return (uint32_t)ID_UNKNOWN;
	return (uint32_t)v;
}

/* Add a set of siblings once; all its CPUs list it. */
static int add_once(struct rec_host_facts *facts, struct pd_str_list *list,
		    const char *text)
{
	struct pd_str copy;
	void *items;

	for (size_t i = 0; i < list->nr; i++)
		if (pd_str_eq(list->items[i], text))
			return 0;
	items = rec_list_grow(list->items, list->nr, sizeof(*list->items));
	if (!items)
		return -ENOMEM;
	list->items = items;
	copy = rec_text_pool_add(&facts->pool, text);
	if (!copy.ptr)
		return -ENOMEM;
	list->items[list->nr++] = copy;
	return 0;
}

static int add_siblings(struct rec_host_facts *facts,
			const struct rec_sysroots *roots, uint32_t cpu)
{
	struct pd_cpu_topology *t = &facts->cpu_topology;
	char list[REC_CPU_LIST_LEN_MAX];
	int rc = 0;

	if (rec_read_siblings(roots->sys, (int)cpu, "package_cpus_list", list))
		rc = add_once(facts, &t->core_siblings, list);
	if (!rc && t->has_dies &&
	    rec_read_siblings(roots->sys, (int)cpu, "die_cpus_list", list))
		rc = add_once(facts, &t->die_siblings, list);
	if (!rc &&
	    rec_read_siblings(roots->sys, (int)cpu, "core_cpus_list", list))
		rc = add_once(facts, &t->thread_siblings, list);
	return rc;
}

int rec_host_topology_read(struct rec_host_facts *facts,
			   const struct rec_sysroots *roots)
{
	struct pd_cpu_topology *t = &facts->cpu_topology;
	const uint32_t nr = facts->nrcpus.available;
	char list[REC_CPU_LIST_LEN_MAX];
	int rc = 0;

	if (nr == 0 ||
	    !rec_read_siblings(roots->sys, 0, "core_cpus_list", list))
		return 0;
	/* On other architectures the file exists without a meaning. */
	t->has_dies = !strcmp(facts->arch, "x86_64") &&
		      rec_read_siblings(roots->sys, 0, "die_cpus_list", list);
	t->places = calloc(nr, sizeof(*t->places));
	if (!t->places)
		return -ENOMEM;
	t->place_nr = nr;
	for (uint32_t cpu = 0; cpu < nr && !rc; cpu++) {
		t->places[cpu] = (struct pd_cpu_place){
			.core_id = read_id(roots, cpu, "core_id"),
			.socket_id = read_id(roots, cpu, "physical_package_id"),
			.die_id = read_id(roots, cpu, "die_id"),
		};
		rc = add_siblings(facts, roots, cpu);
	}
	return rc;
}
