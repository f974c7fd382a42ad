/* profile_hints.h: what a profile shows that another way of recording would
 * show better.
 */
#ifndef RPT_PROFILE_HINTS_H
#define RPT_PROFILE_HINTS_H

#include "report/profile/profile.h"

struct rpt_profile_hints {
	uint64_t all_nr;   /* samples */
	uint64_t chain_nr; /* of programs' code, with a recorded call chain */
	/* ... of which the chain is the function alone, as of programs without
	 * frame pointers */
	uint64_t one_deep_nr;
	uint64_t jit_nr; /* in memory that a JIT compiler filled, without a
			  * name */
};

/* Count after all stacks are counted.  Memory of JIT compilers is looked up
 * only if there is any. */
void rpt_profile_hints_count(const struct rpt_profile *profile,
			     struct rpt_profile_hints *ret);

/* Print to stderr how to record what is missing, if that is much. */
void rpt_profile_hints_warn(const char *path,
			    const struct rpt_profile *profile);

#endif
