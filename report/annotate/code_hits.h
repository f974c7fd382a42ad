/* code_hits.h: samples by the address that they were taken at, and by function.
 *
 *	rpt_code_hits_init(&hits, event_nr)
 *	rpt_code_hits_add(&hits, dso, addr, event_idx, nr, period)
 *	... or rpt_code_hits_add_profile(&hits, &profile, timeline)
 *	rpt_code_hits_close(&hits)
 *	... hits.functions[0..hits.function_nr), hits.items
 *	rpt_code_hits_release(&hits)
 *
 * One pass over the samples fills it; memory grows with the number of different
 * addresses.  Functions are in no order that matters: a caller sorts numbers of
 * them as it likes.
 */
#ifndef RPT_CODE_HITS_H
#define RPT_CODE_HITS_H

#include "report/base/intern.h"
#include "report/profile/profile.h"
#include "report/symbols/symbols.h"

struct rpt_hit_count {
	uint64_t nr;	 /* of samples */
	uint64_t period; /* sum of their periods */
};

/* The samples of one event at one address. */
struct rpt_code_hit {
	uint64_t addr; /* dso address (symbols.h) */
	uint32_t event_idx;
	struct rpt_hit_count count;
};

/* A function in which samples were taken. */
struct rpt_code_function {
	struct rpt_dso *dso;
	const struct rpt_symbol *sym;
	uint32_t hit_start; /* in hits.items, by address, then event */
	uint32_t hit_nr;
};

struct rpt_code_hits {
	uint32_t event_nr;
	struct rpt_hit_count *totals;	     /* by event: of all that was added;
					      * owned */
	struct rpt_code_hit *items;	     /* owned */
	struct rpt_code_function *functions; /* owned */
	uint32_t function_nr;
	struct rpt_hit_count *counts; /* by function, then event; owned */
	struct rpt_intern places;     /* of items, until it is closed */
	uint32_t items_cap;
	bool is_cut; /* addresses were left out: there are too many */
};

void rpt_code_hits_init(struct rpt_code_hits *hits, uint32_t event_nr);
void rpt_code_hits_release(struct rpt_code_hits *hits);

/* Count nr samples of an event, whose periods add up to period, at a dso
 * address.  dso NULL: they count in the totals alone. */
void rpt_code_hits_add(struct rpt_code_hits *hits, struct rpt_dso *dso,
		       uint64_t addr, uint32_t event_idx, uint64_t nr,
		       uint64_t period);

/* Add all stacks of a profile, by the address where the sample was taken;
 * callers do not count.  What the profile's filter leaves out by file or symbol
 * counts in the totals alone. */
void rpt_code_hits_add_profile(struct rpt_code_hits *hits,
			       const struct rpt_profile *profile,
			       const struct rpt_timeline *timeline);

/* Find the functions, after the last addition.  Addresses without a symbol are
 * in the totals alone. */
void rpt_code_hits_close(struct rpt_code_hits *hits);

/* Return what a function has of an event. */
static inline struct rpt_hit_count
rpt_code_hits_of(const struct rpt_code_hits *hits, uint32_t function,
		 uint32_t event_idx)
{
	return hits->counts[(size_t)function * hits->event_nr + event_idx];
}

/* Return the numbers of all functions with samples of an event, those with the
 * largest period (is_by_nr: with the most samples) first; *ret_nr is how many
 * they are.  The caller frees them. */
uint32_t *rpt_code_hits_order(const struct rpt_code_hits *hits,
			      uint32_t event_idx, bool is_by_nr,
			      uint32_t *ret_nr);

#endif
