/* profile_impl.h: adds records to a profile; private to the room. */
#ifndef RPT_PROFILE_IMPL_H
#define RPT_PROFILE_IMPL_H

#include "report/profile/profile.h"

/* The place where a sample was counted.  Equal samples count there, too, as
 * long as neither the task nor the block of time changes. */
struct rpt_counted_at {
	struct rpt_span span; /* of time; empty: nothing was counted yet */
	size_t total_idx;
	uint32_t stack_idx;
	struct rpt_stack one; /* what one sample adds */
};

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

/* Add an entry to profile->damage if stacks were left out. */
void rpt_profile_report_full(struct rpt_profile *profile);

#endif
