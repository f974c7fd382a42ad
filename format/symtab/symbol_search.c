#include "format/symtab/symbol_search.h"

#include "format/base/search.h"

#include <stdlib.h>

enum { PAGE_LEN = 4096, TEXT_LEN_MAX = 16 << 20, NAME_ALIGN = 32 };

uint64_t pd_symbol_last_end(uint64_t start)
{
	if (start > UINT64_MAX - 2 * PAGE_LEN)
		return UINT64_MAX;
	return ((start + PAGE_LEN - 1) & ~(uint64_t)(PAGE_LEN - 1)) + PAGE_LEN;
}

uint64_t pd_symbol_end(uint64_t start, uint8_t group, uint64_t next_start,
		       uint8_t next_group)
{
	return group == next_group ? next_start : pd_symbol_last_end(start);
}

int pd_symbol_search_init(struct pd_symbol_search *search, const uint64_t *hits,
			  size_t nr)
{
	*search = (struct pd_symbol_search){ .hits = hits, .nr = nr };
	search->arounds = calloc(nr + 1, sizeof(*search->arounds));
	return search->arounds ? 0 : -ENOMEM;
}

void pd_symbol_search_release(struct pd_symbol_search *search)
{
	for (size_t i = 0; search->arounds && i < search->nr; i++)
		free(search->arounds[i].name);
	free(search->arounds);
	*search = (struct pd_symbol_search){ .nr = 0 };
}

/* Return the first hit that is not below addr: mostly that of the symbol
 * before, as symbols mostly ascend and hits are few. */
static size_t first_hit(const struct pd_symbol_search *s, uint64_t addr)
{
	size_t at;

	if ((s->last == s->nr || addr <= s->hits[s->last]) &&
	    (!s->last || addr > s->hits[s->last - 1]))
		return s->last;
	PD_FIND_FIRST(at, s->nr, s->hits[at] >= addr);
	return at;
}

static int reserve_name(struct pd_symbol_search *s, struct pd_symbol_around *at,
			size_t len)
{
	size_t cap = (len / NAME_ALIGN + 1) * NAME_ALIGN;
	char *name;

	if (len <= at->name_cap)
		return 0;
	if (len > TEXT_LEN_MAX ||
	    cap - at->name_cap > TEXT_LEN_MAX - s->text_len)
		return -EFBIG;
	name = realloc(at->name, cap);
	if (!name)
		return -ENOMEM;
	s->text_len += cap - at->name_cap;
	at->name = name;
	at->name_cap = (uint32_t)cap;
	return 0;
}

static int see_below(struct pd_symbol_search *s, struct pd_symbol_around *at,
		     const struct pd_symbol_start *symbol)
{
	const struct pd_str name = symbol->name;
	int rc;

	if (symbol->start < at->start ||
	    (symbol->start == at->start && symbol->rank < at->rank))
		return 0;
	rc = reserve_name(s, at, name.len);
	if (rc)
		return rc;
	at->is_there = true;
	at->start = symbol->start;
	at->info = symbol->info;
	at->group = symbol->group;
	at->rank = symbol->rank;
	at->name_len = (uint32_t)name.len;
	if (name.len)
		memcpy(at->name, name.ptr, name.len);
	return 0;
}

/* The first one counts of several that start at one address. */
static void see_above(struct pd_symbol_around *at,
		      const struct pd_symbol_start *symbol)
{
	if (at->next && symbol->start >= at->next)
		return;
	at->next = symbol->start;
	at->next_group = symbol->group;
}

int pd_symbol_search_see(struct pd_symbol_search *search,
			 const struct pd_symbol_start *symbol)
{
	size_t idx = first_hit(search, symbol->start);

	search->last = idx;
	/* A symbol that starts at a hit is above the hit before it. */
	if (idx)
		see_above(&search->arounds[idx - 1], symbol);
	return idx < search->nr
		       ? see_below(search, &search->arounds[idx], symbol)
		       : 0;
}

static uint64_t len_of(const struct pd_symbol_search *s, size_t idx)
{
	const struct pd_symbol_around *at = &s->arounds[idx], *above = at;
	const struct pd_symbol_around *last = &s->arounds[s->nr - 1];

	while (above < last && !above->next)
		above++;
	return (above->next ? pd_symbol_end(at->start, at->group, above->next,
					    above->next_group)
			    : pd_symbol_last_end(at->start)) -
	       at->start;
}

int pd_symbol_search_each(const struct pd_symbol_search *search,
			  int (*take)(void *ctx,
				      const struct pd_symbol_start *symbol,
				      uint64_t len),
			  void *ctx, uint64_t *ret_named_nr)
{
	bool is_named = false;
	int rc = 0;

	*ret_named_nr = 0;
	for (size_t i = 0; i < search->nr && !rc; i++) {
		const struct pd_symbol_around *at = &search->arounds[i];
		const struct pd_symbol_start symbol = {
			.start = at->start,
			.info = at->info,
			.group = at->group,
			.rank = at->rank,
			.name = { at->name ? at->name : "", at->name_len },
		};

		is_named |= at->is_there;
		*ret_named_nr += is_named;
		if (at->is_there)
			rc = take(ctx, &symbol, len_of(search, i));
	}
	return rc;
}
