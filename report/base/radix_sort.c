#include "report/base/radix_sort.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_RUN 16u

/* Digits of long runs are wider: there are fewer passes. */
#define LONG_RUN  4096u
#define DIGIT_BIT 8u
#define LONG_BIT  11u

/* Items that are equal so far, and room for as many keys, twice.  A key is what
 * of an item's word differs in the run, and below that its place there. */
struct run {
	uint32_t *items;
	uint64_t *keys;
	uint64_t *spare;
	uint32_t nr;
	unsigned place_bit; /* that the place takes; 0: keys are words */
};

/* What the words of a run are like. */
struct words {
	uint64_t differing; /* bits that are not the same in all */
	uint64_t middle;    /* that of the item in the middle ... */
	uint32_t middle_nr; /* ... and how many have it */
	unsigned low_bit;   /* from here on they are in the keys */
};

static unsigned bits_of(uint64_t number)
{
	return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

static uint64_t mask_of(unsigned bit_nr)
{
	return bit_nr < 64 ? (UINT64_C(1) << bit_nr) - 1 : UINT64_MAX;
}

/* Puts the words where the keys will be. */
static struct words fill(const struct rpt_radix_sort *sort,
			 const struct run *run, unsigned word_idx)
{
	struct words words = {
		.middle = sort->word(sort->ctx, run->items[run->nr / 2],
				     word_idx),
	};

	for (uint32_t i = 0; i < run->nr; i++) {
		uint64_t word = sort->word(sort->ctx, run->items[i], word_idx);

		run->keys[i] = word;
		words.differing |= word ^ words.middle;
		words.middle_nr += word == words.middle;
	}
	return words;
}

/* Words become keys.  Of words that differ in more bits than there is room for
 * the uppermost are there: what these leave equal is a run of its own. */
static void make_keys(struct run *run, struct words *words)
{
	unsigned top_bit = bits_of(words->differing);
	unsigned low_bit = (unsigned)__builtin_ctzll(words->differing);
	uint64_t mask = mask_of(top_bit);

	run->place_bit = bits_of(run->nr - 1);
	if (top_bit - low_bit > 64 - run->place_bit)
		low_bit = top_bit - (64 - run->place_bit);
	words->low_bit = low_bit;
	for (uint32_t i = 0; i < run->nr; i++)
		run->keys[i] =
			(run->keys[i] & mask) >> low_bit << run->place_bit | i;
	words->middle = (words->middle & mask) >> low_bit;
	words->differing = words->differing >> low_bit << run->place_bit;
}

/* One pass by the digit at shift; equal ones keep their order. */
static void sort_by_digit(struct run *run, unsigned shift, unsigned digit_bit)
{
	uint32_t at[1u << LONG_BIT];
	uint64_t *from = run->keys, *to = run->spare;
	uint32_t digits_nr = 1u << digit_bit, end = 0;
	uint64_t mask = digits_nr - 1;

	memset(at, 0, digits_nr * sizeof(*at));
	for (uint32_t i = 0; i < run->nr; i++)
		at[from[i] >> shift & mask]++;
	for (uint32_t digit = 0; digit < digits_nr; digit++) {
		uint32_t digit_nr = at[digit];

		at[digit] = end;
		end += digit_nr;
	}
	for (uint32_t i = 0; i < run->nr; i++)
		to[at[from[i] >> shift & mask]++] = from[i];
	run->keys = to;
	run->spare = from;
}

static void sort_keys(struct run *run, uint64_t differing)
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
	uint64_t middle = words->middle << run->place_bit;
	uint64_t places = mask_of(run->place_bit);
	uint32_t at = 0, low_nr = 0, nr, middle_nr;
	struct run others;

	for (uint32_t i = 0; i < run->nr; i++) {
		uint64_t key = run->keys[i];

		low_nr += key < middle;
		if ((key & ~places) == middle)
			run->keys[at++] = key;
		else
			run->spare[i - at] = key;
	}
	middle_nr = at;
	nr = run->nr - middle_nr;
	others = (struct run){ .keys = run->spare,
			       .spare = run->keys + middle_nr,
			       .nr = nr };
	sort_keys(&others, words->differing);
	if (others.keys != run->spare)
		memcpy(run->spare, others.keys, nr * sizeof(*run->spare));
	memmove(run->keys + low_nr, run->keys, middle_nr * sizeof(*run->keys));
	memcpy(run->keys, run->spare, low_nr * sizeof(*run->keys));
	memcpy(run->keys + low_nr + middle_nr, run->spare + low_nr,
	       (nr - low_nr) * sizeof(*run->keys));
}

