/* The order of stacks in which rows are made. */
#include "report/profile.h"

#include <stdlib.h>

struct sortable {
	struct rpt_when first;
	uint32_t event_idx;
	uint32_t stack_idx;
};

static int compare(const void *a, const void *b)
{
	const struct sortable *x = a;
	const struct sortable *y = b;

	if (x->event_idx != y->event_idx)
		return x->event_idx < y->event_idx ? -1 : 1;
	if (x->first.time_ns != y->first.time_ns)
		return x->first.time_ns < y->first.time_ns ? -1 : 1;
	if (x->first.seq != y->first.seq)
		return x->first.seq < y->first.seq ? -1 : 1;
	return (x->stack_idx > y->stack_idx) - (x->stack_idx < y->stack_idx);
}

uint32_t *rpt_profile_order(const struct rpt_profile *profile)
{
	size_t nr = profile->keys.nr;
	struct sortable *items = calloc(nr + 1, sizeof(*items));
	uint32_t *order = calloc(nr + 1, sizeof(*order));

	if (!items || !order) {
		free(items);
		free(order);
		return NULL;
	}
	for (uint32_t i = 0; i < nr; i++)
		items[i] = (struct sortable){
			.first = profile->stacks[i].first,
			.event_idx = rpt_profile_key(profile, i)->event_idx,
			.stack_idx = i,
		};
	qsort(items, nr, sizeof(*items), compare);
	for (size_t i = 0; i < nr; i++)
		order[i] = items[i].stack_idx;
	free(items);
	return order;
}
