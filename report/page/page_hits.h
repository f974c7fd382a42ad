/* page_hits.h: the samples of a recording by the address that they were taken
 * at, and the function of the page that each symbol is. */
#ifndef RPT_PAGE_HITS_H
#define RPT_PAGE_HITS_H

#include "report/annotate/code_hits.h"
#include "report/page/page_names.h"

/* Functions with a smaller share of each event have no instructions in a page.
 */
#define RPT_PAGE_CODE_LEAST_PCT 0.5

struct rpt_page_hits {
	struct rpt_code_hits hits; /* events are trees of the page */
	struct rpt_intern symbols; /* struct rpt_page_symbol */
	uint32_t *functions;	   /* in rpt_page_names, by symbol; owned */
	uint32_t functions_cap;
};

/* Without padding: it is hashed. */
struct rpt_page_symbol {
	const struct rpt_dso *dso;
	const struct rpt_symbol *sym;
};

void rpt_page_hits_init(struct rpt_page_hits *hits, uint32_t event_nr);
void rpt_page_hits_release(struct rpt_page_hits *hits);

/* Samples that were taken at one address. */
struct rpt_page_hit {
	uint32_t frame; /* of rpt_frames */
	uint32_t event_idx;
	uint64_t addr; /* in the frame's DSO */
	uint64_t nr;
	uint64_t period; /* sum */
};

/* Count all samples of a recording.  least_share: those of functions with a
 * smaller share of each event count in the totals alone, since they will not be
 * shown. */
void rpt_page_hits_add(struct rpt_page_hits *hits, struct rpt_page_names *names,
		       const struct rpt_frames *frames,
		       const struct rpt_page_hit *items, uint32_t nr,
		       double least_share);

/* Then find the functions of hits->hits. */
void rpt_page_hits_close(struct rpt_page_hits *hits);

/* Get the function of the page that function idx of hits->hits is.  Return
 * false if there is none. */
bool rpt_page_hits_function(const struct rpt_page_hits *hits, uint32_t idx,
			    uint32_t *ret);

#endif
