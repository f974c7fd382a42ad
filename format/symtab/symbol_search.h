/* symbol_search.h: symbols without sizes, by addresses that were hit.
 *
 * A symbol without a size ends where the next one starts, as in perf 6.1, Linux
 * tools/perf/util/symbol.c, symbols__fixup_end().  Whoever has a few addresses
 * offers each symbol of a list to them, in one pass, whatever their order is:
 *
 *	pd_symbol_search_init(&search, hits, nr)
 *	for each symbol: pd_symbol_search_see(&search, &symbol)
 *	pd_symbol_search_each(&search, take, ctx, &named_nr)
 *	pd_symbol_search_release(&search)
 */
#ifndef PD_SYMBOL_SEARCH_H
#define PD_SYMBOL_SEARCH_H

#include "format/base/cursor.h"

struct pd_symbol_start {
	uint64_t start;
	uint8_t info;  /* the caller's */
	uint8_t group; /* one of another group may follow without a gap */
	uint8_t rank;  /* of those at one address the last one of the highest
			* rank counts */
	struct pd_str name;
};

/* Return the end of a symbol that no other one follows: that of the page after
 * its own. */
uint64_t pd_symbol_last_end(uint64_t start);
/* Return the end of a symbol by the next one above it. */
uint64_t pd_symbol_end(uint64_t start, uint8_t group, uint64_t next_start,
		       uint8_t next_group);

/* The symbols around one hit. */
struct pd_symbol_around {
	uint64_t start; /* of the highest that starts not above the hit, but
			 * above the hit before */
	uint64_t next;	/* the lowest above the hit, not above the next hit; 0:
			 * none */
	char *name;	/* owned */
	uint32_t name_len;
	uint32_t name_cap;
	uint8_t info;
	uint8_t group;
	uint8_t rank;
	uint8_t next_group;
	bool is_there; /* one with that start */
};

struct pd_symbol_search {
	const uint64_t *hits; /* borrowed; ascending */
	size_t nr;
	struct pd_symbol_around *arounds; /* owned; of each hit */
	size_t last;	 /* the first hit that was not below the last symbol */
	size_t text_len; /* of all names */
};

/* Return 0 or -ENOMEM. */
int pd_symbol_search_init(struct pd_symbol_search *search, const uint64_t *hits,
			  size_t nr);
void pd_symbol_search_release(struct pd_symbol_search *search);

/* Return 0, -ENOMEM, or -EFBIG for more than 16 MiB of names. */
int pd_symbol_search_see(struct pd_symbol_search *search,
			 const struct pd_symbol_start *symbol);

/* Hand over the symbols that were hit, by address, with their length.  Stop if
 * take returns an error, and return that.  *ret_named_nr: the hits behind the
 * first symbol. */
int pd_symbol_search_each(const struct pd_symbol_search *search,
			  int (*take)(void *ctx,
				      const struct pd_symbol_start *symbol,
				      uint64_t len),
			  void *ctx, uint64_t *ret_named_nr);

#endif
