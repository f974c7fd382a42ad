/* page_source.h: the files of the source of a page's instructions, and their
 * lines, if these are asked for. */
#ifndef RPT_PAGE_SOURCE_H
#define RPT_PAGE_SOURCE_H

#include "report/page/page_code.h"

/* Return the number of a file.  part, dso: where a function of it was found. */
uint32_t rpt_page_source_file(struct rpt_page_code *code, const char *path,
			      struct rpt_dso *dso, uint32_t part);

/* Find the texts of the lines of all rows, and of those around them. */
void rpt_page_source_find(struct rpt_page_code *code,
			  const struct rpt_page_part *parts);

#endif
