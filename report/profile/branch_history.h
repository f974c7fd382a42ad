/* branch_history.h: puts the branches of a sample, the way by which it came
 * there, before its call chain (--branch-history).
 *
 * In a stack's key: RPT_CONTEXT_BRANCHES, their number, RPT_BRANCH_WORDS for
 * each, then the rest of the call chain.  As perf 6.1 does, seen on recordings
 * to which branches were added:
 *  - each branch is two entries, its target before its source; the latest
 *    branch comes first, or last if callers come first
 *  - a run of branches that only repeats the run before it is left out; the
 *    branch behind counts the repetitions and their cycles
 *  - if callees come first, calls that the branches include are left out, and
 *    as many of the outermost words as there are branches; if callers come
 *    first, as many of the innermost words
 */
#ifndef RPT_BRANCH_HISTORY_H
#define RPT_BRANCH_HISTORY_H

#include "format/records/sample.h"

#include <stdbool.h>

/* The mark in front of branches; no kernel writes it. */
#define RPT_CONTEXT_BRANCHES ((uint64_t)-4001)

#define RPT_BRANCHES_NR	 127u /* with more the stack is taken for damaged */
#define RPT_BRANCH_WORDS 5u   /* struct rpt_history_branch */
#define RPT_HISTORY_NR	 (2 + RPT_BRANCHES_NR * RPT_BRANCH_WORDS)

/* A branch as it stands in a key. */
struct rpt_history_branch {
	uint64_t to;
	uint64_t from;
	uint64_t flags;	     /* struct pd_branch */
	uint64_t repeat_nr;  /* repetitions of the run before it */
	uint64_t run_cycles; /* of one repetition */
};

struct rpt_branch_history_conf {
	bool is_asked;
	bool is_caller_first;
	uint32_t max_stack; /* branches at most, and calls */
};

/* Write branches and chain to to, which has room for RPT_HISTORY_NR words and
 * the whole chain.  Return how many words were written. */
uint32_t rpt_branch_history(const struct rpt_branch_history_conf *conf,
			    const struct pd_sample *sample, uint64_t *to);

#endif
