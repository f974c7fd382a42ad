/* address_hash.h: a hash table of addresses with a number for each: what was
 * found for an address before.
 */
#ifndef RPT_ADDRESS_HASH_H
#define RPT_ADDRESS_HASH_H

#include "report/base/hash_seed.h"

#include <stdbool.h>
#include <stdint.h>

/* An address, all that its number depends on, and the number. */
struct rpt_address {
	uint64_t ip;
	uint32_t scope;	 /* a number for all else */
	uint32_t number; /* + 1; 0: not in the table */
};

/* A zeroed struct is empty. */
struct rpt_address_hash {
	struct rpt_address *slots;
	uint32_t slots_nr; /* a power of 2 */
	uint32_t nr;
};

void rpt_address_hash_release(struct rpt_address_hash *table);

/* Add an address that is not in the table. */
void rpt_address_hash_add(struct rpt_address_hash *table, uint64_t ip,
			  uint32_t scope, uint32_t number);

/* Return where in the table the search for an address begins. */
static inline uint32_t rpt_address_hash_at(const struct rpt_address_hash *table,
					   uint64_t ip, uint32_t scope)
{
	uint64_t hash = (ip ^ rpt_hash_seed[1]) * rpt_hash_seed[2];

	hash = ((hash ^ hash >> 32) + scope) * rpt_hash_seed[3];
	return (uint32_t)(hash >> 32) & (table->slots_nr - 1);
}

/* Return the number of an address; -1 if it is not in the table. */
static inline int64_t
rpt_address_hash_find(const struct rpt_address_hash *table, uint64_t ip,
		      uint32_t scope)
{
	const struct rpt_address *slot;
	uint32_t at;

	if (!table->slots_nr)
		return -1;
	at = rpt_address_hash_at(table, ip, scope);
	while ((slot = &table->slots[at])->number &&
	       (slot->ip != ip || slot->scope != scope))
		at = (at + 1) & (table->slots_nr - 1);
	return slot->number - INT64_C(1);
}

#endif
