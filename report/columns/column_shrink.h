/* column_shrink.h: columns of names become narrower so that lines fit the
 * terminal: column_fit.c for tables, hierarchy_columns.c for hierarchies.
 */
#ifndef RPT_COLUMN_SHRINK_H
#define RPT_COLUMN_SHRINK_H

#include "report/columns/columns.h"

/* Return whether a column may be narrower than its texts. */
bool rpt_column_may_shrink(const struct rpt_columns *columns, size_t idx);

/* Make names of a hierarchy narrower, after the widths are known. */
void rpt_columns_fit_levels(struct rpt_columns *columns,
			    const struct rpt_rows *rows);

#endif
