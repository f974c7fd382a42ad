/* page_head.h: what a page says of its recordings: the JSON of README.md. */
#ifndef RPT_PAGE_HEAD_H
#define RPT_PAGE_HEAD_H

#include "report/base/json_text.h"
#include "report/page/page.h"
#include "report/page/page_fill.h"

void rpt_page_head_put(struct rpt_json *json, const struct rpt_report *report,
		       const struct rpt_page_fill *fill,
		       const struct rpt_page_conf *conf);

#endif
