/* map_range.h: finds what is mapped at an address, and the addresses around it
 * for which the answer holds; and the kernel's functions.  Part of the
 * timeline.
 */
#ifndef RPT_MAP_RANGE_H
#define RPT_MAP_RANGE_H

#include "report/base/addr_range.h"
#include "report/timeline/timeline.h"

#include <pthread.h>

/* An answer, and all the addresses that it holds for. */
struct rpt_map_range {
	struct rpt_map map;
	struct rpt_addr_range range;
};

/* rpt_timeline_map(); ret->range is filled in even if nothing is mapped. */
bool rpt_timeline_mapped(const struct rpt_timeline *tl,
			 const struct rpt_task_ref *ref, unsigned cpumode,
			 uint64_t addr, struct rpt_timestamp when,
			 struct rpt_map_range *ret);

/* Find kernel code behind the end of the kernel's map (.init.text, where call
 * chains of idle tasks end), if a symbol of the kernel covers it.  One thread
 * at a time, as it looks symbols up. */
bool rpt_timeline_kernel_beyond(const struct rpt_timeline *tl, uint64_t addr,
				struct rpt_map *ret);

/* The kernel's functions at a time, for addresses that are no sample's own. */
struct rpt_kernel_symbols {
	const struct rpt_timeline *timeline;
	struct rpt_timestamp when;
	uint32_t kernel_version; /* map version of the kernel at when */
	pthread_mutex_t *lock;	 /* around look-ups (symbols.h); NULL: none */
};

/* Return the name of the function at *addr, which becomes its start; NULL if
 * none is known. */
const char *rpt_kernel_symbols_function(const struct rpt_kernel_symbols *at,
					uint64_t *addr);

#endif
