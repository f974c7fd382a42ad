#include "report/base/address_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_NR_MIN 1024u

void rpt_address_table_release(struct rpt_address_table *table)
{
	free(table->slots);
	*table = (struct rpt_address_table){ 0 };
}

int rpt_address_table_reserve(struct rpt_address_table *table)
{
	struct rpt_address_table more = {
		.slots_nr =
			table->slots_nr ? table->slots_nr * 2 : SLOTS_NR_MIN,
		.nr = table->nr,
	};

	if (table->nr < table->slots_nr / 3 * 2)
		return 0;
	if (more.slots_nr < table->slots_nr)
		return -ENOMEM;
	/* not calloc(): pages that are read first and then written are two
	 * faults each */
	more.slots = reallocarray(NULL, more.slots_nr, sizeof(*more.slots));
	if (!more.slots)
		return -ENOMEM;
	memset(more.slots, 0, more.slots_nr * sizeof(*more.slots));
	for (uint32_t i = 0; i < table->slots_nr; i++)
		if (table->slots[i].answer)
			*rpt_address_table_slot(&more, &table->slots[i]) =
				table->slots[i];
	free(table->slots);
	*table = more;
	return 0;
}
