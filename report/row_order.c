/* The order in which rows are shown. */
#include "report/name_ranks.h"
#include "report/rows_impl.h"
#include "report/word_sort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_NUMBERS 2

/* What is compared of a row, side by side: a table can have 100,000 rows that
 * weigh the same. */
struct sortable {
	uint64_t numbers[NEAR_NUMBERS]; /* the first of those */
	uint64_t addr;
	uint32_t comm; /* ranks of names; RPT_NO_RANK of none, which is last */
	uint32_t dso;
	uint32_t sym;
	uint32_t depth;
};

enum name { NAME_COMM, NAME_DSO, NAME_SYM, NAMES_NR };

/* What can be told of a row by one number, the lowest first. */
enum word {
	WORD_WEIGHT, /* and behind: of the first NEAR_NUMBERS */
	WORD_DEPTH = NEAR_NUMBERS,
	WORD_COMM,
	WORD_DSO,
	WORD_SYM,
	WORD_ADDR,
};

/* Each at most once: a second time it would tell nothing apart. */
#define WORDS_MAX (WORD_ADDR + 1)

struct sorter {
	const struct rpt_rows *rows;
	struct sortable *items; /* by row */
	size_t depth_at;	/* depths count before this key */
	struct rpt_name_ranks names[NAMES_NR];
	bool has_nameless;	    /* a task without a name */
	enum word words[WORDS_MAX]; /* as the keys begin */
	unsigned word_nr;
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int compare_int(int64_t a, int64_t b)
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
	const char *p = x->comm, *q = y->comm;
	char a[16], b[16];

	if (p && q)
		return compare_names(p, q);
	snprintf(a, sizeof(a), ":%d", (int)rpt_row_tid(x));
	snprintf(b, sizeof(b), ":%d", (int)rpt_row_tid(y));
	return strcmp(p ? p : a, q ? q : b);
}

/* Of how many members weights count.  As in perf, --group-sort-idx of a member
 * behind the leader leaves the leader's out, and of none all but the leader's.
 */
static uint32_t counted_nr(const struct rpt_rows *rows)
{
	uint32_t first = rows->conf.first_member;

	if (first >= rows->member_nr)
		return 1;
	return first ? rows->member_nr - 1 : rows->member_nr;
}

/* The nth of them: the one that was asked for, then the others. */
static uint32_t member_at(const struct rpt_rows *rows, uint32_t nth)
{
	uint32_t first = rows->conf.first_member;

	if (!first || first >= rows->member_nr)
		return nth;
	if (!nth)
		return first;
	return nth < first ? nth : nth + 1;
}

/* Weight by weight, member by member. */
static uint64_t number_of(const struct rpt_rows *rows, uint32_t row,
			  enum rpt_weight weight, uint32_t member)
{
	const struct rpt_row_stat *stat;

