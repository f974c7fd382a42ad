/* The order in which rows are shown. */
#include "report/rows_impl.h"

#include <errno.h>
#include <stdio.h>
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
	size_t depth_at;	/* depths count before this key */
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int compare_int(int a, int b)
{
	return (a > b) - (a < b);
}

/* No name comes last. */
static int compare_names(const char *a, const char *b)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

static const struct rpt_frame *frame_of(const struct rpt_rows *rows,
					const struct rpt_row *row)
{
	return &rows->frames->items[row->frame];
}

static const struct rpt_frame *from_frame(const struct rpt_rows *rows,
					  const struct rpt_row *row)
{
	return &rows->frames->items[row->from_frame];
}

static const char *dso_name(const struct rpt_rows *rows,
			    const struct rpt_frame *frame)
{
	return frame->dso ? rpt_intern_key(&rows->frames->dso_names,
					   frame->dso_place)
			  : NULL;
}

/* Tasks without a name are called ":TID". */
static int compare_comms(const struct rpt_row *x, const struct rpt_row *y)
{
	const char *p = rpt_row_comm(x), *q = rpt_row_comm(y);
	char a[16], b[16];

	if (p && q)
		return compare_names(p, q);
	snprintf(a, sizeof(a), ":%d", (int)rpt_row_tid(x));
	snprintf(b, sizeof(b), ":%d", (int)rpt_row_tid(y));
	return strcmp(p ? p : a, q ? q : b);
}

/* Weight by weight, member by member. */
static uint64_t number_of(const struct rpt_rows *rows, uint32_t row,
			  enum rpt_weight weight, uint32_t member)
{
	const struct rpt_row_stat *stat = rpt_rows_stat(rows, row, member);

	switch (weight) {
	case RPT_WEIGHT_ACC: /* without children it is shown as "N/A" */
		return rows->conf.children ? stat->acc : 0;
	case RPT_WEIGHT_SELF:
		return stat->self;
	case RPT_WEIGHT_SAMPLES:
		return stat->self_nr;
	default:
		return rpt_rows_modes(rows, row, member)
			->self[weight - RPT_WEIGHT_SYS];
	}
}

/* Of another event's row: none. */
static struct pd_str field_bytes(const struct rpt_row *row, uint32_t field)
{
	const struct rpt_trace_field *f = &row->input->trace_fields[field];

	if (f->event_idx != rpt_row_stack_key(row)->event_idx)
		return (struct pd_str){ NULL, 0 };
	return rpt_trace_field_bytes(row->input->tracepoints, f,
				     rpt_row_raw(row));
}

/* The bytes as perf compares them: the greatest first. */
static int compare_fields(uint32_t field, const struct rpt_row *x,
			  const struct rpt_row *y)
{
	struct pd_str a = field_bytes(x, field);
	struct pd_str b = field_bytes(y, field);
	size_t len = a.len < b.len ? a.len : b.len;
	int rc = len ? memcmp(b.ptr, a.ptr, len) : 0;

	return rc ? rc : compare_u64(a.len, b.len);
}

/* Functions that branches come from, by address as in perf. */
static int compare_from(const struct rpt_frame *a, const struct rpt_frame *b)
{
	if (!a->sym != !b->sym)
		return a->sym ? -1 : 1;
	if (a->sym)
		return compare_u64(b->sym->start, a->sym->start);
	return compare_u64(b->ip, a->ip);
}

/* perf subtracts them, and takes what comes out for a signed number: the upper
 * half of all addresses comes first. */
static int compare_ips(uint64_t a, uint64_t b)
{
	return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
}

static uint64_t symbol_len(const struct rpt_rows *rows,
			   const struct rpt_row *row)
{
	const struct rpt_symbol *sym = frame_of(rows, row)->sym;

	return sym ? sym->end - sym->start : 0;
}

