#include "report/timeline/address_cache.h"

#include "report/base/hash_seed.h"
#include "report/base/memory.h"
#include "report/symbols/symbols.h"
#include "report/timeline/address_space.h"

#include <stdlib.h>
#include <string.h>

/* One slot of the hash table stands for so many addresses, or for those of one
 * location among them. */
#define PIECE_BITS 10
#define PIECE_MASK ((UINT64_C(1) << PIECE_BITS) - 1)

/* Wider ranges have more pieces than are worth a slot each. */
#define WIDE_LEN (UINT64_C(1) << 20)

#define SLOTS_NR_MIN 1024u
#define SETS_NR	     64u
#define WAYS_NR	     4u

/* The range of a location, or what one piece has of it. */
struct rpt_location_slot {
	struct rpt_addr_range range;
	uint32_t context;
	uint32_t number; /* of the location + 1; 0: empty */
};

struct rpt_location_wide {
	struct rpt_location_slot sets[SETS_NR][WAYS_NR]; /* by context */
	uint32_t next; /* which way is replaced next */
};

/* Cut what location->range has beyond the ends of symbols, a range of addresses
 * in the DSO around addr. */
static void narrow(struct rpt_location *location, uint64_t ip, uint64_t addr,
		   const struct rpt_addr_range *symbols)
{
	struct rpt_addr_range *range = &location->range;
	uint64_t below_len = addr - symbols->first;
	uint64_t above_len = symbols->last - addr;

	if (ip - range->first > below_len)
		range->first = ip - below_len;
	if (range->last - ip > above_len)
		range->last = ip + above_len;
}

void rpt_timeline_locate(const struct rpt_timeline *tl,
			 const struct rpt_location_query *query,
			 struct rpt_location *ret)
{
	struct rpt_addr_range symbols = RPT_RANGE_ALL;
	struct rpt_map_range mapped;
	uint64_t ip = query->ip, addr;
	bool is_mapped = rpt_timeline_mapped(tl, query->ref, query->cpumode, ip,
					     query->when, &mapped);

	if (!is_mapped && query->cpumode == PD_CPUMODE_KERNEL)
		is_mapped = rpt_timeline_kernel_beyond(tl, ip, &mapped.map);
	*ret = (struct rpt_location){ .range = mapped.range };
	if (!is_mapped)
		return;
	ret->map = mapped.map;
	ret->map_len = mapped.map.end - mapped.map.start;
	if (query->cpumode == PD_CPUMODE_USER)
		ret->map_len = rpt_address_space_piece_len(
			query->ref->space, ip, query->when, &mapped.map);
	ret->addr_add = mapped.map.pgoff - mapped.map.start;
	if (query->without_symbol)
		return;
	addr = ip + ret->addr_add;
	ret->sym = rpt_dso_symbol_range(ret->map.dso, addr, &symbols);
	narrow(ret, ip, addr, &symbols);
}

void rpt_address_cache_release(struct rpt_address_cache *cache)
{
	free(cache->locations);
	free(cache->slots);
	free(cache->wide);
	rpt_intern_release(&cache->contexts);
	*cache = (struct rpt_address_cache){ 0 };
}

uint32_t rpt_address_cache_context(struct rpt_address_cache *cache,
				   const struct rpt_address_context *key)
{
	uint64_t mixed = key->space / 64 ^ key->space ^ key->version ^
			 key->kind * UINT64_C(3);
	size_t at = mixed % RPT_ADDRESS_CONTEXTS_RECENT;
	uint32_t number;

	if (cache->recent_contexts[at].number &&
	    !memcmp(&cache->recent_contexts[at].key, key, sizeof(*key)))
		return cache->recent_contexts[at].number - 1;
	number = (uint32_t)rpt_intern(&cache->contexts, key, sizeof(*key));
	cache->recent_contexts[at].key = *key;
	cache->recent_contexts[at].number = number + 1;
	return number;
}

static bool has(const struct rpt_location_slot *slot, uint32_t context,
		uint64_t ip)
{
	return slot->context == context &&
	       ip - slot->range.first <= slot->range.last - slot->range.first;
}

