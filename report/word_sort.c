#include "report/word_sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_RUN 16u

/* Digits of long runs are wider: there are fewer passes. */
#define LONG_RUN  4096u
#define DIGIT_BIT 8u
#define LONG_BIT  11u

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

/* What the words of a run are like. */
struct words {
	uint64_t differing; /* bits that are not the same in all */
	uint64_t middle;    /* that of the item in the middle ... */
	uint32_t middle_nr; /* ... and how many have it */
};

/* Makes the pairs. */
static struct words fill(const struct rpt_word_sort *sort,
			 const struct run *run, unsigned word_idx)
{
	struct words words = {
		.middle = sort->word(sort->ctx, run->items[run->nr / 2],
				     word_idx),
	};

	for (uint32_t i = 0; i < run->nr; i++) {
		uint64_t word = sort->word(sort->ctx, run->items[i], word_idx);

		run->pairs[i] = (struct pair){ word, run->items[i] };
		words.differing |= word ^ words.middle;
		words.middle_nr += word == words.middle;
	}
	return words;
}

/* One pass by the digit at shift; equal ones keep their order. */
static void sort_by_digit(struct run *run, unsigned shift, unsigned digit_bit)
{
	uint32_t at[1u << LONG_BIT];
	struct pair *from = run->pairs, *to = run->spare;
	uint32_t digits_nr = 1u << digit_bit, end = 0;
	uint64_t mask = digits_nr - 1;

	memset(at, 0, digits_nr * sizeof(*at));
	for (uint32_t i = 0; i < run->nr; i++)
		at[from[i].word >> shift & mask]++;
	for (uint32_t digit = 0; digit < digits_nr; digit++) {
		uint32_t digit_nr = at[digit];

		at[digit] = end;
		end += digit_nr;
	}
	for (uint32_t i = 0; i < run->nr; i++)
		to[at[from[i].word >> shift & mask]++] = from[i];
	run->pairs = to;
	run->spare = from;
}

static void sort_pairs(struct run *run, uint64_t differing)
{
	unsigned digit_bit = run->nr < LONG_RUN ? DIGIT_BIT : LONG_BIT;

	while (differing) {
		unsigned shift = (unsigned)__builtin_ctzll(differing);

		sort_by_digit(run, shift, digit_bit);
		differing &= ~(((UINT64_C(1) << digit_bit) - 1) << shift);
	}
}

/* The same where most words are one: only the others are sorted. */
static void sort_others(struct run *run, const struct words *words)
{
	uint32_t middle_nr = words->middle_nr, nr = run->nr - middle_nr;
	uint32_t at = 0, low_nr = 0;
	struct run others = { .pairs = run->spare,
			      .spare = run->pairs + middle_nr,
			      .nr = nr };

	for (uint32_t i = 0; i < run->nr; i++) {
		struct pair pair = run->pairs[i];

		low_nr += pair.word < words->middle;
		if (pair.word == words->middle)
			run->pairs[at++] = pair;
		else
			run->spare[i - at] = pair;
	}
	sort_pairs(&others, words->differing);
	if (others.pairs != run->spare)
		memcpy(run->spare, others.pairs, nr * sizeof(*run->spare));
	memmove(run->pairs + low_nr, run->pairs,
		middle_nr * sizeof(*run->pairs));
	memcpy(run->pairs, run->spare, low_nr * sizeof(*run->pairs));
	memcpy(run->pairs + low_nr + middle_nr, run->spare + low_nr,
	       (nr - low_nr) * sizeof(*run->pairs));
}

static void sort_run(const struct rpt_word_sort *sort, struct run run,
		     unsigned word_idx);

/* What has equal words goes on with the one at word_idx, each with the room
 * beside itself. */
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
			 word_idx);
		start = end;
	}
}

static void sort_run(const struct rpt_word_sort *sort, struct run run,
		     unsigned word_idx)
{
	struct words words = { 0 };

	if (run.nr < 2)
		return;
	if (run.nr > SHORT_RUN)
		while (word_idx < sort->word_nr && !words.differing)
			words = fill(sort, &run, word_idx++);
	if (!words.differing) {
		qsort_r(run.items, run.nr, sizeof(*run.items), sort->compare,
			sort->ctx);
		return;
	}
	if (words.middle_nr > run.nr / 4 * 3)
		sort_others(&run, &words);
	else
		sort_pairs(&run, words.differing);
	sort_equals(sort, &run, word_idx);
}

int rpt_word_sort(const struct rpt_word_sort *sort, uint32_t *items,
		  uint32_t nr)
{
	struct run run = {
		.items = items,
		.pairs = reallocarray(NULL, (size_t)nr + 1,
				      2 * sizeof(*run.pairs)),
		.nr = nr,
	};
	struct pair *pairs = run.pairs;

	if (!pairs)
		return -ENOMEM;
	run.spare = pairs + nr;
	sort_run(sort, run, 0);
	free(pairs);
	return 0;
}
