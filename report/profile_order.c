/* The order of stacks in which rows are made. */
#include "report/profile.h"

#include "report/word_sort.h"

#include <stdlib.h>

struct sortable {
	uint64_t words[3]; /* event, time, place in the file */
};

static uint64_t word_of(const void *ctx, uint32_t stack, unsigned word_idx)
{
	const struct sortable *items = ctx;

	return items[stack].words[word_idx];
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct sortable *items = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	for (int i = 0; i < 3; i++)
		if (items[x].words[i] != items[y].words[i])
			return items[x].words[i] < items[y].words[i] ? -1 : 1;
	return (x > y) - (x < y);
}

uint32_t *rpt_profile_order(const struct rpt_profile *profile)
{
	uint32_t nr = profile->keys.nr;
	struct sortable *items = calloc((size_t)nr + 1, sizeof(*items));
	uint32_t *order = calloc((size_t)nr + 1, sizeof(*order));
	struct rpt_word_sort sort = { word_of, 3, compare, items };

	for (uint32_t i = 0; items && order && i < nr; i++) {
		const struct rpt_when *first = &profile->stacks[i].first;

		order[i] = i;
		items[i] = (struct sortable){
			{ rpt_profile_key(profile, i)->event_idx,
			  first->time_ns, first->seq }
		};
	}
	if (!items || !order || rpt_word_sort(&sort, order, nr)) {
		free(order);
		order = NULL;
	}
	free(items);
	return order;
}
