/* page_fill.h: fills the trees of a page with the stacks of a report. */
#ifndef RPT_PAGE_FILL_H
#define RPT_PAGE_FILL_H

#include "report/page/page_hits.h"
#include "report/page/page_tree.h"
#include "report/report/report.h"

/* One recording whose stacks are added.  Borrowed: */
struct rpt_page_input {
	const struct rpt_report *report;
	struct rpt_frames *frames; /* of the report, or of several as one */
	const uint32_t *events;	   /* by event: the number of its tree */
	const unsigned *modes; /* by event: RPT_MODE_* that count; NULL: all */
	struct rpt_page_hits *hits; /* gets the samples, too; NULL: none does */
	uint32_t idx;		    /* of the recording */
	const char *name; /* NULL: lanes are threads; else the recording is one
			   * lane of that name */
};

struct rpt_page_code;

struct rpt_page_fill {
	struct rpt_page_names names;
	struct rpt_page_tree *trees; /* owned; by event */
	uint32_t tree_nr;
	uint64_t *
		periods; /* owned; of each sample of an event; 0: they differ */
	struct rpt_page_code *code; /* page_code.h; borrowed; NULL: none */
};

/* Begin.  Release fill in any case. */
void rpt_page_fill_init(struct rpt_page_fill *fill);
/* Make sure that there are so many trees. */
void rpt_page_fill_reserve(struct rpt_page_fill *fill, uint32_t tree_nr);
/* Add a counted recording, whose events have trees.  Return 0, or -EFBIG if the
 * budget did not allow all frames: then stacks are missing. */
int rpt_page_fill_add(struct rpt_page_fill *fill,
		      const struct rpt_page_input *input);
/* Finish all trees. */
void rpt_page_fill_end(struct rpt_page_fill *fill);

/* Add up nodes with fewer than sample_nr samples, callees included. */
void rpt_page_fill_prune(struct rpt_page_fill *fill, uint64_t sample_nr);
/* Get how many nodes were added up, and the samples that these had. */
void rpt_page_fill_left_out(const struct rpt_page_fill *fill,
			    uint64_t *ret_node_nr, uint64_t *ret_sample_nr);
void rpt_page_fill_release(struct rpt_page_fill *fill);

#endif
