/* Hierarchies: rows that sum others up, level by level. */
#include "report/rows/rows_impl.h"

#include "report/base/compare.h"
#include "report/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Return the number of the row on this level that sums the row up; it is made
 * at its first time, like the row below.  Return -EFBIG if there is no budget
 * for it. */
static int64_t sum_row(struct rpt_rows *rows, uint32_t row, uint32_t level,
		       uint32_t above)
{
	size_t key_len = rpt_row_key_of_level(rows, row, level);
	int64_t idx = rpt_intern_find(&rows->keys, rows->adding.words, key_len);

	if (idx >= 0)
		return idx;
	if (rows->keys.nr == rows->cap)
		rpt_rows_grow(rows);
	if (!rpt_rows_pay(rows, rows->items[row].input))
		return -EFBIG;
	idx = rpt_intern(&rows->keys, rows->adding.words, key_len);
	if (idx < 0)
		return idx;
	rows->items[idx] = rows->items[row];
	rows->items[idx].is_paid = true;
	rows->items[idx].at_level = (uint8_t)level;
	rows->items[idx].above = above;
	rows->items[idx].is_hidden = true;
	rpt_rows_clear(rows, (uint32_t)idx);
	rows->counters[idx] = rows->counters[row];
	return idx;
}

static void add_modes(struct rpt_row_modes *to,
		      const struct rpt_row_modes *from)
{
	for (size_t i = 0; i < RPT_WEIGHT_MODES; i++)
		to->self[i] += from->self[i];
	to->second += from->second;
	to->second_acc += from->second_acc;
}

static void add_up(struct rpt_rows *rows, uint32_t sum, uint32_t row)
{
	for (uint32_t m = 0; m < rows->member_nr; m++) {
		struct rpt_row_stat *to = rpt_rows_stat(rows, sum, m);
		const struct rpt_row_stat *from = rpt_rows_stat(rows, row, m);

		to->self += from->self;
		to->self_nr += from->self_nr;
		to->acc += from->acc;
		to->acc_nr += from->acc_nr;
		if (rows->modes)
			add_modes(rpt_rows_modes(rows, sum, m),
				  rpt_rows_modes(rows, row, m));
	}
	rows->items[sum].is_hidden &= rows->items[row].is_hidden;
}

/* Add the row to those of all levels above its own; if there is no budget for
 * one of these, hide it. */
static int sum_up(struct rpt_rows *rows, uint32_t row)
{
	uint32_t last = (uint32_t)rows->conf.keys.level_nr - 1;
	uint32_t above = RPT_NO_ROW;
	int64_t idx = 0;

	for (uint32_t level = 0; level < last && idx >= 0; level++) {
		idx = sum_row(rows, row, level, above);
		if (idx < 0)
			break;
		above = (uint32_t)idx;
		add_up(rows, above, row);
	}
	rows->items[row].at_level = (uint8_t)last;
	rows->items[row].above = above;
	rows->items[row].is_hidden |= idx < 0;
	return idx < 0 ? (int)idx : 0;
}

/* perf makes the rows above out of the first one below, by DSO and address;
 * what that one shows has its part in the widths of columns. */
static int compare_first(const void *a, const void *b, void *ctx)
{
	const struct rpt_rows *rows = ctx;
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	const struct rpt_frame *p = &rows->frames->items[rows->items[x].frame];
	const struct rpt_frame *q = &rows->frames->items[rows->items[y].frame];
	int rc = 0;

	if (p->dso_place != q->dso_place)
		rc = strcmp(
			rpt_intern_key(&rows->frames->dso_names, p->dso_place),
			rpt_intern_key(&rows->frames->dso_names, q->dso_place));
	if (!rc)
		rc = rpt_compare_u64(p->sym ? p->sym->start : p->ip,
				     q->sym ? q->sym->start : q->ip);
	return rc ? rc : rpt_compare_u64(x, y);
}

/* Make the rows that sum others up, if conf.keys.levels asks for them.  Return
 * 0, or -EFBIG if there was no budget for some of these: the rows that would
 * stand below them are hidden then. */
static int sum_up_all(struct rpt_rows *rows)
{
	uint32_t nr = rpt_rows_nr(rows);
	uint32_t *order;
	int rc = 0;

	if (rows->conf.keys.level_nr < 2)
		return 0;
	order = rpt_alloc_zeroed(nr, sizeof(*order));
	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	qsort_r(order, nr, sizeof(*order), compare_first, rows);
	for (uint32_t i = 0; i < nr; i++)
		if (sum_up(rows, order[i]))
			rc = -EFBIG;
	free(order);
	return rc;
}

int rpt_rows_end(struct rpt_rows *rows)
{
	int rc = sum_up_all(rows);

	rpt_intern_close(&rows->keys);
	rpt_rows_forget(rows);
	return rc;
}

/* The first row below a row, and the next one beside it. */
struct nest {
	uint32_t first;
	uint32_t next;
};

/* Return the row behind this one, or RPT_NO_ROW. */
static uint32_t row_behind(const struct rpt_rows *rows, const struct nest *nest,
			   uint32_t row)
{
	if (nest[row].first != RPT_NO_ROW)
		return nest[row].first;
	while (row != RPT_NO_ROW && nest[row].next == RPT_NO_ROW)
		row = rows->items[row].above;
	return row == RPT_NO_ROW ? RPT_NO_ROW : nest[row].next;
}

void rpt_rows_nest(struct rpt_rows *rows)
{
	uint32_t nr = rpt_rows_nr(rows);
	struct nest *nest;
	uint32_t row;

	if (rows->conf.keys.level_nr < 2)
		return;
	nest = rpt_alloc_zeroed((size_t)nr + 1, sizeof(*nest));
	for (uint32_t i = 0; i <= nr; i++)
		nest[i] = (struct nest){ RPT_NO_ROW, RPT_NO_ROW };
	for (uint32_t i = nr; i-- > 0;) {
		uint32_t above = rows->items[rows->order[i]].above;
		struct nest *at = &nest[above == RPT_NO_ROW ? nr : above];

		nest[rows->order[i]].next = at->first;
		at->first = rows->order[i];
	}
	row = nest[nr].first;
	for (uint32_t i = 0; row != RPT_NO_ROW; i++) {
		rows->order[i] = row;
		row = row_behind(rows, nest, row);
	}
	free(nest);
}
