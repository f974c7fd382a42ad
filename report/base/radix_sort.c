#include "report/base/radix_sort.h"

#include "report/base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DIGIT_BIT 8u
#define DIGITS_NR (1u << DIGIT_BIT)

/* Runs of up to so many items are sorted by comparing them. */
#define SHORT_RUN 32u

/* An item and its word, so that sorting reads no item. */
struct pair {
	uint64_t word;
	uint32_t item;
};

/* Items that are equal so far, and room for as many. */
struct run {
	struct pair *pairs;
	struct pair *spare;
	uint32_t nr;
};

/* Read the words of an index.  Return the bits in which they differ. */
static uint64_t fill_words(const struct rpt_radix_sort *sort,
			   const struct run *run, unsigned word_idx)
{
	uint64_t differing = 0;

	for (uint32_t i = 0; i < run->nr; i++) {
		struct pair *pair = &run->pairs[i];

		pair->word = sort->word(sort->ctx, pair->item, word_idx);
		differing |= pair->word ^ run->pairs[0].word;
	}
	return differing;
}

/* Sort by the digit at shift; pairs with equal digits stay in their order. */
static void sort_by_digit(const struct run *run, unsigned shift)
{
	uint32_t starts[DIGITS_NR] = { 0 }, end = 0;

	for (uint32_t i = 0; i < run->nr; i++)
		starts[run->pairs[i].word >> shift & (DIGITS_NR - 1)]++;
	for (uint32_t digit = 0; digit < DIGITS_NR; digit++) {
		uint32_t nr = starts[digit];

		starts[digit] = end;
		end += nr;
	}
	for (uint32_t i = 0; i < run->nr; i++) {
		uint64_t digit = run->pairs[i].word >> shift & (DIGITS_NR - 1);

		run->spare[starts[digit]++] = run->pairs[i];
	}
	memcpy(run->pairs, run->spare, run->nr * sizeof(*run->pairs));
}

/* Sort by the words from word_idx on. */
static void sort_run(const struct rpt_radix_sort *sort, const struct run *run,
		     unsigned word_idx);

static void sort_equals(const struct rpt_radix_sort *sort,
			const struct run *run, unsigned word_idx)
{
	uint32_t start = 0, end;

	for (; start < run->nr; start = end) {
		uint64_t word = run->pairs[start].word;
		struct run equals;

		for (end = start; end < run->nr; end++)
			if (run->pairs[end].word != word)
				break;
		equals = (struct run){ run->pairs + start, run->spare + start,
				       end - start };
		sort_run(sort, &equals, word_idx);
	}
}

static void sort_by_compare(const struct rpt_radix_sort *sort,
			    const struct run *run)
{
	uint32_t *items = (uint32_t *)(void *)run->spare;

	for (uint32_t i = 0; i < run->nr; i++)
		items[i] = run->pairs[i].item;
	qsort_r(items, run->nr, sizeof(*items), sort->compare, sort->ctx);
	for (uint32_t i = 0; i < run->nr; i++)
		run->pairs[i].item = items[i];
}

static void sort_run(const struct rpt_radix_sort *sort, const struct run *run,
		     unsigned word_idx)
{
	uint64_t differing = 0;

	if (run->nr < 2)
		return;
	if (run->nr <= SHORT_RUN) {
		sort_by_compare(sort, run);
		return;
	}
	while (word_idx < sort->word_nr && !differing)
		differing = fill_words(sort, run, word_idx++);
	if (!differing) {
		sort_by_compare(sort, run);
		return;
	}
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BIT)
		if (differing >> shift & (DIGITS_NR - 1))
			sort_by_digit(run, shift);
	sort_equals(sort, run, word_idx);
}

void rpt_radix_sort(const struct rpt_radix_sort *sort, uint32_t *items,
		    uint32_t nr)
{
	struct run run = { .nr = nr };

	run.pairs =
		rpt_realloc_array(NULL, (size_t)nr + 1, 2 * sizeof(*run.pairs));
	run.spare = run.pairs + nr;
	for (uint32_t i = 0; i < nr; i++)
		run.pairs[i].item = items[i];
	sort_run(sort, &run, 0);
	for (uint32_t i = 0; i < nr; i++)
		items[i] = run.pairs[i].item;
	free(run.pairs);
}
