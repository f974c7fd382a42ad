/* branch_types.h: how many of the branches are of which type, what report
 * says below its tables of branches.
 *
 *	struct rpt_branch_types types = { 0 };
 *	rpt_branch_types_add(&types, &branch, nr);
 *	rpt_branch_types_print(&types, stdout);
 *
 * Types are those that the recorder asked to be saved (record -j save_type).
 */
#ifndef RPT_BRANCH_TYPES_H
#define RPT_BRANCH_TYPES_H

#include "format/sample.h"

#include <stdio.h>

/* FORMAT.md, the flags of a branch: its type, and what type 15 stands for. */
#define RPT_BRANCH_TYPE_FLAGS (UINT64_C(0xf) << 20 | UINT64_C(0xf) << 26)

enum {
	RPT_BRANCH_TYPE_NR = 15,
	RPT_BRANCH_NEW_TYPE_NR = 8,
};

struct rpt_branch_types {
	uint64_t nr[RPT_BRANCH_TYPE_NR];
	uint64_t new_nr[RPT_BRANCH_NEW_TYPE_NR];
	uint64_t forward_nr; /* of conditional ones */
	uint64_t backward_nr;
	uint64_t cross_4k_nr; /* from one page to another */
	uint64_t cross_2m_nr;
};

/* Branches of no type, or from nowhere, are not counted. */
void rpt_branch_types_add(struct rpt_branch_types *types,
			  const struct pd_branch *branch, uint64_t nr);
void rpt_branch_types_merge(struct rpt_branch_types *to,
			    const struct rpt_branch_types *from);

/* As perf 6.1: in percent of those of the first 14 types; nothing where there
 * are none. */
void rpt_branch_types_print(const struct rpt_branch_types *types, FILE *out);

/* "COND"; empty where perf 6.1 knows none */
const char *rpt_branch_type_name(uint64_t type);
/* What type 15 stands for; "N/A" likewise. */
const char *rpt_branch_new_type_name(uint64_t new_type);

#endif
