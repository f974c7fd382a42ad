/* branch_stat.h: counts the branches that go through a node of a call graph,
 * and prints them behind the node's name: "(COND_FWD predicted:50.0%)". */
#ifndef RPT_BRANCH_STAT_H
#define RPT_BRANCH_STAT_H

#include "report/profile/branch_history.h"
#include "report/base/text_out.h"

/* One end of a branch, without padding, since it is hashed. */
struct rpt_branch_end {
	uint64_t flags;
	uint64_t repeat_nr;
	uint64_t run_cycles;
	uint64_t kind; /* of enum rpt_branch_kind, bits */
};

enum rpt_branch_kind {
	RPT_BRANCH_IS_TO = 1 << 0,
	RPT_BRANCH_IS_BACK = 1 << 1, /* to a lower address */
	RPT_BRANCH_CROSS_4K = 1 << 2,
	RPT_BRANCH_CROSS_2M = 1 << 3,
};

/* Return the target, or the source, of b.  Fields that do not distinguish ends
 * are 0. */
struct rpt_branch_end rpt_branch_end_to(const struct rpt_history_branch *b);
struct rpt_branch_end rpt_branch_end_from(const struct rpt_history_branch *b);

/* Sums over samples; all of them are 0 if none was a branch. */
struct rpt_branch_stat {
	uint64_t nr;
	uint64_t predicted_nr;
	uint64_t abort_nr;
	uint64_t cycles;
	uint64_t from_nr;
	uint64_t repeat_nr;
	uint64_t run_cycles;
	uint32_t types; /* the types of all branches, by bit; 1: COND forward */
	uint32_t kind;	/* of the last branch, and the crossings of all */
};

/* Count an end of a branch that sample_nr samples have. */
void rpt_branch_stat_add(struct rpt_branch_stat *stat,
			 const struct rpt_branch_end *end, uint64_t sample_nr);
/* Print " (...)", or nothing if there is nothing to say. */
void rpt_branch_stat_print(const struct rpt_branch_stat *stat,
			   struct rpt_text *out);

#endif
