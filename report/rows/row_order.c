/* The order in which rows are shown. */
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/base/radix_sort.h"
#include "report/base/string_ranks.h"
#include "report/rows/rows_impl.h"

#include <stdlib.h>
#include <string.h>

#define NEAR_NUMBERS 2

/* What of a row is a rank, the lowest first: the depth of its chains and names
 * by enum rpt_rank. */
#define RANK_DEPTH 0

/* What is compared of a row, side by side: a table can have 100,000 rows that
 * weigh the same. */
struct sortable {
	uint64_t numbers[NEAR_NUMBERS]; /* the first of those */
	uint64_t addr;
	uint32_t
		ranks[RPT_RANKS_NR]; /* of a name that there is not: the last */
};

/* What can be told of a row by one number, the lowest first. */
enum word {
	WORD_WEIGHT, /* and behind: of the first NEAR_NUMBERS */
	WORD_ADDR = NEAR_NUMBERS,
	WORD_RANK, /* and behind */
	WORDS_NR = WORD_RANK + RPT_RANKS_NR,
};

/* Ranks that are compared one after the other, in one number. */
struct key_word {
	enum word first;
	unsigned ranks[RPT_RANKS_NR]; /* where that is one ... */
	unsigned rank_nr;	      /* ... all of them */
	unsigned bit_nr;
};

struct sorter {
	const struct rpt_rows *rows;
	struct sortable *items; /* by row */
	size_t depth_at;	/* depths count before this key */
	struct rpt_string_ranks names[RPT_RANKS_NR];
	struct rpt_arena tid_names; /* ":TID", until names are settled */
	uint32_t depth_max;
	unsigned bit_nr[RPT_RANKS_NR];
	/* As the keys begin; each at most once: a second time it would tell
	 * nothing apart. */
	struct key_word words[WORDS_NR];
	unsigned word_nr;
	bool has_word[WORDS_NR];
};

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

/* Return one of the numbers that rows are ordered by: weight by weight, member
 * by member. */
static uint64_t number_of(const struct rpt_rows *rows, uint32_t row,
			  enum rpt_weight weight, uint32_t nth)
{
	/* without children it is shown as "N/A" */
	if (weight == RPT_WEIGHT_ACC && !rows->conf.children)
		return 0;
	return rpt_rows_weight(rows, row, weight, member_at(rows, nth));
}

static int compare_by(const struct sorter *sorter,
		      const struct rpt_sort_key *key, uint32_t x, uint32_t y)
{
	const struct rpt_rows *rows = sorter->rows;
	unsigned rank = key->dim->rank;

	if (rank)
		return rpt_compare_int(sorter->items[x].ranks[rank],
				       sorter->items[y].ranks[rank]);
	return key->dim->compare(&(struct rpt_row_pair){
		rows, key, &rows->items[x], &rows->items[y] });
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
			rc = rpt_compare_u64(q->numbers[nth], p->numbers[nth]);
		else
			rc = rpt_compare_u64(
				number_of(sorter->rows, rows[1], weight, m),
				number_of(sorter->rows, rows[0], weight, m));
	}
	return rc;
}

/* What the keys leave equal: by all that a row shows. */
static int compare_rest(const struct sorter *sorter, uint32_t x, uint32_t y)
{
	const struct sortable *p = &sorter->items[x];
	const struct sortable *q = &sorter->items[y];
	int rc = 0;

	for (unsigned i = RPT_RANK_COMM; i < RPT_RANKS_NR && !rc; i++)
		rc = rpt_compare_int(p->ranks[i], q->ranks[i]);
	if (!rc)
		rc = rpt_compare_u64(p->addr, q->addr);
	return rc ? rc : rpt_compare_u64(x, y);
}

/* Callers above what they call, where accumulated weights are the same.  (perf
 * compares depths within a task only, which is no order: where its rows weigh
 * the same they may come otherwise.) */
