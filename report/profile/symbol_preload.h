/* symbol_preload.h: the symbols of the programs that ran, read by a thread of
 * its own while what several threads have counted is put together.
 *
 *	rpt_symbol_preload_begin(&early, &part);	part: what one of them
 * counted
 *	...					nobody asks for symbols
 *	rpt_symbol_preload_end(&early);
 */
#ifndef RPT_SYMBOL_PRELOAD_H
#define RPT_SYMBOL_PRELOAD_H

#include "report/profile/profile.h"

#include <pthread.h>

#define RPT_SYMBOL_PRELOAD_NR 64u

struct rpt_symbol_preload {
	struct rpt_dso
		*dsos[RPT_SYMBOL_PRELOAD_NR]; /* and an address in each */
	uint64_t addrs[RPT_SYMBOL_PRELOAD_NR];
	uint32_t nr;
	pthread_mutex_t *lock; /* symbols_lock.h: others may do so beside it */
	bool is_begun;
	pthread_t thread;
};

/* part may change once this has returned.  Where no thread starts, nothing is
 * read. */
void rpt_symbol_preload_begin(struct rpt_symbol_preload *early,
			      const struct rpt_profile *part);
/* Of what was never begun, too, if it is zeroed. */
void rpt_symbol_preload_end(struct rpt_symbol_preload *early);

#endif
