/* profile_threads.h: counts all samples of a file with several threads. */
#ifndef RPT_PROFILE_THREADS_H
#define RPT_PROFILE_THREADS_H

#include "report/input/sample_encoder.h"
#include "report/profile/symbol_preload.h"

/* Count all chunks into profile.  Encodings that encoder has are used and
 * freed; NULL: there are none.  One thread counts alone if samples depend on
 * earlier ones (counter values).  preload, unless it is NULL, begins after
 * counting and before merging; the caller ends it.  Return 0, or the negative
 * errno of reading, counting or starting a thread, with err set. */
int rpt_profile_threads_count(struct rpt_profile *profile,
			      struct rpt_file_chunks *chunks,
			      struct rpt_sample_encoder *encoder,
			      struct rpt_symbol_preload *preload,
			      struct pd_err *err);

#endif
