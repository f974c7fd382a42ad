/* page_code_data.h: instructions as the bytes of README.md, "The data", and
 * what the head says of them. */
#ifndef RPT_PAGE_CODE_DATA_H
#define RPT_PAGE_CODE_DATA_H

#include "format/base/buf.h"
#include "report/base/json_text.h"
#include "report/page/page_code.h"

/* Append the first code->shown_nr listings of functions that the page has.
 * names are sorted; periods: of each sample of an event, 0: they differ. */
void rpt_page_code_data(struct pd_buf *b, const struct rpt_page_code *code,
			const struct rpt_page_names *names,
			const uint64_t *periods);

/* Put the member "code" of the head. */
void rpt_page_code_head(struct rpt_json *json, const struct rpt_page_code *code,
			const struct rpt_page_names *names);

#endif
