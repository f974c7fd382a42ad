#include "report/base/radix_sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define ITEMS_NR 5000u
#define WORDS_NR 3

struct item {
	uint64_t words[WORDS_NR];
	uint32_t last; /* told apart by compare() alone */
};

static uint64_t word_of(const void *ctx, uint32_t item, unsigned word_idx)
{
	const struct item *items = ctx;

	return items[item].words[word_idx];
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct item *items = ctx;
	const struct item *x = &items[*(const uint32_t *)a];
	const struct item *y = &items[*(const uint32_t *)b];

	for (int i = 0; i < WORDS_NR; i++)
		if (x->words[i] != y->words[i])
			return x->words[i] < y->words[i] ? -1 : 1;
	return (x->last > y->last) - (x->last < y->last);
}

/* mask: of the words' random bits; alike_nr of eight items have the first word
 * in common, with others below and above it. */
static void check_alike(uint64_t mask, uint32_t nr, uint32_t alike_nr)
{
	struct item *items = calloc(nr + 1, sizeof(*items));
	uint32_t *got = calloc(nr + 1, sizeof(*got));
	uint32_t *want = calloc(nr + 1, sizeof(*want));
	struct rpt_radix_sort sort = { word_of, WORDS_NR, compare, items };
	uint64_t state = 1;

	assert_true(items && got && want);
	for (uint32_t i = 0; i < nr; i++) {
		for (int k = 0; k < WORDS_NR; k++) {
			state = state * UINT64_C(6364136223846793005) + 1;
			items[i].words[k] = (state ^ state >> 29) & mask;
		}
		if (i % 8 < alike_nr)
			items[i].words[0] = UINT64_C(1) << 40;
		items[i].last = nr - i;
		got[i] = want[i] = i;
	}
	qsort_r(want, nr, sizeof(*want), compare, items);
	rpt_radix_sort(&sort, got, nr);
	assert_memory_equal(got, want, nr * sizeof(*got));
	free(items);
	free(got);
	free(want);
}

static void check(uint64_t mask, uint32_t nr)
{
	check_alike(mask, nr, 0);
}

static void test_word_sort__agrees_with_comparison(void **state)
{
	(void)state;
	check(UINT64_MAX, ITEMS_NR);
	check(UINT64_C(0xff00000000000001), ITEMS_NR);
	check(3, ITEMS_NR); /* long runs of equal words */
	check(0, ITEMS_NR); /* compare() alone decides */
	check(UINT64_C(0xc000000000000fff), ITEMS_NR); /* a part is equal */
}

static void test_word_sort__most_have_the_same_word(void **state)
{
	(void)state;
	for (uint32_t nr = 17; nr < ITEMS_NR * 4; nr = nr * 2 + 1) {
		check_alike(UINT64_MAX, nr, 7);
		check_alike(UINT64_C(1) << 41 | 1, nr, 7); /* odd passes */
		check_alike(7, nr, 7);			   /* all below */
		check_alike(UINT64_MAX, nr, 8);
	}
}

static void test_word_sort__few_items(void **state)
{
	(void)state;
	for (uint32_t nr = 0; nr < 40; nr++)
		check(1, nr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_word_sort__agrees_with_comparison),
		cmocka_unit_test(test_word_sort__most_have_the_same_word),
		cmocka_unit_test(test_word_sort__few_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
