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

void rpt_address_hash_reserve(struct rpt_address_hash *table)
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
		if (table->slots[i].answer)
			*rpt_address_hash_slot(&more, &table->slots[i]) =
				table->slots[i];
	free(table->slots);
	*table = more;
}
