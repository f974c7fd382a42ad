/* deferred.h: user call chains that the kernel took later than their samples.
 *
 * A sample's chain then ends with PD_CONTEXT_USER_DEFERRED and a cookie; a
 * CALLCHAIN_DEFERRED record of the same thread brings the rest under that
 * cookie when the thread returns to user space.  Part of the timeline, filled
 * before the samples are looked at.
 */
#ifndef RPT_DEFERRED_H
#define RPT_DEFERRED_H

#include "format/records/record_body.h"
#include "format/records/sample.h"
#include "report/base/intern.h"

struct rpt_deferred {
	struct rpt_intern keys;	  /* cookie, thread id */
	struct rpt_intern chains; /* words of this machine */
	uint32_t *chain_idx;	  /* by number of the key; owned */
	uint32_t cap;
};

/* Add the record's chain.  If a thread has several records with one cookie, the
 * first counts. */
void rpt_deferred_add(struct rpt_deferred *deferred, uint32_t tid,
		      const struct pd_callchain_deferred *record);

/* If the sample's call chain ends with the mark and a cookie, copy it to
 * room[PD_SAMPLE_CHAIN_NR * 2] with the deferred chain in place of these two,
 * or without them if no record came. */
void rpt_deferred_join(const struct rpt_deferred *deferred,
		       struct pd_sample *sample, uint64_t *room);

/* Free all.  Safe on a zeroed struct. */
void rpt_deferred_release(struct rpt_deferred *deferred);

#endif
