#include "report/timeline/guest_ids.h"

#include "format/records/record_body.h"
#include "report/base/compare.h"
#include "report/base/memory.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	uint64_t x = ((const struct rpt_guest *)a)->id;
	uint64_t y = ((const struct rpt_guest *)b)->id;

	return rpt_compare_u64(x, y);
}

static void add(struct rpt_guest_ids *ids, const struct rpt_guest *guest)
{
	ids->items =
		rpt_grow(ids->items, &ids->cap, ids->nr, sizeof(*ids->items));
	ids->items[ids->nr++] = *guest;
}

void rpt_guest_ids_add(struct rpt_guest_ids *ids, const struct pd_record *rec)
{
	struct pd_body body = { .type = rec->type };
	const struct pd_id_index *index = &body.u.id_index;

	if (pd_body_read(rec, 0, &body, NULL))
		return; /* the walk over all records reports it */
	for (size_t i = 0; i < index->nr && 2 * i + 1 < index->guests.nr; i++) {
		struct rpt_guest guest = {
			.id = pd_u64s_at(&index->entries, 4 * i),
			.machine_pid =
				(int32_t)pd_u64s_at(&index->guests, 2 * i),
			.vcpu = (int32_t)pd_u64s_at(&index->guests, 2 * i + 1),
		};

		if (guest.machine_pid)
			add(ids, &guest);
	}
}

void rpt_guest_ids_move(struct rpt_guest_ids *to, struct rpt_guest_ids *from)
{
	for (uint32_t i = 0; i < from->nr; i++)
		add(to, &from->items[i]);
	rpt_guest_ids_release(from);
}

void rpt_guest_ids_sort(struct rpt_guest_ids *ids)
{
	if (ids->nr)
		qsort(ids->items, ids->nr, sizeof(*ids->items), compare);
}

void rpt_guest_ids_release(struct rpt_guest_ids *ids)
{
	free(ids->items);
	*ids = (struct rpt_guest_ids){ .nr = 0 };
}

const struct rpt_guest *rpt_guest_ids_find(const struct rpt_guest_ids *ids,
					   uint64_t id)
{
	const struct rpt_guest want = { .id = id };

	return ids->nr ? bsearch(&want, ids->items, ids->nr,
				 sizeof(*ids->items), compare)
		       : NULL;
}
