/* profile_impl.h: how records get into a profile, for the files that bring
 * them. */
#ifndef RPT_PROFILE_IMPL_H
#define RPT_PROFILE_IMPL_H

#include "report/profile/profile.h"

/* What a stack takes besides its key: rpt_stack, its places in the table and
 * in the order. */
#define RPT_STACK_COST_LEN 100u
/* Threads that take for many stacks at once need not wait for each other. */
#define RPT_ADVANCE_LEN ((uint64_t)256 << 10)

/* Counts it if it is a sample, or tells of lost ones.  profile->repeat is then
 * that sample, or as it was. */
int rpt_profile_add_record(struct rpt_profile *profile,
			   const struct pd_record *rec, struct pd_err *err);

/* Of the budget, ahead for several stacks; false: there is not so much. */
bool rpt_profile_take(struct rpt_profile *profile, uint64_t len);

/* The key of a sample but for its base, and for what stands behind its chain.
 */
void rpt_profile_key_fill(const struct rpt_profile_conf *conf,
			  struct rpt_stack_key *key,
			  const struct pd_sample *sample);

/* Adds that of a sample, or of profile->branch; how long the key is. */
size_t rpt_profile_key_close(struct rpt_stack_key *key,
			     const struct rpt_profile *profile,
			     const struct pd_sample *sample,
			     struct rpt_when when);

/* The base of a sample's stack, in profile->block.  NULL: out of memory, or
 * with profile->is_full there is no budget for it. */
const struct rpt_stack_context *
rpt_profile_base(struct rpt_profile *profile, const struct pd_sample *sample,
		 const struct rpt_moment *moment);

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
			     const struct rpt_repeat_sample_place *place,
			     const struct rpt_repeats *repeats);

#endif
