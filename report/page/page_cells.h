/* page_cells.h: which bin, CPU and lane the entries of a tree are of, as the
 * bytes of README.md, "The data".
 */
#ifndef RPT_PAGE_CELLS_H
#define RPT_PAGE_CELLS_H

#include "format/base/buf.h"
#include "report/page/page_tree.h"

/* Append the cells of a finished tree, how many of them each node has, and
 * which. */
void rpt_page_cells_put(struct pd_buf *b, const struct rpt_page_tree *tree);

#endif
