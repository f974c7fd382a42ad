/* workers.h: the pass over all samples, by several threads. */
#ifndef RPT_WORKERS_H
#define RPT_WORKERS_H

#include "report/profile.h"

/* Counts the whole file into profile.  jobs: threads, 0 for as many as there
 * are CPUs.  One thread does it where samples depend on those before (counter
 * values) or on what has no lock (unwinding). */
int rpt_workers_count(struct rpt_profile *profile, uint32_t jobs,
		      struct pd_err *err);

#endif
