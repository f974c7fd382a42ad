/* profile_threads.h: the pass over all samples, by several threads. */
#ifndef RPT_PROFILE_THREADS_H
#define RPT_PROFILE_THREADS_H

#include "report/input/file_chunks.h"
#include "report/profile/symbol_preload.h"

/* Counts the whole file, whose pieces these are, into profile; of those that
 * have a digest, that, which is used up.  One thread does it where samples
 * depend on those before (counter values).
 * early is begun before what several have counted is put together, and ended by
 * the caller; NULL: not wanted.
 * 0, -ENOMEM, or why no thread could be started, with err set. */
int rpt_profile_threads_count(struct rpt_profile *profile,
			      struct rpt_file_chunks *pieces,
			      struct rpt_symbol_preload *early,
			      struct pd_err *err);

#endif
