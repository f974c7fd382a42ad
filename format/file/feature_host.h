/* feature_host.h: the feature sections that describe the machine: CPUs, caches,
 * memory, PMUs.  Conventions as in feature.h; FORMAT.md "Feature sections".
 */
#ifndef PD_FEATURE_HOST_H
#define PD_FEATURE_HOST_H

#include "format/file/feature.h"

/* CPU_TOPOLOGY: lists of siblings ("0-1"), and where each CPU is. */
struct pd_cpu_place {
	uint32_t core_id;
	uint32_t socket_id;
	uint32_t die_id;
};
struct pd_cpu_topology {
	struct pd_str_list core_siblings;
	struct pd_str_list thread_siblings;
	struct pd_str_list die_siblings; /* empty without has_dies */
	struct pd_cpu_place *places;	 /* owned, one for each CPU */
	size_t place_nr;		 /* the available CPUs of NRCPUS */
	bool has_dies;
};
/* cpu_nr is the number of available CPUs of NRCPUS; the payload lacks it. */
int pd_feature_cpu_topology_read(struct pd_cursor *c, uint32_t cpu_nr,
				 struct pd_cpu_topology *ret);
void pd_feature_cpu_topology_write(struct pd_buf *b,
				   const struct pd_cpu_topology *t);
void pd_cpu_topology_release(struct pd_cpu_topology *t);

struct pd_numa_node {
	uint32_t node;
	uint64_t mem_total_kib;
	uint64_t mem_free_kib;
	struct pd_str cpus;
};
struct pd_numa_topology {
	struct pd_numa_node *nodes; /* owned */
	size_t nr;
};
int pd_feature_numa_topology_read(struct pd_cursor *c,
				  struct pd_numa_topology *ret);
void pd_feature_numa_topology_write(struct pd_buf *b,
				    const struct pd_numa_topology *t);
void pd_numa_topology_release(struct pd_numa_topology *t);

struct pd_pmu_mapping {
	uint32_t type;
	struct pd_str name;
};
struct pd_pmu_mappings {
	struct pd_pmu_mapping *items; /* owned */
	size_t nr;
};
int pd_feature_pmu_mappings_read(struct pd_cursor *c,
				 struct pd_pmu_mappings *ret);
void pd_feature_pmu_mappings_write(struct pd_buf *b,
				   const struct pd_pmu_mappings *m);
void pd_pmu_mappings_release(struct pd_pmu_mappings *m);

struct pd_cache {
	uint32_t level;
	uint32_t line_len;
	uint32_t set_nr;
	uint32_t way_nr;
	struct pd_str type;	 /* "Data" */
	struct pd_str size_text; /* "32K" */
	struct pd_str cpus;	 /* "0-1" */
};
struct pd_caches {
	struct pd_cache *items; /* owned */
	size_t nr;
};
int pd_feature_cache_read(struct pd_cursor *c, struct pd_caches *ret);
void pd_feature_cache_write(struct pd_buf *b, const struct pd_caches *caches);
void pd_caches_release(struct pd_caches *caches);

/* MEM_TOPOLOGY: which node each block of memory belongs to */
struct pd_mem_node {
	uint64_t node;
	uint64_t bit_nr;	  /* "size": bits in the set, 64 a word */
	struct pd_u64s block_set; /* the words; set by the reader */
	uint64_t *blocks;	  /* the words; read by the writer */
};
struct pd_mem_topology {
	uint64_t block_len;	   /* bytes */
	struct pd_mem_node *nodes; /* owned; not their blocks */
	size_t nr;
};
int pd_feature_mem_topology_read(struct pd_cursor *c,
				 struct pd_mem_topology *ret);
void pd_feature_mem_topology_write(struct pd_buf *b,
				   const struct pd_mem_topology *t);
void pd_mem_topology_release(struct pd_mem_topology *t);

/* CPU_PMU_CAPS, and one PMU of PMU_CAPS: name=value pairs */
struct pd_pmu_cap {
	struct pd_str name;
	struct pd_str value;
};
struct pd_pmu_caps {
	struct pd_str pmu_name;	  /* empty in CPU_PMU_CAPS */
	struct pd_pmu_cap *items; /* owned */
	size_t nr;
};
int pd_feature_cpu_pmu_caps_read(struct pd_cursor *c, struct pd_pmu_caps *ret);
void pd_pmu_caps_release(struct pd_pmu_caps *caps);

struct pd_pmu_caps_list {
	struct pd_pmu_caps *items; /* owned */
	size_t nr;
};
int pd_feature_pmu_caps_read(struct pd_cursor *c, struct pd_pmu_caps_list *ret);
void pd_pmu_caps_list_release(struct pd_pmu_caps_list *list);

/* HYBRID_TOPOLOGY: the PMU and the CPUs of each kind of core */
struct pd_hybrid_pmu {
	struct pd_str pmu_name;
	struct pd_str cpus;
};
struct pd_hybrid_topology {
	struct pd_hybrid_pmu *items; /* owned */
	size_t nr;
};
int pd_feature_hybrid_topology_read(struct pd_cursor *c,
				    struct pd_hybrid_topology *ret);
void pd_hybrid_topology_release(struct pd_hybrid_topology *t);

#endif
