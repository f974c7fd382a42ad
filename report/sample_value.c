#include "report/sample_value.h"

#include "format/feature.h"
#include "format/feature_host.h"

#include <errno.h>
#include <stdlib.h>

int rpt_sockets_read(struct rpt_sockets *sockets, struct pd_reader *reader)
{
	struct pd_nrcpus cpus = { 0 };
	struct pd_cpu_topology topology;
	struct pd_cursor c;
	uint32_t *of_cpu;

	*sockets = (struct rpt_sockets){ 0 };
	if (pd_reader_feature(reader, PD_FEATURE_NRCPUS, &c))
		pd_feature_nrcpus_read(&c, &cpus);
	if (!pd_reader_feature(reader, PD_FEATURE_CPU_TOPOLOGY, &c) ||
	    pd_feature_cpu_topology_read(&c, cpus.available, &topology))
		return 0;
	of_cpu = calloc(topology.place_nr + 1, sizeof(*of_cpu));
	for (size_t i = 0; of_cpu && i < topology.place_nr; i++)
		of_cpu[i] = topology.places[i].socket_id;
	*sockets = (struct rpt_sockets){
		.of_cpu = of_cpu,
		.cpu_nr = of_cpu ? (uint32_t)topology.place_nr : 0,
	};
	pd_cpu_topology_release(&topology);
	return of_cpu ? 0 : -ENOMEM;
}

void rpt_sockets_release(struct rpt_sockets *sockets)
{
	free(sockets->of_cpu);
	*sockets = (struct rpt_sockets){ 0 };
}

uint32_t rpt_socket_of(const struct rpt_sockets *sockets,
		       const struct pd_sample *sample)
{
	return sample->present & PD_SAMPLE_CPU && sample->cpu < sockets->cpu_nr
		       ? sockets->of_cpu[sample->cpu]
		       : UINT32_MAX;
}

uint64_t rpt_value_of(enum rpt_value value, const struct pd_sample *sample,
		      const struct rpt_sockets *sockets)
{
	switch (value) {
	case RPT_VALUE_SOCKET:
		return rpt_socket_of(sockets, sample);
	case RPT_VALUE_WEIGHT:
		return sample->weight;
	case RPT_VALUE_INS_LAT:
		return sample->ins_lat;
	case RPT_VALUE_CGROUP:
		return sample->cgroup_id;
	case RPT_VALUE_CODE_PAGE:
		return sample->code_page_size;
	case RPT_VALUE_TIME:
		return sample->time_ns - sample->time_ns % RPT_TIME_QUANTUM_NS;
	case RPT_VALUES_NR:
	default:
		return 0;
	}
}

int rpt_value_compare(enum rpt_value value, uint64_t a, uint64_t b)
{
	int rc = (a > b) - (a < b);

	switch (value) {
	case RPT_VALUE_WEIGHT:
	case RPT_VALUE_INS_LAT:
		return -rc;
	case RPT_VALUE_SOCKET:
		return (int32_t)a < (int32_t)b ? -1 : (int32_t)a > (int32_t)b;
	default:
		return rc;
	}
}
