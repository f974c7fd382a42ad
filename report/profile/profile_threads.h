/* profile_threads.h: counts all samples of a file, by several threads. */
#ifndef RPT_PROFILE_THREADS_H
#define RPT_PROFILE_THREADS_H

#include "report/input/sample_encoder.h"
#include "report/profile/symbol_preload.h"

/* Count the file of these chunks into profile.  What encoder has of them is
 * used up; NULL: nothing.  One thread counts alone if samples depend on those
 * before (counter values).  preload, if not NULL, is begun when all is counted,
 * before it is merged; the caller ends it.  Return 0, -ENOMEM, or why no thread
 * could be started, with err set. */
int rpt_profile_threads_count(struct rpt_profile *profile,
			      struct rpt_file_chunks *chunks,
			      struct rpt_sample_encoder *encoder,
			      struct rpt_symbol_preload *preload,
			      struct pd_err *err);

#endif
