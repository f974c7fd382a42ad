/* profile_impl.h: how records get into a profile, for the files that bring
 * them. */
#ifndef RPT_PROFILE_IMPL_H
#define RPT_PROFILE_IMPL_H

#include "report/profile.h"

/* Counts it if it is a sample, or tells of lost ones.  profile->repeat is then
 * that sample, or as it was. */
int rpt_profile_add_record(struct rpt_profile *profile,
			   const struct pd_record *rec, struct pd_err *err);

/* What was taken of the budget for stacks that did not come; after a piece. */
void rpt_profile_give_back(struct rpt_profile *profile);

/* Samples that are one record but for their times, from the first to the
 * last. */
struct rpt_repeats {
	struct rpt_when first;
	struct rpt_when last;
	uint64_t nr;
};

/* When, of a record that is profile->repeat but for its time. */
struct rpt_when rpt_profile_repeated_when(const struct rpt_profile *profile,
					  const struct pd_record *rec);

/* Counts them all where a sample like them was counted; false: that is not
 * where they belong, and nothing was counted. */
bool rpt_profile_add_repeats(struct rpt_profile *profile,
			     const struct rpt_repeat_place *place,
			     const struct rpt_repeats *repeats);

#endif
