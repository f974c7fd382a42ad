#include "report/base/address_hash.h"

#include "report/base/memory.h"
#include "report/base/shortage.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_NR_MIN 1024u

void rpt_address_hash_release(struct rpt_address_hash *table)
{
	free(table->slots);
	*table = (struct rpt_address_hash){ 0 };
}

/* Put an address into a free slot, of which there is one. */
static void put(struct rpt_address_hash *table,
		const struct rpt_address *address)
{
	uint32_t at = rpt_address_hash_at(table, address->ip, address->scope);

	while (table->slots[at].number)
		at = (at + 1) & (table->slots_nr - 1);
	table->slots[at] = *address;
}

/* Make room for one more. */
static void reserve(struct rpt_address_hash *table)
{
	struct rpt_address_hash more = {
		.slots_nr =
			table->slots_nr ? table->slots_nr * 2 : SLOTS_NR_MIN,
		.nr = table->nr,
	};

	if (table->nr < table->slots_nr / 3 * 2)
		return;
	if (!more.slots_nr)
		rpt_shortage_of_memory();
	/* not calloc(): pages that are read first and then written are two
	 * faults each */
	more.slots =
		rpt_realloc_array(NULL, more.slots_nr, sizeof(*more.slots));
	memset(more.slots, 0, more.slots_nr * sizeof(*more.slots));
	for (uint32_t i = 0; i < table->slots_nr; i++)
		if (table->slots[i].number)
			put(&more, &table->slots[i]);
	free(table->slots);
	*table = more;
}

void rpt_address_hash_add(struct rpt_address_hash *table, uint64_t ip,
			  uint32_t scope, uint32_t number)
{
	reserve(table);
	put(table, &(struct rpt_address){ ip, scope, number + 1 });
	table->nr++;
}