static uint32_t hash_of(uint32_t context, uint64_t ip)
{
	uint64_t mixed =
		((ip >> PIECE_BITS) ^ rpt_hash_seed[1]) * rpt_hash_seed[2];

	mixed = ((mixed ^ mixed >> 32) + context) * rpt_hash_seed[3];
	return (uint32_t)(mixed >> 32);
}

/* Return the slot of a range with ip, or the free one where the search ends. */
static struct rpt_location_slot *
find_slot(const struct rpt_address_cache *cache, uint32_t context, uint64_t ip)
{
	for (uint32_t at = hash_of(context, ip);; at++) {
		struct rpt_location_slot *slot =
			&cache->slots[at & (cache->slots_nr - 1)];

		if (!slot->number || has(slot, context, ip))
			return slot;
	}
}

int64_t rpt_address_cache_find(const struct rpt_address_cache *cache,
			       uint32_t context, uint64_t ip)
{
	const struct rpt_location_slot *wide;

	if (!cache->wide)
		return -1;
	wide = cache->wide->sets[context % SETS_NR];
	for (size_t i = 0; i < WAYS_NR; i++)
		if (wide[i].number && has(&wide[i], context, ip))
			return wide[i].number - INT64_C(1);
	return find_slot(cache, context, ip)->number - INT64_C(1);
}

/* Make room for two more slots. */
static void reserve_slots(struct rpt_address_cache *cache)
{
	struct rpt_address_cache more = {
		.slots_nr =
			cache->slots_nr ? cache->slots_nr * 2 : SLOTS_NR_MIN,
	};

	if (cache->slots_nr && cache->used_nr + 2 < cache->slots_nr / 3 * 2)
		return;
	more.slots = rpt_alloc_zeroed(more.slots_nr, sizeof(*more.slots));
	for (uint32_t i = 0; i < cache->slots_nr; i++) {
		const struct rpt_location_slot *slot = &cache->slots[i];

		if (slot->number)
			*find_slot(&more, slot->context, slot->range.first) =
				*slot;
	}
	free(cache->slots);
	cache->slots = more.slots;
	cache->slots_nr = more.slots_nr;
}

/* Let the addresses in the piece of ip be found. */
static void add_slot(struct rpt_address_cache *cache, uint32_t context,
		     uint64_t ip, uint32_t number)
{
	struct rpt_location_slot *slot = find_slot(cache, context, ip);
	uint64_t piece = ip & ~PIECE_MASK;

	if (slot->number)
		return;
	*slot = (struct rpt_location_slot){ cache->locations[number].range,
					    context, number + 1 };
	if (slot->range.first < piece)
		slot->range.first = piece;
	if (slot->range.last > (piece | PIECE_MASK))
		slot->range.last = piece | PIECE_MASK;
	cache->used_nr++;
}

uint32_t rpt_address_cache_add(struct rpt_address_cache *cache,
			       uint32_t context, uint64_t ip,
			       const struct rpt_location *location)
{
	struct rpt_addr_range range = location->range;
	const struct rpt_location_slot *first;
	uint32_t number;

	reserve_slots(cache);
	if (!cache->wide)
		cache->wide = rpt_alloc_zeroed(1, sizeof(*cache->wide));
	cache->locations = rpt_grow(cache->locations, &cache->cap, cache->nr,
				    sizeof(*cache->locations));
	/* Each location is found by its first address at least. */
	first = find_slot(cache, context, range.first);
	number = first->number - 1;
	if (!first->number || cache->locations[number].range.last < ip) {
		number = cache->nr++;
		cache->locations[number] = *location;
		add_slot(cache, context, range.first, number);
	}
	if (range.last - range.first < WIDE_LEN)
		add_slot(cache, context, ip, number);
	else
		cache->wide->sets[context % SETS_NR]
				 [cache->wide->next++ % WAYS_NR] =
			(struct rpt_location_slot){ range, context,
						    number + 1 };
	return number;
}
