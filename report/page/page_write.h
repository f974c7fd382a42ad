/* page_write.h: a head and filled trees as a page. */
#ifndef RPT_PAGE_WRITE_H
#define RPT_PAGE_WRITE_H

#include "report/page/page_head.h"

/* Puts the head of a page; it is called again if nodes were left out. */
typedef void rpt_page_put_head(struct rpt_json *json, const void *ctx,
			       const struct rpt_page_fill *fill,
			       const struct rpt_page_conf *conf);

/* Print the page.  Return 0, -EFBIG if not even the heaviest nodes fit, or the
 * errno of a write, with err set. */
int rpt_page_write(struct rpt_page_fill *fill, const struct rpt_page_conf *conf,
		   rpt_page_put_head *put_head, const void *ctx, FILE *out,
		   struct pd_err *err);

#endif
