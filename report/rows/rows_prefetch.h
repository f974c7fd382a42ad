/* rows_prefetch.h: fetches ahead what rpt_rows_add_resolved() will look at.  Of
 * a stack's frames (nr of them, the sample's own first) what leads to their
 * rows is fetched first, and some stacks later the rows.
 */
#ifndef RPT_ROWS_PREFETCH_H
#define RPT_ROWS_PREFETCH_H

#include "report/rows/rows.h"

void rpt_rows_prefetch_frames(const struct rpt_rows *rows,
			      const uint32_t *frames, uint32_t nr);
void rpt_rows_prefetch_rows(struct rpt_rows *rows, const uint32_t *frames,
			    uint32_t nr);

#endif