static int compare_lines(const struct rpt_rows *rows, unsigned by,
			 const struct rpt_frame *a, const struct rpt_frame *b)
{
	const struct rpt_intern *lines = &rows->frames->lines;
	bool is_file = by == RPT_BY_SRCFILE;

	return compare_names(
		rpt_intern_key(lines, (is_file ? a->file : a->line) - 1),
		rpt_intern_key(lines, (is_file ? b->file : b->line) - 1));
}

/* By something that is not in struct sortable. */
static int compare_far(const struct rpt_rows *rows,
		       const struct rpt_order_key *key, const struct rpt_row *x,
		       const struct rpt_row *y)
{
	uint64_t flags = rpt_branch_flags_of(key->by);

	switch (key->by) {
	case RPT_BY_TASK:
		return compare_int((int)rpt_row_tid(x), (int)rpt_row_tid(y));
	case RPT_BY_CPU:
		return compare_int((int)rpt_row_stack_key(x)->cpu,
				   (int)rpt_row_stack_key(y)->cpu);
	case RPT_BY_TRACE:
		return strcmp(rpt_intern_key(&rows->traces, x->trace),
			      rpt_intern_key(&rows->traces, y->trace));
	case RPT_BY_FIELD:
		return compare_fields(key->field, x, y);
	case RPT_BY_VALUE:
		return rpt_value_compare(rows->conf.values[key->field],
					 rpt_row_values(x)[key->field],
					 rpt_row_values(y)[key->field]);
	case RPT_BY_ADDR:
		return compare_ips(frame_of(rows, x)->ip,
				   frame_of(rows, y)->ip);
	case RPT_BY_DSO_SIZE:
		return compare_u64(frame_of(rows, y)->map_len,
				   frame_of(rows, x)->map_len);
	case RPT_BY_SYMBOL_SIZE:
		return compare_u64(symbol_len(rows, y), symbol_len(rows, x));
	case RPT_BY_HOST:
		return compare_names(x->input->host, y->input->host);
	case RPT_BY_SRCLINE:
	case RPT_BY_SRCFILE:
		return compare_lines(rows, key->by, frame_of(rows, x),
				     frame_of(rows, y));
	case RPT_BY_SRCLINE_FROM:
		return compare_lines(rows, key->by, from_frame(rows, x),
				     from_frame(rows, y));
	case RPT_BY_DSO_FROM:
		return compare_names(dso_name(rows, from_frame(rows, x)),
				     dso_name(rows, from_frame(rows, y)));
	case RPT_BY_PARENT:
		return compare_names(x->parent, y->parent);
	case RPT_BY_SYMBOL_FROM:
		return compare_from(from_frame(rows, x), from_frame(rows, y));
	default:
		return compare_u64(rpt_row_stack_key(y)->branch_flags & flags,
				   rpt_row_stack_key(x)->branch_flags & flags);
	}
}

static int compare_by(const struct sorter *sorter,
		      const struct rpt_order_key *key, uint32_t x, uint32_t y)
{
	const struct sortable *p = &sorter->items[x];
	const struct sortable *q = &sorter->items[y];

	switch (key->by) {
	case RPT_BY_COMM:
		return compare_comms(&sorter->rows->items[x],
				     &sorter->rows->items[y]);
	case RPT_BY_DSO:
		return compare_names(p->dso, q->dso);
	case RPT_BY_SYMBOL:
		return compare_names(p->sym, q->sym);
	default:
		return compare_far(sorter->rows, key, &sorter->rows->items[x],
				   &sorter->rows->items[y]);
	}
}

/* nth: of the numbers that come before it. */
static int compare_weights(const struct sorter *sorter, enum rpt_weight weight,
			   size_t nth, const uint32_t rows[2])
{
	const struct sortable *p = &sorter->items[rows[0]];
	const struct sortable *q = &sorter->items[rows[1]];
	int rc = 0;

	for (uint32_t m = 0; m < sorter->rows->member_nr && !rc; m++, nth++) {
		if (nth < NEAR_NUMBERS)
			rc = compare_u64(p->numbers[nth], q->numbers[nth]);
		else
			rc = compare_u64(
				number_of(sorter->rows, rows[0], weight, m),
				number_of(sorter->rows, rows[1], weight, m));
	}
	return rc;
}

