/* row_prefix.h: what a row of a table begins with, kept for the next row.
 *
 * The first columns are mostly weights, names of tasks and DSOs: in the order
 * of a large table they are the same in one row after the other.  Part of
 * columns.h.
 */
#ifndef RPT_ROW_PREFIX_H
#define RPT_ROW_PREFIX_H

#include "report/columns/columns.h"

struct rpt_row_prefix {
	size_t column_nr; /* of those that are shown */
	size_t shown_nr;
	uint32_t row; /* the last one */
	size_t len;   /* 0: there is none */
	char text[240];
};

/* Of columns that are as wide as they will be. */
void rpt_row_prefix_init(struct rpt_row_prefix *start,
			 const struct rpt_columns *columns);

/* rpt_columns_print_row(), of one row after the other. */
void rpt_columns_print_next_row(const struct rpt_columns *columns,
				const struct rpt_rows *rows, uint32_t row,
				struct rpt_row_prefix *start,
				struct rpt_text *out);

#endif