	member = member_at(rows, member);
	stat = rpt_rows_stat(rows, row, member);

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

/* perf subtracts them, and takes what comes out for a signed number: the upper
 * half of all addresses comes first. */
static int compare_ips(uint64_t a, uint64_t b)
{
	return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
}

/* DSOs of branches, and of data: the last name first, as in perf. */
static int compare_dsos(const struct rpt_rows *rows, const struct rpt_frame *a,
			const struct rpt_frame *b)
{
	return -compare_names(dso_name(rows, a), dso_name(rows, b));
}

/* Functions of branches, by address as in perf. */
static int compare_functions(const struct rpt_frame *a,
			     const struct rpt_frame *b)
{
	if (!a->sym != !b->sym)
		return a->sym ? -1 : 1;
	if (a->sym)
		return compare_u64(b->sym->start, a->sym->start);
	return compare_ips(a->ip, b->ip);
}

static int compare_addrs(const struct rpt_rows *rows, const struct rpt_frame *a,
			 const struct rpt_frame *b)
{
	int rc = compare_dsos(rows, a, b);

	return rc ? rc : compare_ips(a->addr, b->addr);
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

/* Those of the kernel first; by file, or by process where there is none. */
static int compare_data_lines(const struct rpt_rows *rows,
			      const struct rpt_row *x, const struct rpt_row *y)
{
	const struct rpt_frame *p = from_frame(rows, x);
	const struct rpt_frame *q = from_frame(rows, y);
	uint32_t mode = rpt_row_stack_key(x)->cpumode;
	int rc = compare_u64(rpt_row_stack_key(y)->cpumode, mode);

	if (!rc)
		rc = !p->dso - !q->dso;
	if (!rc)
		rc = compare_u64(q->ino, p->ino);
	if (!rc && p->dso && !p->ino && mode != PD_CPUMODE_KERNEL)
		rc = compare_int((int)rpt_row_pid(x), (int)rpt_row_pid(y));
	return rc ? rc
		  : compare_u64(rpt_cache_line(q->addr),
				rpt_cache_line(p->addr));
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
	case RPT_BY_DATA_DSO:
		return compare_dsos(rows, from_frame(rows, x),
				    from_frame(rows, y));
	case RPT_BY_DSO_TO:
		return compare_dsos(rows, frame_of(rows, x), frame_of(rows, y));
	case RPT_BY_PARENT:
		return compare_names(rpt_rows_parent(rows, x),
				     rpt_rows_parent(rows, y));
	case RPT_BY_ADDR_FROM:
		return compare_addrs(rows, from_frame(rows, x),
				     from_frame(rows, y));
	case RPT_BY_ADDR_TO:
		return compare_addrs(rows, frame_of(rows, x),
				     frame_of(rows, y));
	case RPT_BY_DATA_ADDR:
		return compare_ips(from_frame(rows, x)->ip,
				   from_frame(rows, y)->ip);
	case RPT_BY_DATA_LINE:
		return compare_data_lines(rows, x, y);
	case RPT_BY_SYMBOL_FROM:
		return compare_functions(from_frame(rows, x),
					 from_frame(rows, y));
	case RPT_BY_SYMBOL_TO:
		return compare_functions(frame_of(rows, x), frame_of(rows, y));
	case RPT_BY_CYCLES:
		return compare_u64(rpt_row_stack_key(x)->branch_flags & flags,
				   rpt_row_stack_key(y)->branch_flags & flags);
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
		return compare_int(p->dso, q->dso);
	case RPT_BY_SYMBOL:
		return compare_int(p->sym, q->sym);
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
	uint32_t member_nr = counted_nr(sorter->rows);
	int rc = 0;

	for (uint32_t m = 0; m < member_nr && !rc; m++, nth++) {
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
	int rc = compare_int(p->comm, q->comm);

	if (!rc)
		rc = compare_int(p->dso, q->dso);
	if (!rc)
		rc = compare_int(p->sym, q->sym);
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
		nth += counted_nr(sorter->rows);
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
		for (uint32_t m = 0; m < counted_nr(rows); m++) {
			if (nth == NEAR_NUMBERS)
				return;
			item->numbers[nth++] =
				number_of(rows, idx, conf->order[i].weight, m);
		}
	}
}

static int describe(struct sorter *sorter, uint32_t idx)
{
	const struct rpt_rows *rows = sorter->rows;
	const struct rpt_row *row = &rows->items[idx];
	const struct rpt_frame *frame = &rows->frames->items[row->frame];
	struct sortable *item = &sorter->items[idx];
	struct rpt_name_ranks *names = sorter->names;
	const char *comm = row->comm;

	item->addr = rpt_row_addr(row, frame);
	item->depth = rows->tallies[idx].max_depth;
	sorter->has_nameless |= !comm;
	describe_numbers(item, rows, idx);
	if (rpt_name_ranks_number(&names[NAME_COMM], comm, &item->comm) ||
	    rpt_name_ranks_number(&names[NAME_DSO], dso_name(rows, frame),
				  &item->dso) ||
	    rpt_name_ranks_number(&names[NAME_SYM],
				  frame->sym ? frame->sym->name : NULL,
				  &item->sym))
		return -ENOMEM;
	return 0;
}

/* Names by rank from here on. */
static int settle_names(struct sorter *sorter, uint32_t nr)
{
	const struct rpt_name_ranks *names = sorter->names;

	for (size_t i = 0; i < NAMES_NR; i++)
		if (rpt_name_ranks_settle(&sorter->names[i]))
			return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		struct sortable *item = &sorter->items[i];

		item->comm = rpt_name_ranks_of(&names[NAME_COMM], item->comm);
		item->dso = rpt_name_ranks_of(&names[NAME_DSO], item->dso);
		item->sym = rpt_name_ranks_of(&names[NAME_SYM], item->sym);
	}
	return 0;
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

static uint64_t word_of(const void *ctx, uint32_t row, unsigned word_idx)
{
	const struct sorter *sorter = ctx;
	const struct sortable *item = &sorter->items[row];
	enum word word = sorter->words[word_idx];

	switch (word) {
	case WORD_DEPTH:
		return ~(uint64_t)item->depth;
	case WORD_COMM:
		return item->comm;
	case WORD_DSO:
		return item->dso;
	case WORD_SYM:
		return item->sym;
	case WORD_ADDR:
		return item->addr;
	case WORD_WEIGHT:
	default:
		return ~item->numbers[word - WORD_WEIGHT];
	}
}

static void add_word(struct sorter *sorter, enum word word)
{
	for (unsigned i = 0; i < sorter->word_nr; i++)
		if (sorter->words[i] == word)
			return;
	sorter->words[sorter->word_nr++] = word;
}

/* One of a weight for each member, nth of them before it.  False: there are not
 * so many near. */
static bool add_weight_words(struct sorter *sorter, size_t nth)
{
	uint32_t member_nr = counted_nr(sorter->rows);

	for (uint32_t m = 0; m < member_nr && nth + m < NEAR_NUMBERS; m++)
		add_word(sorter, WORD_WEIGHT + (enum word)(nth + m));
	return nth + member_nr <= NEAR_NUMBERS;
}

/* False: the key is no word. */
static bool add_key_word(struct sorter *sorter, unsigned by)
{
	if (by == RPT_BY_DSO)
		add_word(sorter, WORD_DSO);
	else if (by == RPT_BY_SYMBOL)
		add_word(sorter, WORD_SYM);
	else if (by == RPT_BY_COMM && !sorter->has_nameless)
		add_word(sorter, WORD_COMM);
	else
		return false;
	return true;
}

/* What compare_rows() compares, up to the first that is no word. */
static void choose_words(struct sorter *sorter)
{
	const struct rpt_rows_conf *conf = &sorter->rows->conf;
	size_t nth = 0;

	for (size_t i = 0; i < conf->order_nr; i++) {
		unsigned by = conf->order[i].by;

		if (i == sorter->depth_at)
			add_word(sorter, WORD_DEPTH);
		if (by ? !add_key_word(sorter, by)
		       : !add_weight_words(sorter, nth))
			return;
		nth += by ? 0 : counted_nr(sorter->rows);
	}
	for (enum word word = WORD_COMM; word <= WORD_ADDR; word++)
		add_word(sorter, word);
}

static int sort(struct rpt_rows *rows)
{
	uint32_t nr = rpt_rows_nr(rows);
	struct sorter sorter = {
		.rows = rows,
		.items = calloc((size_t)nr + 1, sizeof(*sorter.items)),
		.depth_at = find_depth_at(&rows->conf),
	};
	struct rpt_word_sort by_words = {
		.word = word_of,
		.compare = compare_rows,
		.ctx = &sorter,
	};
	int rc = sorter.items ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < nr && !rc; i++) {
		rows->order[i] = i;
		rc = describe(&sorter, i);
	}
	if (!rc)
		rc = settle_names(&sorter, nr);
	choose_words(&sorter);
	by_words.word_nr = sorter.word_nr;
	if (!rc)
		rc = rpt_word_sort(&by_words, rows->order, nr);
	for (size_t i = 0; i < NAMES_NR; i++)
		rpt_name_ranks_release(&sorter.names[i]);
	free(sorter.items);
	return rc;
}

int rpt_rows_sort(struct rpt_rows *rows)
{
	int sum_rc = rpt_rows_sum_up(rows), rc;

	if (sum_rc == -ENOMEM)
		return sum_rc;
	/* no row comes behind these */
	rpt_intern_close(&rows->keys);
	rpt_row_memos_release(&rows->memos);
	rows->order =
		calloc((size_t)rpt_rows_nr(rows) + 1, sizeof(*rows->order));
	rc = rows->order ? sort(rows) : -ENOMEM;
	if (!rc)
		rc = rpt_rows_nest(rows);
	return rc ? rc : sum_rc;
}
