#include "report/base/string_ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void rpt_string_ranks_release(struct rpt_string_ranks *ranks)
{
	rpt_intern_release(&ranks->names);
	free(ranks->ranks);
	*ranks = (struct rpt_string_ranks){ 0 };
}

int rpt_string_ranks_number(struct rpt_string_ranks *ranks, const char *name,
			    uint32_t *ret)
{
	int64_t idx = ranks->last_number;

	if (!name) {
		*ret = RPT_NO_RANK;
		return 0;
	}
	if (name != ranks->last_name)
		idx = rpt_intern(&ranks->names, (void *)&name, sizeof(name));
	if (idx < 0)
		return (int)idx;
	ranks->last_name = name;
	ranks->last_number = (uint32_t)idx;
	*ret = (uint32_t)idx;
	return 0;
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

int rpt_string_ranks_settle(struct rpt_string_ranks *ranks)
{
	uint32_t nr = ranks->names.nr, rank = 0;
	uint32_t *order = calloc((size_t)nr + 1, sizeof(*order));

	ranks->ranks = calloc((size_t)nr + 1, sizeof(*ranks->ranks));
	if (!order || !ranks->ranks) {
		free(order);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	qsort_r(order, nr, sizeof(*order), compare, ranks);
	for (uint32_t i = 0; i < nr; i++) {
		if (i && compare(&order[i - 1], &order[i], ranks))
			rank++;
		ranks->ranks[order[i]] = rank;
	}
	free(order);
	return 0;
}
