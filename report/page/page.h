/* page.h: a report as one HTML file, with the program that shows it.
 *
 * The page needs nothing but itself: README.md has what is in it and how its
 * data is coded.
 *
 *	rpt_report_files_open(), rpt_report_files_count()	as for a report,
 *					with args.out.format RPT_REPORT_HTML
 *	rpt_page_print(&inputs.items[0], &conf, stdout, &err);
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

/* Print the page of a counted report.  Return 0 or a negative errno, with err
 * set: -EFBIG if not even the heaviest nodes fit. */
int rpt_page_print(struct rpt_report *report, const struct rpt_page_conf *conf,
		   FILE *out, struct pd_err *err);

#endif
