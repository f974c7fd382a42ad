/* Memory for the rows of a table, and what they take of budgets. */
#include "report/rows/rows_impl.h"

#include "report/timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct rpt_budget *budget_of(const struct rpt_rows_input *input)
{
	return rpt_timeline_budget(input->profile->conf.timeline);
}

/* A place in a table of names that numbers keys: its entry, and of the slots,
 * which are up to two for each, 1.4. */
#define NUMBER_COST_LEN (sizeof(struct rpt_intern_entry) + 11)

uint64_t rpt_rows_cost_len(const struct rpt_rows *rows)
{
	size_t counts_len = sizeof(struct rpt_row_stat);

	if (rows->conf.keys.has_modes)
		counts_len += sizeof(struct rpt_row_modes);
	return sizeof(struct rpt_row) + sizeof(struct rpt_row_tally) +
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

int rpt_rows_grow(struct rpt_rows *rows)
{
	uint32_t cap = rows->cap ? rows->cap * 2 : 1024;
	uint32_t member_nr = rows->member_nr;
	struct rpt_row *items = reallocarray(rows->items, cap, sizeof(*items));
	struct rpt_row_modes *modes;
	struct rpt_row_stat *stats;
	struct rpt_row_tally *tallies;

	if (!items)
		return -ENOMEM;
	rows->items = items;
	stats = reallocarray(rows->stats, (size_t)cap * member_nr,
			     sizeof(*stats));
	if (!stats)
		return -ENOMEM;
	rows->stats = stats;
	tallies = reallocarray(rows->tallies, cap, sizeof(*tallies));
	if (!tallies)
		return -ENOMEM;
	rows->tallies = tallies;
	if (rows->conf.keys.has_modes) {
		modes = reallocarray(rows->modes, (size_t)cap * member_nr,
				     sizeof(*modes));
		if (!modes)
			return -ENOMEM;
		rows->modes = modes;
	}
	rows->cap = cap;
	return 0;
}

void rpt_rows_clear(struct rpt_rows *rows, uint32_t row)
{
	memset(rpt_rows_stat(rows, row, 0), 0,
	       rows->member_nr * sizeof(*rows->stats));
	rows->tallies[row] = (struct rpt_row_tally){ 0 };
	if (rows->modes)
		memset(rpt_rows_modes(rows, row, 0), 0,
		       rows->member_nr * sizeof(*rows->modes));
}

int rpt_rows_grow_memos(struct rpt_rows *rows, uint32_t frame)
{
	uint32_t cap = rows->adding.memo_cap ? rows->adding.memo_cap : 256;
	struct rpt_row_memo(*memos)[2];

	while (cap <= frame)
		cap *= 2; /* frames are 2^30 at most, as what is interned */
	memos = reallocarray(rows->adding.memos, cap, sizeof(*memos));
	if (!memos)
		return -ENOMEM;
	memset(memos + rows->adding.memo_cap, 0,
	       (cap - rows->adding.memo_cap) * sizeof(*memos));
	rows->adding.memos = memos;
	rows->adding.memo_cap = cap;
	return 0;
}

void rpt_rows_forget(struct rpt_rows *rows)
{
	free(rows->adding.memos);
	free(rows->adding.bases);
	rows->adding.memos = NULL;
	rows->adding.memo_cap = 0;
	rows->adding.bases = NULL;
}
