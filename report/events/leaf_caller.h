/* leaf_caller.h: puts the caller of a leaf into its call chain (aarch64).
 *
 * The kernel follows frame records.  A function that calls no other has none,
 * and one that begins or ends has none yet, or no more: its caller is missing
 * in the chain.  The caller's address is in the link register, which perf
 * samples with -g on aarch64 since 5.18, but the register has it only as long
 * as it is not saved (rpt_unwind_leaf_caller()).
 *
 * Answers are cached by address and register.  Each thread has its own.
 */
#ifndef RPT_LEAF_CALLER_H
#define RPT_LEAF_CALLER_H

#include "report/timeline/timeline.h"

struct rpt_leaf_caller;
struct rpt_sample;

/* Return whether an event has both call chains and what may be the link
 * register. */
bool rpt_leaf_caller_is_asked(const struct pd_event_set *events);

/* Safe on NULL. */
void rpt_leaf_caller_free(struct rpt_leaf_caller *leaf);

/* *leaf is NULL at first; it is made for the first sample that has both.
 *
 * If the sample's chain lacks the caller, make one in room[RPT_CHAIN_NR] that
 * has it; the sample's may be there already.  As in perf, the address is one
 * before the return address. */
void rpt_leaf_caller_join(struct rpt_leaf_caller **leaf,
			  const struct rpt_timeline *timeline,
			  struct rpt_sample *sample, uint64_t *room);

#endif
