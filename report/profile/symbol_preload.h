/* symbol_preload.h: reads the symbols of the sampled programs in a separate
 * thread, while the counts of several threads are merged.
 *
 *	rpt_symbol_preload_begin(&preload, &part);	part: the counts of one
 *	...						look up no symbols
 *	rpt_symbol_preload_end(&preload);
 */
#ifndef RPT_SYMBOL_PRELOAD_H
#define RPT_SYMBOL_PRELOAD_H

#include "report/base/threads.h"
#include "report/profile/profile.h"

#define RPT_SYMBOL_PRELOAD_NR 64u

struct rpt_symbol_preload {
	struct rpt_dso *dsos[RPT_SYMBOL_PRELOAD_NR];
	uint64_t addrs[RPT_SYMBOL_PRELOAD_NR]; /* one in each DSO */
	uint32_t nr;
	pthread_mutex_t *lock; /* rpt_symbols_lock() */
	struct rpt_threads task;
};

/* Start reading.  part may change as soon as this returns.  If no thread can be
 * started, nothing is read. */
void rpt_symbol_preload_begin(struct rpt_symbol_preload *preload,
			      const struct rpt_profile *part);
/* Wait until all is read.  Safe on a zeroed struct that was never begun. */
void rpt_symbol_preload_end(struct rpt_symbol_preload *preload);

#endif
