/* page_head.h: what a page says of its recordings: the JSON of README.md. */
#ifndef RPT_PAGE_HEAD_H
#define RPT_PAGE_HEAD_H

#include "report/base/json_text.h"
#include "report/page/page.h"
#include "report/page/page_fill.h"

/* Put the members that follow from fill alone: cpus, lanes, left_out. */
void rpt_page_head_fill(struct rpt_json *json,
			const struct rpt_page_fill *fill);

/* Put the list of what a recording says of itself, as the value of "facts". */
void rpt_page_head_facts(struct rpt_json *json, struct pd_reader *reader);

/* Put an item of "events", of tree number idx. */
void rpt_page_head_event(struct rpt_json *json,
			 const struct rpt_page_fill *fill, uint32_t idx,
			 const char *name, bool is_clock);

/* Put "version", "title" and "program". */
void rpt_page_head_start(struct rpt_json *json,
			 const struct rpt_page_conf *conf);

/* Put the whole head of a report. */
void rpt_page_head_report(struct rpt_json *json,
			  const struct rpt_report *report,
			  const struct rpt_page_fill *fill,
			  const struct rpt_page_conf *conf);

#endif
