/* out_rows.h: many rows of a table as text, put together by several threads.
 *
 *	rpt_out_rows_new()	threads begin
 *	...			what stands above these rows is printed then
 *	rpt_out_rows_print()	with the caller's thread as one of them
 *	rpt_out_rows_free()	whether they were printed or not
 *
 * Threads take pieces of the rows in their order and may be some pieces ahead
 * of what was written.
 */
#ifndef RPT_OUT_ROWS_H
#define RPT_OUT_ROWS_H

#include "report/columns.h"

struct rpt_out_rows_conf {
	const struct rpt_columns *columns; /* rpt_columns_are_plain() */
	const struct rpt_rows *rows;
	const uint32_t *list; /* rows in their order; must stay */
	uint32_t nr;
	uint32_t jobs; /* 0: as many as there are CPUs */
};

struct rpt_out_rows;

/* NULL: out of memory. */
struct rpt_out_rows *rpt_out_rows_new(const struct rpt_out_rows_conf *conf);

/* Once, without call graphs.  0 or -ENOMEM. */
int rpt_out_rows_print(struct rpt_out_rows *all, struct rpt_text *out);

void rpt_out_rows_free(struct rpt_out_rows *all);

#endif
