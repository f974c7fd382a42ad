#include "record/stat/stat_file_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/file/feature.h"

static bool read_topology(const struct pd_reader *reader,
			  struct pd_cpu_topology *ret)
{
	struct pd_nrcpus nrcpus;
	struct pd_cursor c;

	return pd_reader_feature(reader, PD_FEATURE_NRCPUS, &c) &&
	       !pd_feature_nrcpus_read(&c, &nrcpus) &&
	       pd_reader_feature(reader, PD_FEATURE_CPU_TOPOLOGY, &c) &&
	       !pd_feature_cpu_topology_read(&c, nrcpus.available, ret);
}

static void set_sockets(const struct pd_reader *reader,
			const struct rec_target *target,
			struct rec_stat_place *places)
{
	struct pd_cpu_topology topology = { .place_nr = 0 };
	bool is_known = read_topology(reader, &topology);

	for (size_t i = 0; i < target->cpu_nr; i++) {
		int cpu = target->cpus[i];
		const struct pd_cpu_place *from;

		places[i] = (struct rec_stat_place){ 0, 0, 0, -1 };
		if (cpu < 0)
			continue;
		if (!is_known)
			rec_stat_place_read(&places[i], "/sys", cpu);
		if (!is_known || (size_t)cpu >= topology.place_nr)
			continue;
		from = &topology.places[cpu];
		places[i].socket = (int)from->socket_id;
		places[i].die = topology.has_dies ? (int)from->die_id : 0;
		places[i].core = (int)from->core_id;
	}
	if (is_known)
		pd_cpu_topology_release(&topology);
}

static void set_node(const struct pd_numa_node *node,
		     const struct rec_target *target,
		     struct rec_stat_place *places)
{
	char text[REC_CPU_LIST_LEN_MAX];
	struct rec_cpu_list cpus;

	if (node->cpus.len >= sizeof(text))
		return;
	memcpy(text, node->cpus.ptr, node->cpus.len);
	text[node->cpus.len] = '\0';
	if (rec_cpu_list_parse(text, &cpus, NULL))
		return;
	for (size_t i = 0; i < target->cpu_nr; i++)
		if (rec_cpu_list_has(&cpus, target->cpus[i]))
			places[i].node = (int)node->node;
	rec_cpu_list_release(&cpus);
}

int rec_stat_file_places(const struct pd_reader *reader,
			 const struct rec_target *target,
			 struct rec_stat_place **ret)
{
	struct rec_stat_place *places =
		calloc(target->cpu_nr + 1, sizeof(*places));
	struct pd_numa_topology numa;
	struct pd_cursor c;

	*ret = places;
	if (!places)
		return -ENOMEM;
	set_sockets(reader, target, places);
	if (!pd_reader_feature(reader, PD_FEATURE_NUMA_TOPOLOGY, &c) ||
	    pd_feature_numa_topology_read(&c, &numa))
		return 0;
	for (size_t i = 0; i < numa.nr; i++)
		set_node(&numa.nodes[i], target, places);
	pd_numa_topology_release(&numa);
	return 0;
}
