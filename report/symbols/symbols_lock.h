/* symbols_lock.h: symbols.h is for one thread at a time; several take this
 * lock, which is one and the same for all symbols that lend to each other.
 *
 * Where threads fill two of them at once, from a recording each, neither may
 * lend: the second gets its lender when both are done.
 */
#ifndef RPT_SYMBOLS_LOCK_H
#define RPT_SYMBOLS_LOCK_H

#include "report/symbols/symbols.h"

#include <pthread.h>

pthread_mutex_t *rpt_symbols_lock(struct rpt_symbols *symbols);

/* Sets rpt_symbols_conf.lender, of symbols that were made without; one thread
 * does it for all. */
void rpt_symbols_set_lender(struct rpt_symbols *symbols,
			    struct rpt_symbols *lender);

#endif
