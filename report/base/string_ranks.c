#include "report/base/string_ranks.h"

#include <stdlib.h>
#include <string.h>

void rpt_string_ranks_release(struct rpt_string_ranks *ranks)
{
	rpt_intern_release(&ranks->names);
	free(ranks->ranks);
	*ranks = (struct rpt_string_ranks){ 0 };
}

uint32_t rpt_string_ranks_number(struct rpt_string_ranks *ranks,
				 const char *name)
{
	if (!name)
		return RPT_NO_RANK;
	if (name != ranks->last_name)
		ranks->last_number = (uint32_t)rpt_intern(
			&ranks->names, (void *)&name, sizeof(name));
	ranks->last_name = name;
	return ranks->last_number;
}

static const char *name_at(const struct rpt_string_ranks *ranks, uint32_t idx)
{
	const char *const *name = rpt_intern_key(&ranks->names, idx);

	return *name;
}

static int compare(const void *a, const void *b, void *ranks)
{
	return strcmp(name_at(ranks, *(const uint32_t *)a),
		      name_at(ranks, *(const uint32_t *)b));
}

void rpt_string_ranks_compute(struct rpt_string_ranks *ranks)
{
	uint32_t nr = ranks->names.nr, rank = 0;
	uint32_t *order = rpt_alloc_zeroed(nr, sizeof(*order));

	ranks->ranks = rpt_alloc_zeroed(nr, sizeof(*ranks->ranks));
	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	qsort_r(order, nr, sizeof(*order), compare, ranks);
	for (uint32_t i = 0; i < nr; i++) {
		if (i && compare(&order[i - 1], &order[i], ranks))
			rank++;
		ranks->ranks[order[i]] = rank;
	}
	free(order);
}
