#include "report/word_sort.h"

#include <errno.h>
#include <stdlib.h>

#define SHORT_RUN 16u
#define DIGITS_NR 256u

struct pair {
	uint64_t word;
	uint32_t item;
};

/* Items that are equal so far, and room for as many pairs. */
struct run {
	uint32_t *items;
	struct pair *pairs;
	struct pair *spare;
	uint32_t nr;
};

/* Makes the pairs; returns the bits in which their words differ. */
static uint64_t fill(const struct rpt_word_sort *sort, const struct run *run,
		     unsigned word_idx)
{
	uint64_t first = sort->word(sort->ctx, run->items[0], word_idx);
	uint64_t differing = 0;

	for (uint32_t i = 0; i < run->nr; i++) {
		uint64_t word = sort->word(sort->ctx, run->items[i], word_idx);

		run->pairs[i] = (struct pair){ word, run->items[i] };
		differing |= word ^ first;
	}
	return differing;
}

/* One pass by the byte at shift; equal ones keep their order. */
static void sort_by_byte(struct run *run, unsigned shift)
{
	uint32_t at[DIGITS_NR] = { 0 };
	struct pair *from = run->pairs, *to = run->spare;
	uint32_t end = 0;

	for (uint32_t i = 0; i < run->nr; i++)
		at[from[i].word >> shift & 0xff]++;
	for (unsigned digit = 0; digit < DIGITS_NR; digit++) {
		uint32_t digit_nr = at[digit];

		at[digit] = end;
		end += digit_nr;
	}
	for (uint32_t i = 0; i < run->nr; i++)
		to[at[from[i].word >> shift & 0xff]++] = from[i];
	run->pairs = to;
	run->spare = from;
}

static void sort_run(const struct rpt_word_sort *sort, struct run run,
		     unsigned word_idx);

/* What has equal words goes on with the next one, each with the room beside
 * itself. */
static void sort_equals(const struct rpt_word_sort *sort, const struct run *run,
			unsigned word_idx)
{
	uint32_t start = 0;

	for (uint32_t i = 0; i < run->nr; i++)
		run->items[i] = run->pairs[i].item;
	while (start < run->nr) {
		uint64_t word = run->pairs[start].word;
		uint32_t end = start + 1;

		while (end < run->nr && run->pairs[end].word == word)
			end++;
		sort_run(sort,
			 (struct run){ run->items + start, run->pairs + start,
				       run->spare + start, end - start },
			 word_idx + 1);
		start = end;
	}
}

static void sort_run(const struct rpt_word_sort *sort, struct run run,
		     unsigned word_idx)
{
	uint64_t differing = 0;

	if (run.nr < 2)
		return;
	if (run.nr > SHORT_RUN)
		while (word_idx < sort->word_nr &&
		       !(differing = fill(sort, &run, word_idx)))
			word_idx++;
	if (!differing) {
		qsort_r(run.items, run.nr, sizeof(*run.items), sort->compare,
			sort->ctx);
		return;
	}
	for (unsigned shift = 0; shift < 64; shift += 8) {
		if (differing >> shift & 0xff)
			sort_by_byte(&run, shift);
	}
	sort_equals(sort, &run, word_idx);
}

int rpt_word_sort(const struct rpt_word_sort *sort, uint32_t *items,
		  uint32_t nr)
{
	struct run run = {
		.items = items,
		.pairs = calloc((size_t)nr + 1, sizeof(*run.pairs)),
		.spare = calloc((size_t)nr + 1, sizeof(*run.spare)),
		.nr = nr,
	};
	int rc = run.pairs && run.spare ? 0 : -ENOMEM;

	if (!rc)
		sort_run(sort, run, 0);
	free(run.pairs);
	free(run.spare);
	return rc;
}
