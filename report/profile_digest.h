/* profile_digest.h: samples out of a digest into a profile. */
#ifndef RPT_PROFILE_DIGEST_H
#define RPT_PROFILE_DIGEST_H

#include "report/digest.h"
#include "report/profile.h"

/* Instead of rpt_profile_add_piece() of the piece that it is of. */
int rpt_profile_add_digest(struct rpt_profile *profile,
			   const struct rpt_digest *digest, struct pd_err *err);

#endif
