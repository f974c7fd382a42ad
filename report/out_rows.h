/* out_rows.h: many rows of a table as text, put together by several threads. */
#ifndef RPT_OUT_ROWS_H
#define RPT_OUT_ROWS_H

#include "report/columns.h"

struct rpt_out_rows {
	const struct rpt_columns *columns; /* rpt_columns_are_plain() */
	const struct rpt_rows *rows;
	const uint32_t *list; /* rows in their order */
	uint32_t nr;
	uint32_t jobs; /* 0: as many as there are CPUs */
};

/* Without call graphs.  0 or -ENOMEM. */
int rpt_out_rows_print(const struct rpt_out_rows *what, struct rpt_text *out);

#endif
