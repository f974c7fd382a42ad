/* profile_digest.h: samples out of a digest, and its rest, into a profile. */
#ifndef RPT_PROFILE_DIGEST_H
#define RPT_PROFILE_DIGEST_H

#include "report/input/sample_rle.h"
#include "report/profile/profile.h"

/* Instead of rpt_profile_add_piece() of the piece that it is of; but for the
 * rest. */
int rpt_profile_add_digest(struct rpt_profile *profile,
			   const struct rpt_sample_rle *digest,
			   struct pd_err *err);
/* Whether rests in so many blocks' bytes, of so many records, find budget by as
 * many threads whatever is in them: who is faster does not matter then. */
bool rpt_profile_has_room(const struct rpt_profile *profile, uint64_t record_nr,
			  uint64_t text_len, uint32_t thread_nr);

/* A block of the rest, with the digest's swap. */
int rpt_profile_add_block(struct rpt_profile *profile,
			  const struct rpt_kept_block *block, bool swap,
			  struct pd_err *err);

#endif
