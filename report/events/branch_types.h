/* branch_types.h: counts branches by their types, for what report prints below
 * its tables of branches.
 *
 *	struct rpt_branch_types types = { 0 };
 *	rpt_branch_types_add(&types, &branch, nr);
 *	rpt_branch_types_print(&types, stdout);
 *
 * A branch has a type only if the recorder asked for it (record -j save_type).
 */
#ifndef RPT_BRANCH_TYPES_H
#define RPT_BRANCH_TYPES_H

#include "format/records/sample.h"

#include <stdio.h>

/* FORMAT.md, the flags of a branch: its type, and what type 15 stands for. */
#define RPT_BRANCH_TYPE_FLAGS (UINT64_C(0xf) << 20 | UINT64_C(0xf) << 26)

enum {
	RPT_BRANCH_TYPE_NR = 15,
	RPT_BRANCH_NEW_TYPE_NR = 8,
	/* ... and conditional ones forward and backward, those to another page
	 * of 4 KiB, and to another of 2 MiB */
	RPT_BRANCH_COUNTS_NR = 4 + RPT_BRANCH_TYPE_NR + RPT_BRANCH_NEW_TYPE_NR,
};

/* In the order in which they are printed. */
struct rpt_branch_types {
	uint64_t nr[RPT_BRANCH_COUNTS_NR];
};

/* Count a branch nr times, unless it has no type or comes from nowhere. */
void rpt_branch_types_add(struct rpt_branch_types *types,
			  const struct pd_branch *branch, uint64_t nr);
/* Add what from has counted. */
void rpt_branch_types_merge(struct rpt_branch_types *to,
			    const struct rpt_branch_types *from);

/* Print each type in percent of all branches whose type is below 15, as perf
 * 6.1 does; print nothing if there are none. */
void rpt_branch_types_print(const struct rpt_branch_types *types, FILE *out);

/* Return the name of a type ("COND"), "" if perf 6.1 knows none. */
const char *rpt_branch_type_name(uint64_t type);
/* Return the name of what type 15 stands for, "N/A" if perf 6.1 knows none. */
const char *rpt_branch_new_type_name(uint64_t new_type);

#endif
