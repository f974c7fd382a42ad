/* leaf_caller.h: puts the callers of a leaf into its call chain.
 *
 * The kernel follows frame records.  A function that calls no other has none,
 * and one that begins or ends has none yet, or no more: its caller is missing
 * in the chain.  On aarch64 the caller's address is in the link register, which
 * perf samples with -g since 5.18, but the register has it only as long as it
 * is not saved (rpt_unwind_leaf_caller()).  On x86_64 it is on the stack, and
 * our recorder keeps the words that it may be (rpt_unwind_leaf_words()).
 *
 * Answers are cached by address and register, or words.  Each thread has its
 * own.
 */
#ifndef RPT_LEAF_CALLER_H
#define RPT_LEAF_CALLER_H

#include "report/timeline/timeline.h"

struct rpt_leaf_caller;
struct rpt_sample;

/* Safe on NULL. */
void rpt_leaf_caller_free(struct rpt_leaf_caller *leaf);

/* *leaf is NULL at first; it is made for the first sample that has a chain and
 * what callers are found by.
 *
 * If the sample's chain lacks callers, make one in room[RPT_CHAIN_NR] that has
 * them; the sample's may be there already.  As in perf, the address is one
 * before the return address. */
void rpt_leaf_caller_join(struct rpt_leaf_caller **leaf,
			  const struct rpt_timeline *timeline,
			  struct rpt_sample *sample, uint64_t *room);

#endif
