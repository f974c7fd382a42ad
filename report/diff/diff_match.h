/* diff_match.h: which rows of two sides are the same function, where the names
 * do not say so letter for letter.
 *
 * A label that only the old side has and one that only the new side has belong
 * together if their names agree at a level of function_stem.h; where several
 * do, the pair whose names share the longest beginning.  Exact names go first,
 * then stems, then templates.
 *
 * Call paths are the same function below callers that are the same: callers
 * are matched before what they call, and where theirs changed, functions of
 * equal names are looked for below the old ones.
 */
#ifndef RPT_DIFF_MATCH_H
#define RPT_DIFF_MATCH_H

#include "report/diff/function_stem.h"
#include "report/diff/diff_run.h"

struct rpt_matches {
	uint32_t *to;	/* by label of the new side: that of the old one */
	uint8_t *level; /* enum rpt_name_match */
	uint32_t nr;	/* labels */
};

/* is_old, is_new: by label, whether the side has it.  0 or -ENOMEM; matches is
 * to be released whatever comes back. */
int rpt_matches_find(struct rpt_matches *matches,
		     const struct rpt_labels *labels, const bool *is_old,
		     const bool *is_new);
void rpt_matches_release(struct rpt_matches *matches);

#endif
