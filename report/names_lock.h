/* names_lock.h: symbols.h is for one thread at a time; several take this lock,
 * which is one and the same for all symbols that lend to each other. */
#ifndef RPT_NAMES_LOCK_H
#define RPT_NAMES_LOCK_H

#include "report/symbols.h"

#include <pthread.h>

pthread_mutex_t *rpt_names_lock(struct rpt_symbols *symbols);

#endif
