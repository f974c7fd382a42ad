#include "record/host/host_facts.h"

#include "record/host/host_parts.h"
#include "record/base/read_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

void *rec_list_grow(void *items, size_t nr, size_t item_len)
{
	/* The list is full if nr is 0 or a power of two. */
	if (nr & (nr - 1))
		return items;
	return reallocarray(items, nr ? 2 * nr : 1, item_len);
}

static void read_names(struct rec_host_facts *facts)
{
	struct utsname uts;

	if (uname(&uts) != 0)
		return;
	snprintf(facts->hostname, sizeof(facts->hostname), "%s", uts.nodename);
	snprintf(facts->os_release, sizeof(facts->os_release), "%s",
		 uts.release);
	snprintf(facts->arch, sizeof(facts->arch), "%s", uts.machine);
}

int rec_host_facts_read(struct rec_host_facts *ret,
			const struct rec_sysroots *roots, struct pd_err *err)
{
	static int (*const parts[])(struct rec_host_facts *,
				    const struct rec_sysroots *) = {
		rec_host_cpu_read,
		rec_host_topology_read,
		rec_host_cache_read,
		rec_host_memory_read,
	};

	memset(ret, 0, sizeof(*ret));
	read_names(ret);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i](ret, roots) != 0) {
			rec_host_facts_release(ret);
			return pd_err_set(err, -ENOMEM, "out of memory");
		}
	return 0;
}

void rec_host_facts_release(struct rec_host_facts *facts)
{
	if (!facts)
		return;
	free(facts->cpu_topology.core_siblings.items);
	free(facts->cpu_topology.thread_siblings.items);
	free(facts->cpu_topology.die_siblings.items);
	free(facts->cpu_topology.places);
	free(facts->numa.nodes);
	free(facts->pmus.items);
	free(facts->caches.items);
	for (size_t i = 0; i < facts->memory.nr; i++)
		free(facts->memory.nodes[i].blocks);
	free(facts->memory.nodes);
	rec_text_pool_release(&facts->pool);
	memset(facts, 0, sizeof(*facts));
}

static bool write_text(const char *text, struct pd_buf *b)
{
	if (text[0])
		pd_buf_string(b, (struct pd_str){ text, strlen(text) });
	return text[0] != '\0';
}

bool rec_host_feature_write(const struct rec_host_facts *facts,
			    unsigned feature, struct pd_buf *b)
{
	const size_t start = b->len;

	if (feature == PD_FEATURE_HOSTNAME)
		return write_text(facts->hostname, b);
	if (feature == PD_FEATURE_OSRELEASE)
		return write_text(facts->os_release, b);
	if (feature == PD_FEATURE_VERSION)
		return write_text("perfpair " PERFPAIR_VERSION, b);
	if (feature == PD_FEATURE_ARCH)
		return write_text(facts->arch, b);
	if (feature == PD_FEATURE_CPUDESC)
		return write_text(facts->cpu_desc, b);
	if (feature == PD_FEATURE_CPUID)
		return write_text(facts->cpuid, b);
	if (feature == PD_FEATURE_NRCPUS && facts->nrcpus.available)
		pd_feature_nrcpus_write(b, &facts->nrcpus);
	if (feature == PD_FEATURE_TOTAL_MEM && facts->total_mem_kib)
		pd_buf_u64(b, facts->total_mem_kib);
	if (feature == PD_FEATURE_CPU_TOPOLOGY && facts->cpu_topology.place_nr)
		pd_feature_cpu_topology_write(b, &facts->cpu_topology);
	if (feature == PD_FEATURE_NUMA_TOPOLOGY && facts->numa.nr)
		pd_feature_numa_topology_write(b, &facts->numa);
	if (feature == PD_FEATURE_PMU_MAPPINGS && facts->pmus.nr)
		pd_feature_pmu_mappings_write(b, &facts->pmus);
	if (feature == PD_FEATURE_CACHE && facts->caches.nr)
		pd_feature_cache_write(b, &facts->caches);
	if (feature == PD_FEATURE_MEM_TOPOLOGY && facts->memory.nr)
		pd_feature_mem_topology_write(b, &facts->memory);
	return b->len > start;
}

static uint64_t to_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * UINT64_C(1000000000) +
	       (uint64_t)t->tv_nsec;
}

int rec_clock_resolution(clockid_t clock, uint64_t *ret_ns)
{
	struct timespec res;

	if (clock_getres(clock, &res) != 0)
		return -errno;
	*ret_ns = to_ns(&res);
	return 0;
}

int rec_clock_data_read(clockid_t clock, struct pd_clock_data *ret)
{
	struct timespec wall;
	struct timespec own;

	if (clock_gettime(CLOCK_REALTIME, &wall) != 0 ||
	    clock_gettime(clock, &own) != 0)
		return -errno;
	*ret = (struct pd_clock_data){
		.clockid = (uint32_t)clock,
		.wall_clock_ns = to_ns(&wall),
		.clockid_ns = to_ns(&own),
	};
	return 0;
}