/* What the keys leave equal: by all that a row shows. */
static int compare_rest(const struct sorter *sorter, uint32_t x, uint32_t y)
{
	const struct sortable *p = &sorter->items[x];
	const struct sortable *q = &sorter->items[y];
	int rc = compare_names(p->comm, q->comm);

	if (!rc)
		rc = compare_names(p->dso, q->dso);
	if (!rc)
		rc = compare_names(p->sym, q->sym);
	if (!rc)
		rc = compare_u64(q->addr, p->addr);
	return rc ? rc : (x > y) - (x < y);
}

/* Callers above what they call, where accumulated weights are the same.  (perf
 * compares depths within a task only, which is no order: where its rows weigh
 * the same they may come otherwise.) */
static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct sorter *sorter = ctx;
	const struct rpt_rows_conf *conf = &sorter->rows->conf;
	uint32_t pair[2] = { *(const uint32_t *)a, *(const uint32_t *)b };
	size_t nth = 0;
	int rc = 0;

	for (size_t i = 0; i < conf->order_nr && !rc; i++) {
		const struct rpt_order_key *key = &conf->order[i];

		if (i == sorter->depth_at)
			rc = compare_u64(sorter->items[pair[0]].depth,
					 sorter->items[pair[1]].depth);
		if (rc)
			break;
		if (key->by) {
			rc = compare_by(sorter, key, pair[0], pair[1]);
			continue;
		}
		rc = compare_weights(sorter, key->weight, nth, pair);
		nth += sorter->rows->member_nr;
	}
	return rc ? rc : compare_rest(sorter, pair[0], pair[1]);
}

static void describe_numbers(struct sortable *item, const struct rpt_rows *rows,
			     uint32_t idx)
{
	const struct rpt_rows_conf *conf = &rows->conf;
	size_t nth = 0;

	for (size_t i = 0; i < conf->order_nr; i++) {
		if (conf->order[i].by)
			continue;
		for (uint32_t m = 0; m < rows->member_nr; m++) {
			if (nth == NEAR_NUMBERS)
				return;
			item->numbers[nth++] =
				number_of(rows, idx, conf->order[i].weight, m);
		}
	}
}

static void describe(const struct sorter *sorter, uint32_t idx)
{
	const struct rpt_rows *rows = sorter->rows;
	const struct rpt_row *row = &rows->items[idx];
	const struct rpt_frame *frame = &rows->frames->items[row->frame];
	struct sortable *item = &sorter->items[idx];

	*item = (struct sortable){
		.comm = rpt_row_comm(row),
		.dso = dso_name(rows, frame),
		.sym = frame->sym ? frame->sym->name : NULL,
		.addr = row->addr,
		.depth = row->max_depth,
	};
	describe_numbers(item, rows, idx);
}

/* Behind the weights, if the accumulated one is the first of them. */
static size_t find_depth_at(const struct rpt_rows_conf *conf)
{
	size_t i = 0;

	if (!conf->order_nr || conf->order[0].by ||
	    conf->order[0].weight != RPT_WEIGHT_ACC)
		return SIZE_MAX;
	while (i < conf->order_nr && !conf->order[i].by)
		i++;
	return i;
}

int rpt_rows_sort(struct rpt_rows *rows)
{
	struct sorter sorter = {
		.rows = rows,
		.depth_at = find_depth_at(&rows->conf),
	};
	int sum_rc = rpt_rows_sum_up(rows), rc;
	uint32_t nr;

	if (sum_rc == -ENOMEM)
		return sum_rc;
	nr = rpt_rows_nr(rows);
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
	rc = rpt_rows_nest(rows);
	return rc ? rc : sum_rc;
}
