/* page_data.h: names and trees as the bytes of README.md, "The data". */
#ifndef RPT_PAGE_DATA_H
#define RPT_PAGE_DATA_H

#include "format/base/buf.h"
#include "report/page/page_tree.h"

/* Append the names and functions; ranks and lanes are computed. */
void rpt_page_data_names(struct pd_buf *b, const struct rpt_page_names *names);

/* Append texts in their order, front-coded. */
void rpt_page_data_texts(struct pd_buf *b, const struct rpt_intern *texts,
			 const struct rpt_page_order *order);

/* Append a finished tree.  period: that of each sample; 0: they differ. */
void rpt_page_data_tree(struct pd_buf *b, const struct rpt_page_tree *tree,
			const struct rpt_page_names *names, uint64_t period);

#endif
