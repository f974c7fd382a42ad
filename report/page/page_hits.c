#include "report/page/page_hits.h"

#include "report/base/memory.h"

#include <stdlib.h>

void rpt_page_hits_init(struct rpt_page_hits *hits, uint32_t event_nr)
{
	*hits = (struct rpt_page_hits){ .symbols.is_bytes = true };
	rpt_code_hits_init(&hits->hits, event_nr);
}

void rpt_page_hits_release(struct rpt_page_hits *hits)
{
	rpt_code_hits_release(&hits->hits);
	rpt_intern_release(&hits->symbols);
	free(hits->functions);
	*hits = (struct rpt_page_hits){ 0 };
}

void rpt_page_hits_add(struct rpt_page_hits *hits, struct rpt_page_names *names,
		       const struct rpt_page_hit *hit)
{
	const struct rpt_frame *frame = &hit->frames->items[hit->frame];
	const struct rpt_page_symbol symbol = { frame->dso, frame->sym };
	uint32_t known_nr = hits->symbols.nr, idx;

	rpt_code_hits_add(&hits->hits, frame->sym ? frame->dso : NULL,
			  hit->addr, hit->event_idx, hit->nr, hit->period);
	if (!frame->sym || !frame->dso)
		return;
	idx = (uint32_t)rpt_intern(&hits->symbols, &symbol, sizeof(symbol));
	hits->functions = rpt_grow(hits->functions, &hits->functions_cap,
				   known_nr, sizeof(*hits->functions));
	if (idx == known_nr)
		hits->functions[idx] =
			rpt_page_names_of_symbol(names, hit->frames, frame);
}

void rpt_page_hits_close(struct rpt_page_hits *hits)
{
	rpt_code_hits_close(&hits->hits);
}

bool rpt_page_hits_function(const struct rpt_page_hits *hits, uint32_t idx,
			    uint32_t *ret)
{
	const struct rpt_code_function *f = &hits->hits.functions[idx];
	const struct rpt_page_symbol symbol = { f->dso, f->sym };
	int64_t found =
		rpt_intern_find(&hits->symbols, &symbol, sizeof(symbol));

	if (found < 0)
		return false;
	*ret = hits->functions[found];
	return true;
}
