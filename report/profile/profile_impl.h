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

/* Count a sample as it was read: for its event, or for each of its counters or
 * branches.  ret_at is as in rpt_profile_add_record().  Return 0 or -EFBIG. */
int rpt_profile_count_read(struct rpt_profile *profile,
			   struct rpt_sample *sample,
			   struct rpt_counted_at *ret_at);

/* Count a delivered sample, whose event and period may differ from those of the
 * record.  ret_at is as in rpt_profile_add_record().  Return 0 or -EFBIG. */
int rpt_profile_count(struct rpt_profile *profile,
		      const struct rpt_sample *sample,
		      struct rpt_counted_at *ret_at);

/* Return where a part of an interval that begins at a time ends, at end_ns at
 * the latest: at an end of a block, or of a range of --time. */
uint64_t rpt_profile_part_end(const struct rpt_profile_conf *conf,
			      uint64_t time_ns, uint64_t end_ns);

/* Return whether the filter leaves the task of a sample. */
bool rpt_profile_passes_task(const struct rpt_profile *profile,
			     const struct rpt_sample *sample);

/* Make a part of a delivered sample, whose event may differ from that of the
 * record.  Return its number in profile->linked, or -EFBIG. */
int64_t rpt_profile_part(struct rpt_profile *profile,
			 const struct rpt_sample *sample);

/* Links, the innermost one first: RPT_CONTEXT_LINKED and their numbers. */
struct rpt_linked_chain {
	uint64_t words[1 + RPT_LINKS_MAX];
	uint32_t nr;
};

/* Count what is not one sample, but has the task, time and period of this one:
 * in the stack of a chain whose outermost link has that part.  Return 0 or
 * -EFBIG. */
int rpt_profile_count_linked(struct rpt_profile *profile,
			     const struct rpt_sample *sample, uint32_t part,
			     const struct rpt_linked_chain *chain);

/* Set what a sample counts for of the elapsed time, in rpt_latency_pass(). */
void rpt_profile_set_latency(struct rpt_profile *profile,
			     struct rpt_sample *sample);
/* Add a sample's second number, which few profiles have, to its stack's. */
void rpt_profile_add_second(struct rpt_profile *profile, int64_t stack_idx,
			    const struct rpt_sample *sample);

/* Add an entry to profile->damage if stacks were left out. */
void rpt_profile_report_full(struct rpt_profile *profile);

#endif
