/* row_lines.h: the source lines that rows will ask for, found beforehand. */
#ifndef RPT_ROW_LINES_H
#define RPT_ROW_LINES_H

#include "report/rows/rows.h"

/* Where rows or call graphs show source lines: resolves all stacks of the
 * profile, in this order, and finds the lines by so many threads (0: as many
 * as there are CPUs); else nothing.  Out of budget: as many stacks as it
 * allows.  0 or -ENOMEM. */
int rpt_rows_find_lines(struct rpt_rows *rows, const uint32_t *order,
			uint32_t threads);

#endif
