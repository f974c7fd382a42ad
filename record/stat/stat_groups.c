#include "record/stat/stat_groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/base/read_file.h"

static int read_id(const char *sysfs, int cpu, const char *name)
{
	char path[128];
	uint64_t id;

	snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/topology/%s",
		 cpu, name);
	if (rec_read_u64(sysfs, path, &id) || id > REC_CPU_MAX)
		return 0;
	return (int)id;
}

/* Return the node whose list of CPUs has it; 0 on machines without nodes. */
static int read_node(const char *sysfs, int cpu)
{
	struct rec_cpu_list nodes = { NULL, 0 };
	int node = 0;

	if (rec_cpu_list_read(sysfs, "devices/system/node/online", &nodes,
			      NULL))
		return 0;
	for (size_t i = 0; i < nodes.nr; i++) {
		struct rec_cpu_list cpus = { NULL, 0 };
		char path[64];

		snprintf(path, sizeof(path),
			 "devices/system/node/node%d/cpulist", nodes.cpus[i]);
		if (!rec_cpu_list_read(sysfs, path, &cpus, NULL) &&
		    rec_cpu_list_has(&cpus, cpu))
			node = nodes.cpus[i];
		rec_cpu_list_release(&cpus);
	}
	rec_cpu_list_release(&nodes);
	return node;
}

void rec_stat_place_read(struct rec_stat_place *ret, const char *sysfs, int cpu)
{
	*ret = (struct rec_stat_place){
		.socket = read_id(sysfs, cpu, "physical_package_id"),
		.die = read_id(sysfs, cpu, "die_id"),
		.core = read_id(sysfs, cpu, "core_id"),
		.node = -1,
	};
}

/* Describe the group of a CPU, as far as the mode needs. */
static void describe(struct rec_stat_group *ret, enum rec_stat_mode mode,
		     int cpu, const struct rec_stat_place *place)
{
	*ret = (struct rec_stat_group){ -1, -1, -1, -1, -1, { 0 } };
	if (mode == REC_STAT_CPU)
		ret->cpu = cpu;
	if (mode == REC_STAT_NODE)
		ret->node = place->node;
	if (mode < REC_STAT_CORE || mode > REC_STAT_SOCKET)
		return;
	ret->socket = place->socket;
	if (mode != REC_STAT_SOCKET)
		ret->die = place->die;
	if (mode == REC_STAT_CORE)
		ret->core = place->core;
}

static int compare_groups(const void *a, const void *b)
{
	const struct rec_stat_group *x = a, *y = b;
	const int by[][2] = { { x->node, y->node },
			      { x->socket, y->socket },
			      { x->die, y->die },
			      { x->core, y->core },
			      { x->cpu, y->cpu } };

	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++)
		if (by[i][0] != by[i][1])
			return by[i][0] < by[i][1] ? -1 : 1;
	return 0;
}

static int init_threads(struct rec_stat_groups *ret,
			const struct rec_target *target)
{
	ret->groups = calloc(target->thread_nr + 1, sizeof(*ret->groups));
	if (!ret->groups)
		return -ENOMEM;
	ret->nr = target->thread_nr;
	for (size_t i = 0; i < ret->nr; i++) {
		describe(&ret->groups[i], REC_STAT_THREAD, -1, NULL);
		ret->groups[i].thread = target->threads[i];
	}
	return 0;
}

static int init_places(struct rec_stat_groups *ret,
		       const struct rec_target *target,
		       const struct rec_stat_place *places)
{
	size_t nr = target->cpu_nr, kept = 0;
	struct rec_stat_group *of_cpu = calloc(nr + 1, sizeof(*of_cpu));

	ret->groups = calloc(nr + 1, sizeof(*ret->groups));
	ret->of_place = calloc(nr + 1, sizeof(*ret->of_place));
	if (!of_cpu || !ret->groups || !ret->of_place) {
		free(of_cpu);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++)
		describe(&of_cpu[i], ret->mode, target->cpus[i], &places[i]);
	memcpy(ret->groups, of_cpu, nr * sizeof(*of_cpu));
	qsort(ret->groups, nr, sizeof(*ret->groups), compare_groups);
	for (size_t i = 0; i < nr; i++)
		if (!kept ||
		    compare_groups(&ret->groups[kept - 1], &ret->groups[i]))
			ret->groups[kept++] = ret->groups[i];
	ret->nr = kept;
	for (size_t i = 0; i < nr; i++) {
		const struct rec_stat_group *found =
			bsearch(&of_cpu[i], ret->groups, kept,
				sizeof(*ret->groups), compare_groups);

		ret->of_place[i] = (size_t)(found - ret->groups);
	}
	free(of_cpu);
	return 0;
}

int rec_stat_groups_init_places(struct rec_stat_groups *ret,
				enum rec_stat_mode mode,
				const struct rec_target *target,
				const struct rec_stat_place *places)
{
	int rc;

	memset(ret, 0, sizeof(*ret));
	ret->mode = mode;
	rc = mode == REC_STAT_THREAD ? init_threads(ret, target)
				     : init_places(ret, target, places);
	if (rc)
		rec_stat_groups_release(ret);
	return rc;
}

int rec_stat_groups_init(struct rec_stat_groups *ret, enum rec_stat_mode mode,
			 const struct rec_target *target, const char *sysfs)
{
	struct rec_stat_place *places =
		calloc(target->cpu_nr + 1, sizeof(*places));
	int rc;

	memset(ret, 0, sizeof(*ret));
	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < target->cpu_nr; i++) {
		if (mode >= REC_STAT_CORE && mode <= REC_STAT_SOCKET)
			rec_stat_place_read(&places[i], sysfs, target->cpus[i]);
		if (mode == REC_STAT_NODE)
			places[i].node = read_node(sysfs, target->cpus[i]);
	}
	rc = rec_stat_groups_init_places(ret, mode, target, places);
	free(places);
	return rc;
}

void rec_stat_groups_release(struct rec_stat_groups *groups)
{
	free(groups->groups);
	free(groups->of_place);
	memset(groups, 0, sizeof(*groups));
}

size_t rec_stat_group_of(const struct rec_stat_groups *groups, size_t place,
			 size_t thread)
{
	return groups->mode == REC_STAT_THREAD ? thread
					       : groups->of_place[place];
}
