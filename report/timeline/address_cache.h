/* address_cache.h: in which map and in which function an address lies, looked
 * up once for all addresses of a function in one state of the maps.
 *
 *	context = rpt_address_cache_context(&cache, &key);
 *	number = rpt_address_cache_find(&cache, context, ip);
 *	if (number < 0) {
 *		rpt_timeline_locate(tl, &query, &location);
 *		number = rpt_address_cache_add(&cache, context, ip, &location);
 *	}
 *	location = &cache.locations[number];
 *
 * Locations are numbered 0, 1, 2 ..., so that callers keep what they make of
 * one in an array beside the cache's.  Numbers stay until the cache is
 * released.
 */
#ifndef RPT_ADDRESS_CACHE_H
#define RPT_ADDRESS_CACHE_H

#include "report/base/intern.h"
#include "report/timeline/map_range.h"

/* The properties that the addresses of a range share. */
struct rpt_location {
	struct rpt_addr_range range; /* of recorded addresses */
	uint64_t addr_add;  /* recorded address + this: address in the DSO */
	struct rpt_map map; /* dso NULL: nothing is mapped there */
	uint64_t map_len;   /* of the piece of it that other maps left */
	const struct rpt_symbol *sym; /* or NULL */
};

/* A question about an address. */
struct rpt_location_query {
	const struct rpt_task_ref *ref;
	struct rpt_timestamp when;
	unsigned cpumode; /* PD_CPUMODE_* */
	uint64_t ip;
	bool without_symbol; /* location.sym is not wanted */
};

/* Looks the address up in the maps, and in the symbols of the DSO there: one
 * thread at a time (symbols.h). */
void rpt_timeline_locate(const struct rpt_timeline *tl,
			 const struct rpt_location_query *query,
			 struct rpt_location *ret);

/* The state of the maps that an address is asked in.  Without padding. */
struct rpt_address_context {
	uint64_t space;	  /* identifies the address space; 0: the kernel's */
	uint32_t version; /* rpt_address_space_version() */
	uint32_t kind;	  /* whatever else the caller's answer depends on */
};

#define RPT_ADDRESS_CONTEXTS_RECENT 64u

/* A zeroed struct is an empty cache. */
struct rpt_address_cache {
	struct rpt_location *locations; /* nr of them, owned */
	uint32_t nr;
	uint32_t cap;
	struct rpt_location_slot *slots; /* hash table, owned */
	uint32_t slots_nr;		 /* a power of 2 */
	uint32_t used_nr;
	struct rpt_location_wide *wide; /* ranges too wide for it; owned */
	struct rpt_intern contexts;
	struct {
		struct rpt_address_context key;
		uint32_t number; /* + 1; 0: empty */
	} recent_contexts[RPT_ADDRESS_CONTEXTS_RECENT];
};

/* Memory that one location takes, about, with its places in tables. */
#define RPT_LOCATION_COST_LEN 300u

void rpt_address_cache_release(struct rpt_address_cache *cache);

/* Return the number of a context, a new one at its first time. */
uint32_t rpt_address_cache_context(struct rpt_address_cache *cache,
				   const struct rpt_address_context *key);

/* Return the number of the location that ip lies in; -1 if the cache does not
 * have it. */
int64_t rpt_address_cache_find(const struct rpt_address_cache *cache,
			       uint32_t context, uint64_t ip);

/* Add the location of ip, which rpt_address_cache_find() did not find.  Return
 * its number, the same as before if other addresses of it were added. */
uint32_t rpt_address_cache_add(struct rpt_address_cache *cache,
			       uint32_t context, uint64_t ip,
			       const struct rpt_location *location);

#endif