static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct sorter *sorter = ctx;
	const struct rpt_sort_keys *conf = &sorter->rows->conf.keys;
	uint32_t pair[2] = { *(const uint32_t *)a, *(const uint32_t *)b };
	size_t nth = 0;
	int rc = 0;

	for (size_t i = 0; i < conf->order_nr && !rc; i++) {
		const struct rpt_sort_key *key = &conf->order[i];

		if (i == sorter->depth_at)
			rc = rpt_compare_int(
				sorter->items[pair[0]].ranks[RANK_DEPTH],
				sorter->items[pair[1]].ranks[RANK_DEPTH]);
		if (rc)
			break;
		if (key->dim->by) {
			rc = compare_by(sorter, key, pair[0], pair[1]);
			continue;
		}
		rc = compare_weights(sorter, key->dim->weight, nth, pair);
		nth += counted_nr(sorter->rows);
	}
	return rc ? rc : compare_rest(sorter, pair[0], pair[1]);
}

static void describe_numbers(struct sortable *item, const struct rpt_rows *rows,
			     uint32_t idx)
{
	const struct rpt_sort_keys *conf = &rows->conf.keys;
	size_t nth = 0;

	for (size_t i = 0; i < conf->order_nr; i++) {
		if (conf->order[i].dim->by)
			continue;
		for (uint32_t m = 0; m < counted_nr(rows); m++) {
			if (nth == NEAR_NUMBERS)
				return;
			item->numbers[nth++] = number_of(
				rows, idx, conf->order[i].dim->weight, m);
		}
	}
}

static void describe(struct sorter *sorter, uint32_t idx)
{
	const struct rpt_rows *rows = sorter->rows;
	const struct rpt_row *row = &rows->items[idx];
	const struct rpt_frame *frame = &rows->frames->items[row->frame];
	struct sortable *item = &sorter->items[idx];
	struct rpt_string_ranks *names = sorter->names;
	char tid[16];
	const char *comm = rpt_row_comm(row, tid);

	item->addr = rpt_row_addr(row, frame);
	item->ranks[RANK_DEPTH] = rows->counters[idx].max_depth;
	if (item->ranks[RANK_DEPTH] > sorter->depth_max)
		sorter->depth_max = item->ranks[RANK_DEPTH];
	describe_numbers(item, rows, idx);
	if (!row->comm)
		comm = rpt_arena_copy(&sorter->tid_names, tid, strlen(tid));
	item->ranks[RPT_RANK_COMM] =
		rpt_string_ranks_number(&names[RPT_RANK_COMM], comm);
	item->ranks[RPT_RANK_DSO] = rpt_string_ranks_number(
		&names[RPT_RANK_DSO], rpt_rows_dso_name(rows, frame));
	item->ranks[RPT_RANK_SYMBOL] = rpt_string_ranks_number(
		&names[RPT_RANK_SYMBOL], frame->sym ? frame->sym->name : NULL);
}

static unsigned bits_of(uint32_t rank_max)
{
	return rank_max ? 32 - (unsigned)__builtin_clz(rank_max) : 0;
}

/* The deepest first. */
static void settle_ranks(const struct sorter *sorter, struct sortable *item)
{
	const struct rpt_string_ranks *names = sorter->names;
	uint32_t *ranks = item->ranks;

	ranks[RANK_DEPTH] = sorter->depth_max - ranks[RANK_DEPTH];
	for (unsigned i = RPT_RANK_COMM; i < RPT_RANKS_NR; i++)
		ranks[i] = ranks[i] == RPT_NO_RANK
				   ? names[i].names.nr
				   : rpt_string_ranks_of(&names[i], ranks[i]);
}

/* Numbers become ranks. */
static void settle(struct sorter *sorter, uint32_t nr)
{
	sorter->bit_nr[RANK_DEPTH] = bits_of(sorter->depth_max);
	for (unsigned i = RPT_RANK_COMM; i < RPT_RANKS_NR; i++) {
		rpt_string_ranks_settle(&sorter->names[i]);
		sorter->bit_nr[i] = bits_of(sorter->names[i].names.nr);
	}
	for (uint32_t i = 0; i < nr; i++)
		settle_ranks(sorter, &sorter->items[i]);
}

