/* host_facts.h: the machine's features: names, CPUs, memory, PMUs.
 *
 * They are read from uname(2), the cpuid instruction, /proc and /sys.  What
 * cannot be read is left empty and its feature is not written: the newest perf
 * refuses a whole file for one wrong feature.
 *
 *	rec_host_facts_read(&facts, &roots, &err);
 *	for each feature, upwards: rec_host_feature_write(&facts, feature, &b)
 *	rec_host_facts_release(&facts);
 *
 * Source: FORMAT.md "Feature sections"; values as perf 6.1 wrote them on the
 * same machine (perf report --header-only -I); Documentation/ABI/stable/
 * sysfs-devices-system-cpu, sysfs-devices-node.
 */
#ifndef REC_HOST_FACTS_H
#define REC_HOST_FACTS_H

#include "format/file/feature.h"
#include "record/base/read_file.h"

#include <time.h>

/* Strings that are freed together. */
struct rec_text_pool {
	struct rec_text_block *blocks; /* owned */
};

struct rec_host_facts {
	char hostname[72]; /* "": unknown, here and below */
	char os_release[72];
	char arch[72];
	char cpu_desc[256]; /* "AMD EPYC" */
	char cpuid[128];    /* "AuthenticAMD,26,2,1"; arm64: the MIDR */
	struct pd_nrcpus nrcpus;
	uint64_t total_mem_kib;
	struct pd_cpu_topology cpu_topology;
	struct pd_numa_topology numa;
	struct pd_pmu_mappings pmus;
	struct pd_pmu_caps_list pmu_caps; /* of those that have some */
	struct pd_caches caches;
	struct pd_mem_topology memory;
	struct rec_text_pool pool; /* the strings of all these */
};

/* Return 0 or -ENOMEM; all else that fails is left empty. */
int rec_host_facts_read(struct rec_host_facts *ret,
			const struct rec_sysroots *roots, struct pd_err *err);
void rec_host_facts_release(struct rec_host_facts *facts);
/* Read again what changes while a machine runs: free memory, and all if it has
 * other CPUs.  Return 0 or -ENOMEM, with facts released. */
int rec_host_facts_refresh(struct rec_host_facts *facts,
			   const struct rec_sysroots *roots,
			   struct pd_err *err);

/* Return true if this is an AMD CPU. */
bool rec_host_cpu_is_amd(void);

/* Append the payload of that feature.  Return false, with nothing written, if
 * it does not describe the machine or is unknown. */
bool rec_host_feature_write(const struct rec_host_facts *facts,
			    unsigned feature, struct pd_buf *b);

/* Read the clock's resolution, for CLOCKID.  Return 0 or a negative errno. */
int rec_clock_resolution(clockid_t clock, uint64_t *ret_ns);

/* Read that clock and the wall clock at the same time, for CLOCK_DATA. */
int rec_clock_data_read(clockid_t clock, struct pd_clock_data *ret);

#endif
