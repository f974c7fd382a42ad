/* page_fill.h: fills the trees of a page with the stacks of a report. */
#ifndef RPT_PAGE_FILL_H
#define RPT_PAGE_FILL_H

#include "report/page/page_tree.h"
#include "report/table/report.h"

struct rpt_page_fill {
	struct rpt_page_names names;
	struct rpt_page_tree *trees; /* owned; by event of report->whole */
	uint32_t tree_nr;
	uint64_t *
		periods; /* owned; of each sample of an event; 0: they differ */
};

/* Fill the trees with all parts of a report, which is counted and merged, and
 * finish them.  Return 0, or -EFBIG if the budget did not allow all frames:
 * then stacks are missing.  Release fill in any case. */
int rpt_page_fill(struct rpt_page_fill *fill, struct rpt_report *report);
/* Add up nodes with fewer than sample_nr samples, callees included. */
void rpt_page_fill_prune(struct rpt_page_fill *fill, uint64_t sample_nr);
/* Get how many nodes were added up, and the samples that these had. */
void rpt_page_fill_left_out(const struct rpt_page_fill *fill,
			    uint64_t *ret_node_nr, uint64_t *ret_sample_nr);
void rpt_page_fill_release(struct rpt_page_fill *fill);

#endif
