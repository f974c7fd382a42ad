/* workers.h: the pass over all samples, by several threads. */
#ifndef RPT_WORKERS_H
#define RPT_WORKERS_H

#include "report/input/file_pieces.h"
#include "report/profile/names_early.h"

/* Counts the whole file, whose pieces these are, into profile; of those that
 * have a digest, that, which is used up.  One thread does it where samples
 * depend on those before (counter values).
 * early is begun before what several have counted is put together, and ended by
 * the caller; NULL: not wanted.
 * 0, -ENOMEM, or why no thread could be started, with err set. */
int rpt_workers_count(struct rpt_profile *profile, struct rpt_pieces *pieces,
		      struct rpt_names_early *early, struct pd_err *err);

#endif
