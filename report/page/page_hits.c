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

/* Return the number + 1 of the symbol that a frame is in; 0: none. */
static uint32_t symbol_of(struct rpt_page_hits *hits,
			  struct rpt_page_names *names,
			  const struct rpt_frames *frames, uint32_t idx)
{
	const struct rpt_frame *frame = &frames->items[idx];
	const struct rpt_page_symbol symbol = { frame->dso, frame->sym };
	uint32_t known_nr = hits->symbols.nr, number;

	if (rpt_frame_is_nameless(frame) || !frame->dso)
		return 0;
	number = (uint32_t)rpt_intern(&hits->symbols, &symbol, sizeof(symbol));
	hits->functions = rpt_grow(hits->functions, &hits->functions_cap,
				   known_nr, sizeof(*hits->functions));
	if (number == known_nr)
		hits->functions[number] =
			rpt_page_names_of_symbol(names, frames, frame);
	return number + 1;
}

/* The shares of the functions: sums of periods by function, then event. */
struct shares {
	uint64_t *sums;
	uint64_t *totals; /* by event */
	uint32_t event_nr;
};

static bool is_heavy(const struct shares *shares, uint32_t function,
		     double least)
{
	const uint64_t *sums =
		shares->sums + (size_t)function * shares->event_nr;

	for (uint32_t e = 0; e < shares->event_nr; e++)
		if (sums[e] &&
		    (double)sums[e] >= least * (double)shares->totals[e])
			return true;
	return false;
}

void rpt_page_hits_add(struct rpt_page_hits *hits, struct rpt_page_names *names,
		       const struct rpt_frames *frames,
		       const struct rpt_page_hit *items, uint32_t nr,
		       double least_share)
{
	uint32_t event_nr = hits->hits.event_nr;
	uint32_t *symbols = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*symbols));
	struct shares shares = {
		.totals = rpt_alloc_zeroed(event_nr + (size_t)1,
					   sizeof(*shares.totals)),
		.event_nr = event_nr,
	};

	for (uint32_t i = 0; i < nr; i++)
		symbols[i] = symbol_of(hits, names, frames, items[i].frame);
	shares.sums = rpt_alloc_zeroed((size_t)names->functions.nr * event_nr,
				       sizeof(*shares.sums));
	for (uint32_t i = 0; i < nr; i++) {
		shares.totals[items[i].event_idx] += items[i].period;
		if (symbols[i])
			shares.sums[(size_t)hits->functions[symbols[i] - 1] *
					    event_nr +
				    items[i].event_idx] += items[i].period;
	}
	for (uint32_t i = 0; i < nr; i++) {
		bool is_shown =
			symbols[i] &&
			is_heavy(&shares, hits->functions[symbols[i] - 1],
				 least_share);

		rpt_code_hits_add(&hits->hits,
				  is_shown ? frames->items[items[i].frame].dso
					   : NULL,
				  items[i].addr, items[i].event_idx,
				  items[i].nr, items[i].period);
	}
	free(shares.sums);
	free(shares.totals);
	free(symbols);
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
