/* The order in which rows are shown. */
#include "report/name_ranks.h"
#include "report/rows_impl.h"
#include "report/word_sort.h"

#include <errno.h>
#include <stdlib.h>

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

static int compare_by(const struct sorter *sorter,
		      const struct rpt_order_key *key, uint32_t x, uint32_t y)
{
	const struct sortable *p = &sorter->items[x];
	const struct sortable *q = &sorter->items[y];

	switch (key->by) {
	case RPT_BY_DSO:
		return compare_int(p->dso, q->dso);
	case RPT_BY_SYMBOL:
		return compare_int(p->sym, q->sym);
	default:
		return rpt_row_compare(sorter->rows, key,
				       &sorter->rows->items[x],
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
	    rpt_name_ranks_number(&names[NAME_DSO],
				  rpt_row_dso_name(rows, frame), &item->dso) ||
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
