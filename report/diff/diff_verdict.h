/* diff_verdict.h: what perfpair diff says on stderr of rows that grew, and
 * whether that is a failure: --fail-above.
 */
#ifndef RPT_DIFF_VERDICT_H
#define RPT_DIFF_VERDICT_H

#include "report/diff/diff_args.h"

/* Print the rows that grew by more than limit_pct, and not by chance: of its
 * old value or, if a row is new, of the total.  Return how many they are. */
size_t rpt_diff_warn_regressions(const struct rpt_diff_table *tables, size_t nr,
				 double limit_pct);

/* Return whether a row is shown. */
bool rpt_diff_shows_rows(const struct rpt_diff_table *tables, size_t nr);

#endif
