/* names_early.h: the symbols of the programs that ran, read by a thread of its
 * own while what several threads have counted is put together.
 *
 *	rpt_names_early_begin(&early, &part);	part: what one of them counted
 *	...					nobody asks for symbols
 *	rpt_names_early_end(&early);
 */
#ifndef RPT_NAMES_EARLY_H
#define RPT_NAMES_EARLY_H

#include "report/profile/profile.h"

#include <pthread.h>

#define RPT_NAMES_EARLY_NR 64u

struct rpt_names_early {
	struct rpt_dso *dsos[RPT_NAMES_EARLY_NR]; /* and an address in each */
	uint64_t addrs[RPT_NAMES_EARLY_NR];
	uint32_t nr;
	pthread_mutex_t *lock; /* names_lock.h: others may do so beside it */
	bool is_begun;
	pthread_t thread;
};

/* part may change once this has returned.  Where no thread starts, nothing is
 * read. */
void rpt_names_early_begin(struct rpt_names_early *early,
			   const struct rpt_profile *part);
/* Of what was never begun, too, if it is zeroed. */
void rpt_names_early_end(struct rpt_names_early *early);

#endif
