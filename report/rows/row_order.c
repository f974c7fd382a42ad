/* The order in which rows are shown. */
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/base/radix_sort.h"
#include "report/base/string_ranks.h"
#include "report/rows/rows_impl.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of a row by enum rpt_rank, the lowest first: the depth of its chains,
 * and names. */
#define RANK_DEPTH RPT_RANK_NONE

/* The steps by which rows are compared, one after the other. */
struct step {
	uint64_t *words; /* by row, the lowest first; NULL: the key's compare */
	const struct rpt_sort_key *key;
};

struct sorter {
	const struct rpt_rows *rows;
	uint32_t (*ranks)[RPT_RANKS_NR]; /* by row */
	unsigned bit_nr[RPT_RANKS_NR];
	bool has_rank[RPT_RANKS_NR]; /* among the steps: once is enough */
	struct step *steps;
	unsigned step_nr;
	unsigned word_nr;     /* of the first steps, that have words */
	unsigned free_bit_nr; /* of the last step's words, for one more rank */
};

/* Return of how many members weights count.  As in perf, --group-sort-idx of a
 * member behind the leader leaves the leader's out, and an index beyond the
 * group leaves all but the leader's out. */
static uint32_t counted_nr(const struct rpt_rows *rows)
{
	uint32_t first = rows->conf.first_member;

	if (first >= rows->member_nr)
		return 1;
	return first ? rows->member_nr - 1 : rows->member_nr;
}

/* Return the nth of them: the one that was asked for, then the others. */
static uint32_t member_at(const struct rpt_rows *rows, uint32_t nth)
{
	uint32_t first = rows->conf.first_member;

	if (!first || first >= rows->member_nr)
		return nth;
	if (!nth)
		return first;
	return nth < first ? nth : nth + 1;
}

static unsigned bits_of(uint32_t max)
{
	return max ? 32 - (unsigned)__builtin_clz(max) : 0;
}

/* Number the names of all rows in the order of strcmp(); NULL comes last. */
static void rank_names(struct sorter *sorter)
{
	const struct rpt_rows *rows = sorter->rows;
	struct rpt_string_ranks names[RPT_RANKS_NR] = { 0 };
	struct rpt_arena tid_names = { 0 };
	uint32_t nr = rpt_rows_nr(rows);

	for (uint32_t i = 0; i < nr; i++) {
		const struct rpt_row *row = &rows->items[i];
		const struct rpt_frame *frame =
			&rows->frames->items[row->frame];
		uint32_t *ranks = sorter->ranks[i];
		char tid[16];
		const char *comm = rpt_row_comm(row, tid);

		if (!row->comm)
			comm = rpt_arena_copy(&tid_names, tid, strlen(tid));
		ranks[RPT_RANK_COMM] =
			rpt_string_ranks_number(&names[RPT_RANK_COMM], comm);
		ranks[RPT_RANK_DSO] = rpt_string_ranks_number(
			&names[RPT_RANK_DSO], rpt_rows_dso_name(rows, frame));
		ranks[RPT_RANK_SYMBOL] = rpt_string_ranks_number(
			&names[RPT_RANK_SYMBOL],
			frame->sym ? frame->sym->name : NULL);
	}
	for (unsigned k = RPT_RANK_COMM; k < RPT_RANKS_NR; k++) {
		uint32_t last = names[k].names.nr;

		rpt_string_ranks_compute(&names[k]);
		for (uint32_t i = 0; i < nr; i++) {
			uint32_t *rank = &sorter->ranks[i][k];

			*rank = *rank == RPT_NO_RANK
					? last
					: rpt_string_ranks_of(&names[k], *rank);
		}
		sorter->bit_nr[k] = bits_of(last);
		rpt_string_ranks_release(&names[k]);
	}
	rpt_arena_release(&tid_names);
}

/* Rank the rows by the depth of their chains, callers first: what a row's chain
 * goes on with is what it calls, or its callers. */
static void rank_depths(struct sorter *sorter)
{
	const struct rpt_rows *rows = sorter->rows;
	uint32_t max = 0;

	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++)
		if (rows->counters[i].max_depth > max)
			max = rows->counters[i].max_depth;
	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++)
		sorter->ranks[i][RANK_DEPTH] =
			rows->conf.is_caller_first
				? max - rows->counters[i].max_depth
				: rows->counters[i].max_depth;
	sorter->bit_nr[RANK_DEPTH] = bits_of(max);
}

/* Add a step of words, which are zeroed. */
static uint64_t *add_words(struct sorter *sorter)
{
	struct step *step = &sorter->steps[sorter->step_nr++];

	step->words = rpt_alloc_zeroed(rpt_rows_nr(sorter->rows),
				       sizeof(*step->words));
	if (sorter->word_nr + 1 == sorter->step_nr)
		sorter->word_nr++;
	sorter->free_bit_nr = 0;
	return step->words;
}

