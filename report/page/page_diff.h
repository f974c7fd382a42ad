/* page_diff.h: a comparison as one HTML file.
 *
 * The page has the table of the diff, and one call tree whose lanes are the
 * runs and whose bins are the diff's blocks of time.
 *
 *	args.visitor = rpt_page_diff_visitor(page = rpt_page_diff_new());
 *	rpt_runs_load(runs, &labels, &args, ...);	fills the tree
 *	...						tables
 *	rpt_page_diff_print(page, &diff, &conf, stdout, &err);
 *	rpt_page_diff_free(page);
 */
#ifndef RPT_PAGE_DIFF_H
#define RPT_PAGE_DIFF_H

#include "report/base/json_text.h"
#include "report/diff/diff_args.h"
#include "report/page/page.h"

struct rpt_page_diff;

struct rpt_page_diff *rpt_page_diff_new(void);
/* Safe on NULL. */
void rpt_page_diff_free(struct rpt_page_diff *page);

/* Return what adds each run to the page; it lives as long as page. */
const struct rpt_run_visitor *
rpt_page_diff_visitor(const struct rpt_page_diff *page);

/* The comparison; borrowed. */
struct rpt_page_diff_result {
	const struct rpt_diff_args *args;
	const struct rpt_side *sides;
	const struct rpt_diff_table *tables;
	size_t table_nr;
	const struct rpt_run *runs; /* args->path_nr */
};

/* Put the member "diff": the table, as diff --format json prints it. */
void rpt_page_diff_table(struct rpt_json *json,
			 const struct rpt_page_diff_result *diff);

/* Print the page.  Return 0 or a negative errno, with err set: -EFBIG if not
 * even the heaviest nodes fit. */
int rpt_page_diff_print(struct rpt_page_diff *page,
			const struct rpt_page_diff_result *diff,
			const struct rpt_page_conf *conf, FILE *out,
			struct pd_err *err);

#endif
