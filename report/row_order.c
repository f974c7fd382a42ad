/* The order in which rows are shown. */
#include "report/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_NUMBERS 2

/* What is compared of a row, side by side: a table can have 100,000 rows that
 * weigh the same. */
struct sortable {
	uint64_t numbers[NEAR_NUMBERS]; /* the first of those */
	const char *comm;
	const char *dso;
	const char *sym;
	uint64_t addr;
	uint32_t depth;
};

struct sorter {
	const struct rpt_rows *rows;
	struct sortable *items; /* by row */
	size_t numbers_nr;	/* that rows are ordered by */
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int compare_names(const char *a, const char *b)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

/* Weight by weight, member by member. */
static uint64_t number_at(const struct rpt_rows *rows, uint32_t row, size_t nth)
{
	uint32_t member = (uint32_t)(nth % rows->member_nr);
	const struct rpt_row_stat *stat = rpt_rows_stat(rows, row, member);

	switch (rows->conf.weights[nth / rows->member_nr]) {
	case RPT_WEIGHT_ACC:
		return stat->acc;
	case RPT_WEIGHT_SELF:
		return stat->self;
	case RPT_WEIGHT_SAMPLES:
		return stat->self_nr;
	case RPT_WEIGHTS:
	default:
		return 0;
	}
}

static int compare_far_numbers(const struct sorter *sorter, uint32_t x,
			       uint32_t y)
{
	int rc = 0;

	for (size_t i = NEAR_NUMBERS; i < sorter->numbers_nr && !rc; i++)
		rc = compare_u64(number_at(sorter->rows, x, i),
				 number_at(sorter->rows, y, i));
	return rc;
}

/* By weight; callers above what they call; then by what the row shows.  (perf
 * compares depths within a task only, which is no order: where its rows weigh
 * the same they may come otherwise.) */
static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct sorter *sorter = ctx;
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	const struct sortable *p = &sorter->items[x];
	const struct sortable *q = &sorter->items[y];
	int rc = 0;

	for (size_t i = 0; i < NEAR_NUMBERS && !rc; i++)
		rc = compare_u64(p->numbers[i], q->numbers[i]);
	if (!rc)
		rc = compare_far_numbers(sorter, x, y);
	if (!rc)
		rc = compare_u64(p->depth, q->depth);
	if (!rc)
		rc = compare_names(p->comm, q->comm);
	if (!rc)
		rc = compare_names(p->dso, q->dso);
	if (!rc)
		rc = compare_names(p->sym, q->sym);
	if (!rc)
		rc = (p->addr > q->addr) - (p->addr < q->addr);
	return rc ? rc : (x > y) - (x < y);
}

static void describe(const struct sorter *sorter, uint32_t idx)
{
	const struct rpt_rows *rows = sorter->rows;
	const struct rpt_row *row = &rows->items[idx];
	const struct rpt_frame *frame = &rows->frames->items[row->frame];
	struct sortable *item = &sorter->items[idx];

	*item = (struct sortable){
		.comm = row->comm,
		.dso = rpt_intern_key(&rows->frames->dso_names,
				      frame->dso_place),
		.sym = frame->sym ? frame->sym->name : NULL,
		.addr = row->addr,
		.depth = row->max_depth,
	};
	for (size_t i = 0; i < NEAR_NUMBERS && i < sorter->numbers_nr; i++)
		item->numbers[i] = number_at(rows, idx, i);
}

int rpt_rows_sort(struct rpt_rows *rows)
{
	uint32_t nr = rpt_rows_nr(rows);
	struct sorter sorter = {
		.rows = rows,
		.numbers_nr = rows->conf.weight_nr * rows->member_nr,
	};

	rpt_intern_close(&rows->keys); /* no row comes behind these */
	sorter.items = calloc((size_t)nr + 1, sizeof(*sorter.items));
	rows->order = calloc((size_t)nr + 1, sizeof(*rows->order));
	if (!sorter.items || !rows->order) {
		free(sorter.items);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < nr; i++) {
		rows->order[i] = i;
		describe(&sorter, i);
	}
	qsort_r(rows->order, nr, sizeof(*rows->order), compare_rows, &sorter);
	free(sorter.items);
	return 0;
}
