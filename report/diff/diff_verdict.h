/* diff_verdict.h: the gate of perfpair diff, --fail-above: whether all together
 * or a row became dearer by more than a limit (docs/diff.md, "A gate").
 */
#ifndef RPT_DIFF_VERDICT_H
#define RPT_DIFF_VERDICT_H

#include "report/diff/diff_args.h"

/* Judge the tables.  If sides are blocks, the interval of all together is made
 * wider by what machines drift, and rows decide nothing.  The caller releases
 * or ends *ret. */
void rpt_diff_judge(const struct rpt_diff_args *args,
		    const struct rpt_diff_table *tables, size_t nr,
		    struct rpt_gate_result *ret);

/* Name the rows on stderr that became dearer by more than limit_pct. */
void rpt_diff_warn_regressions(const struct rpt_diff_table *tables, size_t nr,
			       double limit_pct);

/* Return whether a row is shown. */
bool rpt_diff_shows_rows(const struct rpt_diff_table *tables, size_t nr);

#endif
