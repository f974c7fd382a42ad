/* pfm_library.h: libpfm4, loaded when it is first asked for.
 *
 * The structs are the library's ABI 0 on 64-bit machines, as
 * pfm_get_pmu_info(3), pfm_get_event_info(3), pfm_get_event_attr_info(3) and
 * pfm_get_os_event_encoding(3) describe it: they are declared here, since eight
 * functions are all that is needed, and so the build does not depend on the
 * library.  Each struct has its size in it, by which newer libraries know it.
 */
#ifndef REC_PFM_LIBRARY_H
#define REC_PFM_LIBRARY_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PFM_SUCCESS = 0,
	PFM_ERR_NOTFOUND = -4,
	PFM_ERR_UMASK = -6,
	PFM_ERR_ATTR = -8,
	PFM_OS_PERF_EVENT = 1,
	PFM_PMU_TYPE_CORE = 1,
	PFM_PMU_TYPE_UNCORE = 2,
	PFM_ATTR_UMASK = 1,
	PFM_PMU_IS_PRESENT = 1 << 0, /* in flags */
	PFM_PLM_ALL = 1 | 8 | 16,    /* kernel, user, hypervisor */
};

struct pfm_pmu_info {
	const char *name;
	const char *desc;
	size_t size;
	int pmu;
	int type; /* PFM_PMU_TYPE_* */
	int event_nr;
	int first_event;
	int max_encoding;
	int counter_nr;
	int fixed_counter_nr;
	unsigned flags;
};

struct pfm_event_info {
	const char *name;
	const char *desc;
	const char *equiv; /* NULL, or the event that it is another name of */
	size_t size;
	uint64_t code;
	int pmu;
	int dtype;
	int idx;
	int attr_nr;
	int reserved;
	unsigned flags;
};

struct pfm_attr_info {
	const char *name;
	const char *desc;
	const char *equiv;
	size_t size;
	uint64_t code;
	int type; /* PFM_ATTR_UMASK, or a modifier */
	int idx;
	int ctrl;
	unsigned flags;
	uint64_t default_value;
};

struct pfm_perf_encoding {
	struct perf_event_attr *attr;
	char **name; /* freed by the caller; NULL: not wanted */
	size_t size;
	int idx; /* of the event */
	int cpu;
	int flags;
	int pad;
};

_Static_assert(sizeof(void *) != 8 || (sizeof(struct pfm_pmu_info) == 56 &&
				       sizeof(struct pfm_event_info) == 64 &&
				       sizeof(struct pfm_attr_info) == 64 &&
				       sizeof(struct pfm_perf_encoding) == 40),
	       "sizes of ABI 0");

struct pfm_library {
	int (*initialize)(void);
	int (*get_pmu_info)(int pmu, struct pfm_pmu_info *ret);
	int (*get_event_next)(int idx);
	int (*get_event_info)(int idx, int os, struct pfm_event_info *ret);
	int (*get_attr_info)(int idx, int attr, int os,
			     struct pfm_attr_info *ret);
	int (*get_encoding)(const char *text, int levels, int os,
			    struct pfm_perf_encoding *args);
};

/* Return the library, loaded and initialized once; NULL if this machine, or a
 * static program, has none. */
const struct pfm_library *rec_pfm_library(void);

#endif
