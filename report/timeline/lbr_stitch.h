/* lbr_stitch.h: extends call chains from branch registers (record --call-graph
 * lbr) beyond the number of registers: --stitch-lbr.
 *
 * The registers are a ring: a call takes the next one, a return gives it back,
 * and if calls go deeper than there are registers the oldest call is lost.  The
 * sample that the thread had before may have it.  hw_idx is the register of a
 * sample's latest branch, so that each branch has a place:
 *
 *	before	 3  4  5  6  7  8  9 10		register of each branch, oldest
 *	now		  5  6  7  8  9 10 11 12	first; 11 and 12 are new
 *
 * By the rules of perf 6.1: if the register of the oldest branch of now held
 * the very same branch before, the older ones of before (here 3 and 4) are
 * callers of now, too, and behind them stands what was put to the chain of
 * before.  Else nothing is put to the chain, and what was before is forgotten.
 *
 * Samples come in the order of time, once; then any thread may ask for chains.
 * Part of the timeline.
 */
#ifndef RPT_LBR_STITCH_H
#define RPT_LBR_STITCH_H

#include "format/records/sample.h"
#include "report/base/memory.h"
#include "report/timeline/tasks.h"

struct rpt_lbr_stitch;

/* Return a new object.  register_nr is that of the CPU; at most lost_max
 * callers are appended to a chain, those nearest to it.  Memory is charged to
 * the budget. */
struct rpt_lbr_stitch *rpt_lbr_stitch_new(uint32_t register_nr,
					  uint32_t lost_max,
					  struct rpt_budget *budget);
/* Safe on NULL. */
void rpt_lbr_stitch_free(struct rpt_lbr_stitch *stitch);

/* Add the next sample of all tasks that has a call chain from branches, and
 * hw_idx.  Return 0, or -EFBIG if the budget is spent. */
int rpt_lbr_stitch_add(struct rpt_lbr_stitch *stitch,
		       const struct rpt_task_ref *ref,
		       const struct pd_sample *sample, uint64_t seq);

/* Call this after the last one. */
void rpt_lbr_stitch_finish(struct rpt_lbr_stitch *stitch);

/* Return how many lost callers rpt_lbr_stitch_join() appends to the chain of
 * the sample of that seq, if there is room for them. */
uint32_t rpt_lbr_stitch_lost_nr(const struct rpt_lbr_stitch *stitch,
				uint64_t seq);

/* Append the lost callers to the chain of the sample of that seq, which
 * pd_sample_chain_of_branches() has made in room[RPT_CHAIN_NR]. */
void rpt_lbr_stitch_join(const struct rpt_lbr_stitch *stitch, uint64_t seq,
			 struct pd_sample *sample, uint64_t *room);

/* Set, which passes ownership, and return the object that
 * rpt_timeline_join_chain() uses. */
void rpt_timeline_set_stitch(struct rpt_timeline *tl,
			     struct rpt_lbr_stitch *stitch);
const struct rpt_lbr_stitch *rpt_timeline_stitch(const struct rpt_timeline *tl);

/* Room for a call chain and what is joined to it, in 64-bit words. */
#define RPT_CHAIN_NR (2 * PD_SAMPLE_CHAIN_NR)

/* Complete the sample's call chain, in room[RPT_CHAIN_NR] if need be: with what
 * came later (deferred.h), or from its branches (sample.h, lbr_stitch.h).  seq
 * is that of its record. */
void rpt_timeline_join_chain(const struct rpt_timeline *tl,
			     const struct pd_event *event, uint64_t seq,
			     struct pd_sample *sample, uint64_t *room);

#endif
