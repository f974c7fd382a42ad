#include "record/host/host_facts.h"

#include "record/host/host_parts.h"
#include "record/base/read_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

void *rec_list_grow(void *items, size_t nr, size_t item_len)
{
	/* Full where nr is 0 or a power of two. */
	if (nr & (nr - 1))
		return items;
	return reallocarray(items, nr ? 2 * nr : 1, item_len);
}

int rec_cpu_list_each(const char *list, int (*visit)(void *ctx, uint32_t cpu),
		      void *ctx)
{
	enum { CPU_NR_MAX = 1 << 20 };
	struct rec_text_scan s = { list, list + strlen(list) };
	int rc = 0;

	while (s.at < s.end && !rc) {
		uint32_t first;
		uint32_t last;

		if (!rec_text_scan_dec32(&s, &first))
			return -EINVAL;
		last = first;
		if (rec_text_scan_char(&s, '-') &&
		    !rec_text_scan_dec32(&s, &last))
			return -EINVAL;
		if (last < first || last >= CPU_NR_MAX)
			return -EINVAL;
		for (uint32_t cpu = first; cpu <= last && !rc; cpu++)
			rc = visit(ctx, cpu);
		if (s.at < s.end &&
		    (!rec_text_scan_char(&s, ',') || s.at == s.end))
			return -EINVAL;
	}
	return rc;
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

typedef bool write_fn(const struct rec_host_facts *f, struct pd_buf *b);

static bool write_text(const char *text, struct pd_buf *b)
{
	if (text[0])
		pd_feature_string_write(b,
					(struct pd_str){ text, strlen(text) });
	return text[0] != '\0';
}

static bool write_hostname(const struct rec_host_facts *f, struct pd_buf *b)
{
	return write_text(f->hostname, b);
}

static bool write_os_release(const struct rec_host_facts *f, struct pd_buf *b)
{
	return write_text(f->os_release, b);
}

static bool write_version(const struct rec_host_facts *f, struct pd_buf *b)
{
	(void)f;
	return write_text("perfpair " PERFPAIR_VERSION, b);
}

static bool write_arch(const struct rec_host_facts *f, struct pd_buf *b)
{
	return write_text(f->arch, b);
}

static bool write_cpu_desc(const struct rec_host_facts *f, struct pd_buf *b)
{
	return write_text(f->cpu_desc, b);
}

static bool write_cpuid(const struct rec_host_facts *f, struct pd_buf *b)
{
	return write_text(f->cpuid, b);
}

static bool write_nrcpus(const struct rec_host_facts *f, struct pd_buf *b)
{
	if (f->nrcpus.available)
		pd_feature_nrcpus_write(b, &f->nrcpus);
	return f->nrcpus.available > 0;
}

static bool write_total_mem(const struct rec_host_facts *f, struct pd_buf *b)
{
	if (f->total_mem_kib)
		pd_feature_u64_write(b, f->total_mem_kib);
	return f->total_mem_kib > 0;
}

static bool write_cpu_topology(const struct rec_host_facts *f, struct pd_buf *b)
{
	if (f->cpu_topology.place_nr)
		pd_feature_cpu_topology_write(b, &f->cpu_topology);
	return f->cpu_topology.place_nr > 0;
}

static bool write_numa(const struct rec_host_facts *f, struct pd_buf *b)
{
	if (f->numa.nr)
		pd_feature_numa_topology_write(b, &f->numa);
	return f->numa.nr > 0;
}

static bool write_pmus(const struct rec_host_facts *f, struct pd_buf *b)
{
	if (f->pmus.nr)
		pd_feature_pmu_mappings_write(b, &f->pmus);
	return f->pmus.nr > 0;
}

static bool write_caches(const struct rec_host_facts *f, struct pd_buf *b)
{
	if (f->caches.nr)
		pd_feature_cache_write(b, &f->caches);
	return f->caches.nr > 0;
}

static bool write_memory(const struct rec_host_facts *f, struct pd_buf *b)
{
	if (f->memory.nr)
		pd_feature_mem_topology_write(b, &f->memory);
	return f->memory.nr > 0;
}

bool rec_host_feature_write(const struct rec_host_facts *facts,
			    unsigned feature, struct pd_buf *b)
{
	static write_fn *const writers[PD_FEATURE_NR] = {
		[PD_FEATURE_HOSTNAME] = write_hostname,
		[PD_FEATURE_OSRELEASE] = write_os_release,
		[PD_FEATURE_VERSION] = write_version,
		[PD_FEATURE_ARCH] = write_arch,
		[PD_FEATURE_NRCPUS] = write_nrcpus,
		[PD_FEATURE_CPUDESC] = write_cpu_desc,
		[PD_FEATURE_CPUID] = write_cpuid,
		[PD_FEATURE_TOTAL_MEM] = write_total_mem,
		[PD_FEATURE_CPU_TOPOLOGY] = write_cpu_topology,
		[PD_FEATURE_NUMA_TOPOLOGY] = write_numa,
		[PD_FEATURE_PMU_MAPPINGS] = write_pmus,
		[PD_FEATURE_CACHE] = write_caches,
		[PD_FEATURE_MEM_TOPOLOGY] = write_memory,
	};

	return feature < PD_FEATURE_NR && writers[feature] &&
	       writers[feature](facts, b);
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
