/* feature.h: the feature sections, of the recording and of its machine:
 * FORMAT.md "Feature sections".
 *
 * A feature has one struct, pd_feature_X_read() and pd_feature_X_write().  The
 * cursor of a reader comes from pd_reader_feature().  Strings that were read
 * point into the bytes of the file.  Lists are allocated; the _release() below
 * each struct frees them.
 *
 * Reads return 0, -ENODATA, -EBADMSG, -EFBIG (limits.h) or -ENOMEM, with the
 * reason in the err of the cursor.
 */
#ifndef PD_FEATURE_H
#define PD_FEATURE_H

#include "format/file/attr.h"
#include "format/file/layout.h"

/* Return the name of a bit, as "HOSTNAME"; NULL if it is unknown. */
const char *pd_feature_name(unsigned bit);

/* HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID: one string each, which
 * pd_buf_string() writes. */
int pd_feature_string_read(struct pd_cursor *c, struct pd_str *ret);

struct pd_str_list {
	struct pd_str *items; /* owned, the strings are not */
	size_t nr;
};
void pd_str_list_release(struct pd_str_list *list);

struct pd_nrcpus {
	uint32_t available;
	uint32_t online;
};
int pd_feature_nrcpus_read(struct pd_cursor *c, struct pd_nrcpus *ret);
void pd_feature_nrcpus_write(struct pd_buf *b, const struct pd_nrcpus *n);

/* TOTAL_MEM in KiB; CLOCKID's resolution in ns: one u64 each, which
 * pd_buf_u64() writes. */
int pd_feature_u64_read(struct pd_cursor *c, uint64_t *ret);

/* CMDLINE: the arguments of the recorder; argv[0] is its path. */
int pd_feature_cmdline_read(struct pd_cursor *c, struct pd_str_list *ret);
void pd_feature_cmdline_write(struct pd_buf *b, const struct pd_str_list *argv);

/* EVENT_DESC: the events again, with their names. */
struct pd_event_desc {
	struct pd_attr attr;
	struct pd_str name;
	struct pd_u64s ids;
};
struct pd_event_descs {
	struct pd_event_desc *items; /* owned */
	size_t nr;
};
int pd_feature_event_desc_read(struct pd_cursor *c, struct pd_event_descs *ret);
void pd_feature_event_desc_write(struct pd_buf *b,
				 const struct pd_event_descs *descs);
void pd_event_descs_release(struct pd_event_descs *descs);

struct pd_group_desc {
	struct pd_str name; /* "{anon_group}" */
	uint32_t leader_idx;
	uint32_t member_nr; /* the leader included */
};
struct pd_group_descs {
	struct pd_group_desc *items; /* owned */
	size_t nr;
};
int pd_feature_group_desc_read(struct pd_cursor *c, struct pd_group_descs *ret);
void pd_feature_group_desc_write(struct pd_buf *b,
				 const struct pd_group_descs *g);
void pd_group_descs_release(struct pd_group_descs *g);
/* Return true if the events of g exist and lie behind those of the groups in
 * front of it, as perf lists them; then move *end, at first 0, behind them. */
bool pd_group_desc_follows(const struct pd_group_desc *g, size_t event_nr,
			   size_t *end);

/* SAMPLE_TIME */
struct pd_sample_time {
	uint64_t first_ns;
	uint64_t last_ns;
};
/* Widen t, which begins as { UINT64_MAX, 0 }, to time_ns; 0 is no time. */
static inline void pd_sample_time_add(struct pd_sample_time *t,
				      uint64_t time_ns)
{
	if (time_ns && time_ns < t->first_ns)
		t->first_ns = time_ns;
	if (time_ns > t->last_ns)
		t->last_ns = time_ns;
}
int pd_feature_sample_time_read(struct pd_cursor *c,
				struct pd_sample_time *ret);
void pd_feature_sample_time_write(struct pd_buf *b,
				  const struct pd_sample_time *t);

struct pd_clock_data {
	uint32_t clockid;
	uint64_t wall_clock_ns;
	uint64_t clockid_ns; /* the time of clockid at the same moment */
};
int pd_feature_clock_data_read(struct pd_cursor *c, struct pd_clock_data *ret);
void pd_feature_clock_data_write(struct pd_buf *b,
				 const struct pd_clock_data *d);

/* COMPRESSED */
struct pd_compression {
	uint32_t version; /* perf writes 0 */
	uint32_t type;	  /* 1: zstd */
	uint32_t level;
	uint32_t ratio;
	uint32_t mmap_len; /* the most plain bytes of one record */
};
int pd_feature_compressed_read(struct pd_cursor *c, struct pd_compression *ret);
void pd_feature_compressed_write(struct pd_buf *b,
				 const struct pd_compression *z);

/* The machine: CPUs, caches, memory, PMUs. */

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
void pd_feature_pmu_caps_write(struct pd_buf *b,
			       const struct pd_pmu_caps_list *list);
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