/* Add a rank; ranks that follow each other share words. */
static void add_rank(struct sorter *sorter, unsigned rank)
{
	unsigned bit_nr = sorter->bit_nr[rank];
	uint64_t *words;

	if (sorter->has_rank[rank] || !bit_nr)
		return; /* without bits all rows have the same rank */
	sorter->has_rank[rank] = true;
	if (sorter->free_bit_nr < bit_nr) {
		add_words(sorter);
		sorter->free_bit_nr = 64;
	}
	sorter->free_bit_nr -= bit_nr;
	words = sorter->steps[sorter->step_nr - 1].words;
	for (uint32_t i = 0; i < rpt_rows_nr(sorter->rows); i++)
		words[i] = words[i] << bit_nr | sorter->ranks[i][rank];
}

/* Add a weight for each member, the heaviest first. */
static void add_weight(struct sorter *sorter, enum rpt_weight weight)
{
	const struct rpt_rows *rows = sorter->rows;

	/* without children it is shown as "N/A" */
	if (weight == RPT_WEIGHT_ACC && !rows->conf.children)
		return;
	for (uint32_t m = 0; m < counted_nr(rows); m++) {
		uint64_t *words = add_words(sorter);

		for (uint32_t i = 0; i < rpt_rows_nr(rows); i++)
			words[i] = ~rpt_rows_weight(rows, i, weight,
						    member_at(rows, m));
	}
}

static void add_addrs(struct sorter *sorter)
{
	const struct rpt_rows *rows = sorter->rows;
	uint64_t *words = add_words(sorter);

	for (uint32_t i = 0; i < rpt_rows_nr(rows); i++) {
		const struct rpt_row *row = &rows->items[i];

		words[i] = rpt_row_addr(row, &rows->frames->items[row->frame]);
	}
}

/* Add what conf.keys.order says, then all else that a row shows.  If the first
 * key is the accumulated weight, callers come above what they call if they
 * weigh the same.  (perf compares depths within a task only, which is no order:
 * its rows that weigh the same may come otherwise.) */
static void add_steps(struct sorter *sorter)
{
	const struct rpt_sort_keys *conf = &sorter->rows->conf.keys;
	bool is_by_acc = conf->order_nr && !conf->order[0].dim->by &&
			 conf->order[0].dim->weight == RPT_WEIGHT_ACC;

	for (size_t i = 0; i < conf->order_nr; i++) {
		const struct rpt_sort_key *key = &conf->order[i];

		if (!key->dim->by) {
			add_weight(sorter, key->dim->weight);
			if (is_by_acc && i == 0)
				add_rank(sorter, RANK_DEPTH);
			continue;
		}
		if (key->dim->rank) {
			add_rank(sorter, key->dim->rank);
			continue;
		}
		sorter->steps[sorter->step_nr++].key = key;
		sorter->free_bit_nr = 0;
	}
	for (unsigned rank = RPT_RANK_COMM; rank < RPT_RANKS_NR; rank++)
		add_rank(sorter, rank);
	add_addrs(sorter);
}

static uint64_t word_of(const void *ctx, uint32_t row, unsigned word_idx)
{
	const struct sorter *sorter = ctx;

	return sorter->steps[word_idx].words[row];
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct sorter *sorter = ctx;
	const struct rpt_row *items = sorter->rows->items;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int rc = 0;

	for (unsigned i = 0; i < sorter->step_nr && !rc; i++) {
		const struct step *step = &sorter->steps[i];

		if (step->words)
			rc = rpt_compare_u64(step->words[x], step->words[y]);
		else
			rc = step->key->dim->compare(
				&(struct rpt_row_pair){ sorter->rows, step->key,
							&items[x], &items[y] });
	}
	return rc ? rc : rpt_compare_u64(x, y);
}

void rpt_rows_sort(struct rpt_rows *rows)
{
	uint32_t nr = rpt_rows_nr(rows);
	size_t step_nr =
		rows->conf.keys.order_nr * counted_nr(rows) + RPT_RANKS_NR + 1;
	struct sorter sorter = {
		.rows = rows,
		.ranks = rpt_alloc_zeroed(nr, sizeof(*sorter.ranks)),
		.steps = rpt_alloc_zeroed(step_nr, sizeof(*sorter.steps)),
	};
	struct rpt_radix_sort by_words = {
		.word = word_of,
		.compare = compare_rows,
		.ctx = &sorter,
	};

	rank_names(&sorter);
	rank_depths(&sorter);
	add_steps(&sorter);
	free(sorter.ranks);
	rows->order = rpt_alloc_zeroed(nr, sizeof(*rows->order));
	for (uint32_t i = 0; i < nr; i++)
		rows->order[i] = i;
	by_words.word_nr = sorter.word_nr;
	rpt_radix_sort(&by_words, rows->order, nr);
	for (unsigned i = 0; i < sorter.step_nr; i++)
		free(sorter.steps[i].words);
	free(sorter.steps);
	rpt_rows_nest(rows);
}
