/* page_write.h: a head and filled trees as a page. */
#ifndef RPT_PAGE_WRITE_H
#define RPT_PAGE_WRITE_H

#include "report/base/json_text.h"
#include "report/page/page.h"
#include "report/page/page_fill.h"

/* The head: what a page says of its recordings, the JSON of README.md. */

/* Put the members that follow from fill alone: cpus, lanes, left_out. */
void rpt_page_head_fill(struct rpt_json *json,
			const struct rpt_page_fill *fill);

/* Put the list of what a recording says of itself, as the value of "facts"; of
 * its stacks only if profile is not NULL. */
void rpt_page_head_facts(struct rpt_json *json, struct pd_reader *reader,
			 const struct rpt_profile *profile);

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
