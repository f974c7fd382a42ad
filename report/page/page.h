/* page.h: a report as one HTML file, with the program that shows it.
 *
 * The page needs nothing but itself: README.md has what is in it and how its
 * data is coded.
 */
#ifndef RPT_PAGE_H
#define RPT_PAGE_H

#include "report/cli/output_file.h"
#include "report/report/report.h"

struct rpt_page_conf {
	uint64_t len_max; /* bytes; lighter nodes are added up beyond:
			     --page-size */
	const char *title;
	enum rpt_page_code_kind code; /* of a report */
	const char *const *warnings;  /* texts to stand in front */
	size_t warning_nr;
};

extern const struct rpt_output rpt_output_html;

#endif
