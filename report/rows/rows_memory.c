/* Memory for the rows of a table, and its budgets. */
#include "report/rows/rows_impl.h"

#include "report/base/memory.h"
#include "report/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

static struct rpt_budget *budget_of(const struct rpt_rows_input *input)
{
	return rpt_timeline_budget(input->profile->conf.timeline);
}

/* An entry in the table that numbers keys, and 1.4 of its slots. */
#define NUMBER_COST_LEN (sizeof(struct rpt_intern_entry) + 11)

uint64_t rpt_rows_cost_len(const struct rpt_rows *rows)
{
	size_t counts_len = sizeof(struct rpt_row_stat);

	if (rows->conf.keys.has_modes)
		counts_len += sizeof(struct rpt_row_modes);
	return sizeof(struct rpt_row) + sizeof(struct rpt_row_counter) +
	       sizeof(*rows->order) + NUMBER_COST_LEN +
	       rpt_row_key_len_max(rows) + rows->member_nr * counts_len;
}

bool rpt_rows_pay(const struct rpt_rows *rows,
		  const struct rpt_rows_input *input)
{
	return rpt_budget_take(budget_of(input), rpt_rows_cost_len(rows));
}

void rpt_rows_pay_back(const struct rpt_rows *rows)
{
	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++) {
		if (rows->items[i].is_paid)
			rpt_budget_give(budget_of(rows->items[i].input),
					rpt_rows_cost_len(rows));
	}
}

void rpt_rows_grow(struct rpt_rows *rows)
{
	uint32_t cap = rows->cap ? rows->cap * 2 : 1024;
	size_t stat_nr = (size_t)cap * rows->member_nr;

	rows->items = rpt_realloc_array(rows->items, cap, sizeof(*rows->items));
	rows->stats =
		rpt_realloc_array(rows->stats, stat_nr, sizeof(*rows->stats));
	rows->counters =
		rpt_realloc_array(rows->counters, cap, sizeof(*rows->counters));
	if (rows->conf.keys.has_modes)
		rows->modes = rpt_realloc_array(rows->modes, stat_nr,
						sizeof(*rows->modes));
	rows->cap = cap;
}

void rpt_rows_clear(struct rpt_rows *rows, uint32_t row)
{
	memset(rpt_rows_stat(rows, row, 0), 0,
	       rows->member_nr * sizeof(*rows->stats));
	rows->counters[row] = (struct rpt_row_counter){ 0 };
	if (rows->modes)
		memset(rpt_rows_modes(rows, row, 0), 0,
		       rows->member_nr * sizeof(*rows->modes));
}

void rpt_rows_grow_caches(struct rpt_rows *rows, uint32_t frame)
{
	struct rpt_rows_adding *adding = &rows->adding;
	uint32_t old_cap = adding->caches_cap;
	uint32_t cap = old_cap ? old_cap : 256;

	while (cap <= frame)
		cap *= 2; /* frames are 2^30 at most, as what is interned */
	adding->caches =
		rpt_realloc_array(adding->caches, cap, sizeof(*adding->caches));
	memset(adding->caches + old_cap, 0,
	       (cap - old_cap) * sizeof(*adding->caches));
	adding->caches_cap = cap;
}

void rpt_rows_forget(struct rpt_rows *rows)
{
	free(rows->adding.caches);
	free(rows->adding.bases);
	rows->adding.caches = NULL;
	rows->adding.caches_cap = 0;
	rows->adding.bases = NULL;
}
