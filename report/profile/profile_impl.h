/* profile_impl.h: adds records to a profile; private to the room. */
#ifndef RPT_PROFILE_IMPL_H
#define RPT_PROFILE_IMPL_H

#include "report/profile/profile.h"

/* Where a sample was counted.  Equal samples count there, too, as long as
 * neither the task nor the block of time changes. */
struct rpt_counted_at {
	struct rpt_span span; /* of time; empty: nothing was counted yet */
	size_t total_idx;
	uint32_t stack_idx;
	struct rpt_stack one; /* what one sample adds */
};

/* Return true if task, block of time and the bytes of the record alone decide
 * where a sample is counted. */
bool rpt_profile_may_repeat(const struct rpt_profile_conf *conf);

/* Count rec if it is a sample or a record of lost ones.  Fill in at, unless it
 * is NULL, if equal samples may be counted there; otherwise it stays as it is.
 * Return 0 or -EFBIG. */
int rpt_profile_add_record(struct rpt_profile *profile,
			   const struct pd_record *rec,
			   struct rpt_counted_at *at, struct pd_err *err);

/* Count a delivered sample, whose event and period may differ from those of the
 * record.  ret_at is as in rpt_profile_add_record().  Return 0 or -EFBIG. */
int rpt_profile_count(struct rpt_profile *profile,
		      const struct rpt_sample *sample,
		      struct rpt_counted_at *ret_at);

/* Count nr samples, from first to last in time, that are equal to the one that
 * was counted at.  Return false and count none if some do not belong there. */
bool rpt_profile_add_equal(struct rpt_profile *profile,
			   const struct rpt_counted_at *at,
			   struct rpt_timestamp first,
			   struct rpt_timestamp last, uint32_t nr);

/* Add an entry to profile->damage if stacks were left out. */
void rpt_profile_report_full(struct rpt_profile *profile);

/* Take len bytes for a new stack from the budget.  Return false if there are
 * fewer. */
bool rpt_profile_take(struct rpt_profile *profile, uint64_t len);

/* Fill in the key of a sample up to its chain, but not its context. */
void rpt_profile_key_fill(const struct rpt_profile_conf *conf,
			  struct rpt_stack_key *key,
			  const struct pd_sample *sample);

/* Append what follows the chain: profile->branch, values, raw data.  Return the
 * key's length in bytes. */
size_t rpt_profile_key_close(struct rpt_stack_key *key,
			     const struct rpt_profile *profile,
			     const struct pd_sample *sample,
			     struct rpt_timestamp when);

/* Return the context of a sample's stack in profile->block; NULL if it is new
 * and profile->is_full. */
const struct rpt_stack_context *
rpt_profile_context(struct rpt_profile *profile, const struct pd_sample *sample,
		    const struct rpt_task_state *task);

#endif
