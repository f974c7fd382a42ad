/* lbr_stitch.h: call chains out of branch registers (record --call-graph lbr),
 * longer than a CPU has registers: --stitch-lbr.
 *
 * The registers are a ring: a call takes the next one, a return gives it back,
 * and where calls go deeper than there are registers the oldest call is lost.
 * It may stand in the sample that the thread had before.  A sample tells which
 * register its latest branch is in (hw_idx), so that each branch has a place:
 *
 *	before	 3  4  5  6  7  8  9 10		register of each branch, oldest
 *	now		  5  6  7  8  9 10 11 12	first; 11 and 12 are new
 *
 * By the rules of perf 6.1: where the register of the oldest branch of now held
 * the very same branch before, the older ones of before (here 3 and 4) are
 * callers of now, too, and behind them stands what was put to the chain of
 * before.  Else nothing is put to the chain, and what was before is forgotten.
 *
 * Samples come in the order of time, once; then any thread may ask for chains.
 * Part of the timeline.
 */
#ifndef RPT_LBR_STITCH_H
#define RPT_LBR_STITCH_H

#include "format/sample.h"
#include "report/base/memory.h"
#include "report/timeline/tasks.h"

struct rpt_lbr_stitch;

/* register_nr: of the CPU.  lost_max: how many places are put to a chain at
 * most, those nearest to it.  Memory is taken from budget, which outlives it.
 * NULL: out of memory. */
struct rpt_lbr_stitch *rpt_lbr_stitch_new(uint32_t register_nr,
					  uint32_t lost_max,
					  struct rpt_budget *budget);
void rpt_lbr_stitch_free(struct rpt_lbr_stitch *stitch);

/* The next sample of all tasks that has a call chain out of branches and tells
 * hw_idx.  0, -ENOMEM, or -EFBIG: there is no budget for more. */
int rpt_lbr_stitch_add(struct rpt_lbr_stitch *stitch, const struct rpt_who *who,
		       const struct pd_sample *sample, uint64_t seq);

/* After the last one. */
void rpt_lbr_stitch_finish(struct rpt_lbr_stitch *stitch);

/* How many places that are lost to the sample of that seq
 * rpt_lbr_stitch_join() puts to its chain, if there is room for them. */
uint32_t rpt_lbr_stitch_lost_nr(const struct rpt_lbr_stitch *stitch,
				uint64_t seq);

/* Puts what was lost to the chain of the sample of that seq, which
 * pd_sample_chain_of_branches() has made in room[RPT_CHAIN_NR]. */
void rpt_lbr_stitch_join(const struct rpt_lbr_stitch *stitch, uint64_t seq,
			 struct pd_sample *sample, uint64_t *room);

#endif
