/* address_hash.h: a hash table of addresses with a number for each: what was
 * found for an address before.
 */
#ifndef RPT_ADDRESS_HASH_H
#define RPT_ADDRESS_HASH_H

#include "report/base/hash_seed.h"

#include <stdbool.h>
#include <stdint.h>

/* An address, all that its answer depends on, and the answer. */
struct rpt_address {
	uint64_t ip;
	uint32_t scope;	 /* a number for all else */
	uint32_t answer; /* + 1; 0: not in the table */
};

/* A zeroed struct is empty. */
struct rpt_address_hash {
	struct rpt_address *slots;
	uint32_t slots_nr; /* a power of 2 */
	uint32_t nr;
};

void rpt_address_hash_release(struct rpt_address_hash *table);

/* Make room for one more; call this before rpt_address_hash_slot(). */
void rpt_address_hash_reserve(struct rpt_address_hash *table);

static inline uint32_t rpt_address_hash_at(const struct rpt_address_hash *table,
					   const struct rpt_address *want)
{
	uint64_t hash = (want->ip ^ rpt_hash_seed[1]) * rpt_hash_seed[2];

	hash = ((hash ^ hash >> 32) + want->scope) * rpt_hash_seed[3];
	return (uint32_t)(hash >> 32) & (table->slots_nr - 1);
}

static inline bool rpt_address_is_same(const struct rpt_address *a,
				       const struct rpt_address *b)
{
	return a->ip == b->ip && a->scope == b->scope;
}

/* Return the slot of want, or a free one for it, whose answer is 0. */
static inline struct rpt_address *
rpt_address_hash_slot(const struct rpt_address_hash *table,
		      const struct rpt_address *want)
{
	uint32_t at = rpt_address_hash_at(table, want);

	while (table->slots[at].answer &&
	       !rpt_address_is_same(&table->slots[at], want))
		at = (at + 1) & (table->slots_nr - 1);
	return &table->slots[at];
}

/* Fill a free slot. */
static inline void rpt_address_hash_put(struct rpt_address_hash *table,
					struct rpt_address *slot,
					const struct rpt_address *address,
					uint32_t answer)
{
	*slot = *address;
	slot->answer = answer + 1;
	table->nr++;
}

#endif
