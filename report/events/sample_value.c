#include "report/events/sample_value.h"

#include "format/file/feature.h"
#include "report/base/memory.h"
#include "report/events/data_src.h"
#include "report/timeline/cgroup_ns.h"

#include <stdlib.h>

void rpt_sockets_read(struct rpt_sockets *sockets, struct pd_reader *reader)
{
	struct pd_nrcpus cpus = { 0 };
	struct pd_cpu_topology topology;
	struct pd_cursor c;

	*sockets = (struct rpt_sockets){ 0 };
	if (pd_reader_feature(reader, PD_FEATURE_NRCPUS, &c))
		pd_feature_nrcpus_read(&c, &cpus);
	if (!pd_reader_feature(reader, PD_FEATURE_CPU_TOPOLOGY, &c) ||
	    pd_feature_cpu_topology_read(&c, cpus.available, &topology))
		return;
	sockets->cpu_nr = (uint32_t)topology.place_nr;
	sockets->of_cpu =
		rpt_alloc_zeroed(sockets->cpu_nr, sizeof(*sockets->of_cpu));
	for (uint32_t i = 0; i < sockets->cpu_nr; i++)
		sockets->of_cpu[i] = topology.places[i].socket_id;
	pd_cpu_topology_release(&topology);
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

static uint64_t quantum_of(uint64_t time_ns, uint64_t quantum_ns)
{
	return time_ns -
	       time_ns % (quantum_ns ? quantum_ns : RPT_TIME_QUANTUM_NS);
}

/* Return the bits of the data source that make up a value; 0 if none do. */
static uint64_t data_src_bits(enum rpt_value value)
{
	switch (value) {
	case RPT_VALUE_LEVEL:
		return RPT_DATA_SRC_LEVEL | RPT_DATA_SRC_LEVEL_MORE;
	case RPT_VALUE_SNOOP:
		return RPT_DATA_SRC_SNOOP | RPT_DATA_SRC_SNOOP_MORE;
	case RPT_VALUE_TLB:
		return RPT_DATA_SRC_TLB;
	case RPT_VALUE_LOCK:
		return RPT_DATA_SRC_LOCK;
	case RPT_VALUE_BLOCK:
		return RPT_DATA_SRC_BLOCK;
	default:
		return 0;
	}
}

uint64_t rpt_value_of(enum rpt_value value, const struct pd_sample *sample,
		      struct rpt_timestamp when,
		      const struct rpt_value_conf *conf)
{
	switch (value) {
	case RPT_VALUE_SOCKET:
		return rpt_socket_of(conf->sockets, sample);
	case RPT_VALUE_WEIGHT:
		return sample->weight;
	case RPT_VALUE_INS_LAT:
		return sample->ins_lat;
	case RPT_VALUE_STAGE_CYC:
		return sample->p_stage_cyc;
	case RPT_VALUE_CGROUP:
		return sample->cgroup_id;
	case RPT_VALUE_UNIT:
		return (uintptr_t)rpt_timeline_unit(conf->timeline,
						    sample->cgroup_id);
	case RPT_VALUE_CGROUP_NS:
		return rpt_cgroup_ns_number(conf->timeline, sample->tid, when);
	case RPT_VALUE_TGID:
		return sample->tid ? sample->pid : 0;
	case RPT_VALUE_PROCESS:
		return (uintptr_t)rpt_timeline_process(
			conf->timeline, sample->pid, sample->tid, when);
	case RPT_VALUE_CODE_PAGE:
		return sample->code_page_size;
	case RPT_VALUE_TIME:
		return quantum_of(sample->time_ns, conf->quantum_ns);
	case RPT_VALUE_TRANSACTION:
		return sample->transaction;
	case RPT_VALUE_DATA_ADDR:
		return sample->addr;
	case RPT_VALUE_PHYS_ADDR:
		return sample->phys_addr;
	case RPT_VALUE_DATA_PAGE:
		return sample->data_page_size;
	case RPT_VALUE_WAIT_STATE:
		return conf->wait ? conf->wait->state : RPT_WAIT_NONE;
	case RPT_VALUE_WAKER:
		return conf->wait ? (uintptr_t)conf->wait->waker : 0;
	case RPT_VALUE_WAKER_TID:
		return conf->wait ? conf->wait->waker_tid : RPT_WAKER_NONE;
	case RPT_VALUE_PARALLELISM:
		return conf->parallelism;
	default:
		return rpt_data_src_of(sample) & data_src_bits(value);
	}
}

uint64_t rpt_value_key(enum rpt_value value, uint64_t v)
{
	switch (value) {
	case RPT_VALUE_DATA_ADDR:
		return 0;
	case RPT_VALUE_LEVEL:
		return v & RPT_DATA_SRC_LEVEL;
	case RPT_VALUE_SNOOP:
		return v & RPT_DATA_SRC_SNOOP;
	default:
		return v;
	}
}

int rpt_value_compare(enum rpt_value value, uint64_t a, uint64_t b)
{
	uint64_t p = rpt_value_key(value, a), q = rpt_value_key(value, b);
	int rc = (p > q) - (p < q);

	switch (value) {
	case RPT_VALUE_WEIGHT:
	case RPT_VALUE_INS_LAT:
	case RPT_VALUE_STAGE_CYC:
	case RPT_VALUE_TRANSACTION:
	case RPT_VALUE_CGROUP_NS:
		return -rc;
	case RPT_VALUE_SOCKET:
		return (int32_t)a < (int32_t)b ? -1 : (int32_t)a > (int32_t)b;
	default:
		return rc;
	}
}
