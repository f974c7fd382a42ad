/* kernel_symbols.h: the kernel's functions as of a time, for whoever prints
 * addresses that are no sample's own. */
#ifndef RPT_KERNEL_SYMBOLS_H
#define RPT_KERNEL_SYMBOLS_H

#include "report/timeline/timeline.h"

#include <pthread.h>

struct rpt_kernel_symbols {
	const struct rpt_timeline *timeline;
	struct rpt_when when;
	uint32_t generation;   /* of the kernel then; equal: equal answers */
	pthread_mutex_t *lock; /* around look-ups (symbols.h); NULL: none */
};

/* The function at *addr, which becomes where it starts; NULL: none is known. */
const char *rpt_kernel_symbols_function(const struct rpt_kernel_symbols *at,
					uint64_t *addr);

#endif
