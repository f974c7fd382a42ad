/* profile_impl.h: how records get into a profile; private to the room. */
#ifndef RPT_PROFILE_IMPL_H
#define RPT_PROFILE_IMPL_H

#include "report/profile/profile.h"

/* Where a sample was counted: equal samples count there, too, as long as
 * neither its task nor the block of time changes. */
struct rpt_counted_at {
	struct rpt_span span; /* empty: nothing is known */
	size_t total_idx;
	uint32_t stack_idx;
	struct rpt_stack one; /* what one sample adds */
};

/* Return true if all that a sample is counted by is its task, its block of time
 * and the bytes of its record. */
bool rpt_profile_may_repeat(const struct rpt_profile_conf *conf);

/* Count rec if it is a sample; add up what it says if it is of lost ones.  at,
 * if not NULL, is filled in if equal samples may count there; otherwise it
 * stays as it is.  Return 0 or -EFBIG. */
int rpt_profile_add_record(struct rpt_profile *profile,
			   const struct pd_record *rec,
			   struct rpt_counted_at *at, struct pd_err *err);

/* Count nr samples, from first to last in time, that are equal to the one
 * counted at.  Return false, without counting any, if they do not all belong
 * there. */
bool rpt_profile_add_equal(struct rpt_profile *profile,
			   const struct rpt_counted_at *at,
			   struct rpt_timestamp first,
			   struct rpt_timestamp last, uint32_t nr);

/* Add to damage that stacks were left out, if any were. */
void rpt_profile_report_full(struct rpt_profile *profile);

/* Take memory for a new stack from the budget; false: there is not so much. */
bool rpt_profile_take(struct rpt_profile *profile, uint64_t len);

/* Fill in the key of a sample, up to its chain; without its context. */
void rpt_profile_key_fill(const struct rpt_profile_conf *conf,
			  struct rpt_stack_key *key,
			  const struct pd_sample *sample);

/* Add what stands behind the chain: profile->branch, values, raw data.  Return
 * the key's length in bytes. */
size_t rpt_profile_key_close(struct rpt_stack_key *key,
			     const struct rpt_profile *profile,
			     const struct pd_sample *sample,
			     struct rpt_timestamp when);

/* Return the context of a sample's stack in profile->block.  NULL: out of
 * memory, or, with profile->is_full, out of budget. */
const struct rpt_stack_context *
rpt_profile_context(struct rpt_profile *profile, const struct pd_sample *sample,
		    const struct rpt_task_state *task);

#endif
