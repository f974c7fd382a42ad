/* branch_history.h: the branches of a sample in front of its call chain: the
 * way by which it came there (--branch-history).
 *
 * In a stack's key: RPT_CONTEXT_BRANCHES, their number, RPT_BRANCH_WORDS for
 * each, then what is left of the call chain.  As perf 6.1 does it, seen on
 * recordings that were given branches:
 *  - each branch is two entries, where it led to before where it came from; the
 *    latest first, or last where callers come first
 *  - a run of branches that only repeats the run before it is left out; the
 *    branch behind counts the repetitions and their cycles
 *  - calls of the chain that the branches tell of are left out where callees
 *    come first; as many words as there are branches, from the innermost on
 *    where callers come first, else from the outermost on
 */
#ifndef RPT_BRANCH_HISTORY_H
#define RPT_BRANCH_HISTORY_H

#include "format/sample.h"

#include <stdbool.h>

/* The mark in front of branches; no kernel writes it. */
#define RPT_CONTEXT_BRANCHES ((uint64_t)-4001)

#define RPT_BRANCHES_NR	 127u /* with more the stack is taken for damaged */
#define RPT_BRANCH_WORDS 5u   /* struct rpt_history_branch */
#define RPT_HISTORY_NR	 (2 + RPT_BRANCHES_NR * RPT_BRANCH_WORDS)

/* As it stands in a key. */
struct rpt_history_branch {
	uint64_t to;
	uint64_t from;
	uint64_t flags;	     /* struct pd_branch */
	uint64_t repeat_nr;  /* of the run before it */
	uint64_t run_cycles; /* of one repetition */
};

struct rpt_branch_history_conf {
	bool is_asked;
	bool is_caller_first;
	uint32_t max_stack; /* branches at most, and calls */
};

/* Writes to to, which has room for RPT_HISTORY_NR words and the whole chain;
 * returns how many words. */
uint32_t rpt_branch_history(const struct rpt_branch_history_conf *conf,
			    const struct pd_sample *sample, uint64_t *to);

#endif