/* Behind the weights, if the accumulated one is the first of them. */
static size_t find_depth_at(const struct rpt_sort_keys *conf)
{
	size_t i = 0;

	if (!conf->order_nr || conf->order[0].dim->by ||
	    conf->order[0].dim->weight != RPT_WEIGHT_ACC)
		return SIZE_MAX;
	while (i < conf->order_nr && !conf->order[i].dim->by)
		i++;
	return i;
}

static uint64_t word_of(const void *ctx, uint32_t row, unsigned word_idx)
{
	const struct sorter *sorter = ctx;
	const struct sortable *item = &sorter->items[row];
	const struct key_word *key = &sorter->words[word_idx];
	uint64_t word = 0;

	if (key->first < WORD_ADDR)
		return ~item->numbers[key->first - WORD_WEIGHT];
	if (key->first == WORD_ADDR)
		return item->addr;
	for (unsigned i = 0; i < key->rank_nr; i++) {
		unsigned rank = key->ranks[i];

		word = word << sorter->bit_nr[rank] | item->ranks[rank];
	}
	return word;
}

static void add_word(struct sorter *sorter, enum word word)
{
	struct key_word *last = sorter->words + sorter->word_nr - 1;
	unsigned bit_nr;

	if (sorter->has_word[word])
		return;
	sorter->has_word[word] = true;
	bit_nr = word < WORD_RANK ? 64 : sorter->bit_nr[word - WORD_RANK];
	if (!sorter->word_nr || word < WORD_RANK ||
	    last->bit_nr + bit_nr > 64) {
		last = &sorter->words[sorter->word_nr++];
		last->first = word;
	}
	last->bit_nr += bit_nr;
	if (word >= WORD_RANK)
		last->ranks[last->rank_nr++] = (word - WORD_RANK);
}

static void add_rank(struct sorter *sorter, unsigned rank)
{
	add_word(sorter, WORD_RANK + (enum word)rank);
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

/* Adds what compare_rows() compares, up to the first key that is no word. */
static void choose_words(struct sorter *sorter)
{
	const struct rpt_sort_keys *conf = &sorter->rows->conf.keys;
	size_t nth = 0;

	for (size_t i = 0; i < conf->order_nr; i++) {
		const struct rpt_dimension *dim = conf->order[i].dim;

		if (i == sorter->depth_at)
			add_rank(sorter, RANK_DEPTH);
		if (dim->rank)
			add_rank(sorter, dim->rank);
		else if (dim->by || !add_weight_words(sorter, nth))
			return;
		nth += dim->by ? 0 : counted_nr(sorter->rows);
	}
	for (unsigned rank = RPT_RANK_COMM; rank < RPT_RANKS_NR; rank++)
		add_rank(sorter, rank);
	add_word(sorter, WORD_ADDR);
}

static void sort(struct rpt_rows *rows)
{
	uint32_t nr = rpt_rows_nr(rows);
	struct sorter sorter = {
		.rows = rows,
		.items = rpt_alloc_zeroed(nr, sizeof(*sorter.items)),
		.depth_at = find_depth_at(&rows->conf.keys),
	};
	struct rpt_radix_sort by_words = {
		.word = word_of,
		.compare = compare_rows,
		.ctx = &sorter,
	};

	for (uint32_t i = 0; i < nr; i++) {
		rows->order[i] = i;
		describe(&sorter, i);
	}
	settle(&sorter, nr);
	choose_words(&sorter);
	by_words.word_nr = sorter.word_nr;
	rpt_radix_sort(&by_words, rows->order, nr);
	for (size_t i = 0; i < RPT_RANKS_NR; i++)
		rpt_string_ranks_release(&sorter.names[i]);
	rpt_arena_release(&sorter.tid_names);
	free(sorter.items);
}

void rpt_rows_sort(struct rpt_rows *rows)
{
	rows->order = rpt_alloc_zeroed(rpt_rows_nr(rows), sizeof(*rows->order));
	sort(rows);
	rpt_rows_nest(rows);
}