/* Brings the items into the order of the keys. */
static void place_items(struct run *run)
{
	uint32_t *items = (uint32_t *)(void *)run->spare;
	uint64_t places = mask_of(run->place_bit);

	memcpy(items, run->items, run->nr * sizeof(*items));
	for (uint32_t i = 0; i < run->nr; i++)
		run->items[i] = items[run->keys[i] & places];
}

static void sort_run(const struct rpt_radix_sort *sort, struct run run,
		     unsigned word_idx);

/* What has equal keys goes on with the word at word_idx, each with the room
 * beside itself. */
static void sort_equals(const struct rpt_radix_sort *sort,
			const struct run *run, unsigned word_idx)
{
	uint32_t start = 0;

	while (start < run->nr) {
		uint64_t word = run->keys[start] >> run->place_bit;
		uint32_t end = start + 1;

		while (end < run->nr &&
		       run->keys[end] >> run->place_bit == word)
			end++;
		sort_run(sort,
			 (struct run){ .items = run->items + start,
				       .keys = run->keys + start,
				       .spare = run->spare + start,
				       .nr = end - start },
			 word_idx);
		start = end;
	}
}

/* By whole words, which are where the keys would be. */
static void sort_short(struct run *run)
{
	for (uint32_t i = 1; i < run->nr; i++) {
		uint64_t word = run->keys[i];
		uint32_t item = run->items[i];
		uint32_t at = i;

		for (; at > 0 && run->keys[at - 1] > word; at--) {
			run->keys[at] = run->keys[at - 1];
			run->items[at] = run->items[at - 1];
		}
		run->keys[at] = word;
		run->items[at] = item;
	}
}

/* False: the keys have a part of the words. */
static bool sort_long(struct run *run, struct words *words)
{
	unsigned whole_bit = (unsigned)__builtin_ctzll(words->differing);

	make_keys(run, words);
	if (words->middle_nr > run->nr / 4 * 3)
		sort_others(run, words);
	else
		sort_keys(run, words->differing);
	place_items(run);
	return words->low_bit == whole_bit;
}

static void sort_run(const struct rpt_radix_sort *sort, struct run run,
		     unsigned word_idx)
{
	struct words words = { 0 };

	if (run.nr < 2)
		return;
	while (word_idx < sort->word_nr && !words.differing)
		words = fill(sort, &run, word_idx++);
	if (!words.differing) {
		qsort_r(run.items, run.nr, sizeof(*run.items), sort->compare,
			sort->ctx);
		return;
	}
	if (run.nr <= SHORT_RUN)
		sort_short(&run);
	else if (!sort_long(&run, &words))
		word_idx--;
	sort_equals(sort, &run, word_idx);
}

int rpt_radix_sort(const struct rpt_radix_sort *sort, uint32_t *items,
		   uint32_t nr)
{
	struct run run = {
		.items = items,
		.keys = reallocarray(NULL, (size_t)nr + 1,
				     2 * sizeof(*run.keys)),
		.nr = nr,
	};
	uint64_t *keys = run.keys;

	if (!keys)
		return -ENOMEM;
	run.spare = keys + nr;
	sort_run(sort, run, 0);
	free(keys);
	return 0;
}
