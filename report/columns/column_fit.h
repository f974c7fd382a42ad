/* column_fit.h: how wide columns are, so that they fit all rows: found piece by
 * piece, by as many threads as there are.  Part of columns.h.
 *
 *	rpt_columns_hide()		first of all
 *	rpt_column_fit_piece()		each piece once, to the thread's widths
 *	rpt_column_fit_end()		when all are through
 */
#ifndef RPT_COLUMN_FIT_H
#define RPT_COLUMN_FIT_H

#include "report/columns/columns.h"

/* What one thread has found; begins zeroed. */
struct rpt_column_widths {
	uint32_t items[RPT_KEYS_MAX];
};

uint32_t rpt_column_fit_piece_nr(const struct rpt_rows *rows);

/* Looks at piece number idx; threads may do so beside each other where
 * rpt_columns_may_be_shared(). */
void rpt_column_fit_piece(const struct rpt_columns *columns,
			  const struct rpt_rows *rows, uint32_t idx,
			  struct rpt_column_widths *widths);

/* Sets columns->widths by what nr threads have found. */
void rpt_column_fit_end(struct rpt_columns *columns,
			const struct rpt_rows *rows,
			const struct rpt_column_widths *widths, size_t nr);

#endif
