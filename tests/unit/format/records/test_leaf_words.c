#include "format/records/leaf_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FIELDS_LEN = 16 };

/* A sample of 16 bytes of header and fields, and what stands behind them. */
struct fixture {
	uint8_t bytes[FIELDS_LEN + 8 * (PD_LEAF_WORDS_NR + 2)];
	struct pd_record rec;
	struct pd_sample sample;
};

static void put(struct fixture *f, const uint64_t *words, size_t nr)
{
	memset(f, 0, sizeof(*f));
	memcpy(f->bytes + FIELDS_LEN, words, nr * sizeof(*words));
	f->rec.data = f->bytes;
	f->rec.len = (uint16_t)(FIELDS_LEN + nr * sizeof(*words));
	f->sample.fields_len = FIELDS_LEN;
}

static void test_leaf_words__are_found_by_offset(void **state)
{
	const uint64_t packed[] = { pd_leaf_word(8, 0x7f0000001234),
				    pd_leaf_word(56, 0x401000) };
	struct pd_u64s words;
	struct fixture f;

	(void)state;
	put(&f, packed, 2);
	words = pd_leaf_words(&f.rec, &f.sample);
	assert_int_equal(words.nr, 2);
	assert_int_equal(pd_leaf_words_find(&words, 8), 0x7f0000001234);
	assert_int_equal(pd_leaf_words_find(&words, 56), 0x401000);
	assert_int_equal(pd_leaf_words_find(&words, 0), 0);
	assert_int_equal(pd_leaf_words_find(&words, 9), 0);
	assert_int_equal(pd_leaf_words_find(&words, UINT64_MAX - 7), 0);
}

static void test_leaf_words__in_the_other_byte_order(void **state)
{
	const uint64_t packed[] = { __builtin_bswap64(
		pd_leaf_word(16, 0x401000)) };
	struct pd_u64s words;
	struct fixture f;

	(void)state;
	put(&f, packed, 1);
	f.rec.swap = true;
	words = pd_leaf_words(&f.rec, &f.sample);
	assert_int_equal(pd_leaf_words_find(&words, 16), 0x401000);
}

/* Whatever else stands there is not taken for words. */
static void test_leaf_words__others_are_none(void **state)
{
	const uint64_t good = pd_leaf_word(0, 0x401000);
	const uint64_t twice[] = { good, good };
	const uint64_t beyond[] = { good + (UINT64_C(8) << 48) };
	const uint64_t unmarked[] = { good, 0x401000 };
	uint64_t many[PD_LEAF_WORDS_NR + 1];
	struct fixture f;

	(void)state;
	put(&f, twice, 2);
	assert_int_equal(pd_leaf_words(&f.rec, &f.sample).nr, 0);
	put(&f, beyond, 1);
	assert_int_equal(pd_leaf_words(&f.rec, &f.sample).nr, 0);
	put(&f, unmarked, 2);
	assert_int_equal(pd_leaf_words(&f.rec, &f.sample).nr, 0);
	put(&f, unmarked, 1);
	assert_int_equal(pd_leaf_words(&f.rec, &f.sample).nr, 1);
	f.rec.len += 4;
	assert_int_equal(pd_leaf_words(&f.rec, &f.sample).nr, 0);
	for (unsigned i = 0; i <= PD_LEAF_WORDS_NR; i++)
		many[i] = pd_leaf_word(i * 8, 0x401000);
	put(&f, many, PD_LEAF_WORDS_NR + 1);
	assert_int_equal(pd_leaf_words(&f.rec, &f.sample).nr, 0);
	put(&f, many, PD_LEAF_WORDS_NR);
	assert_int_equal(pd_leaf_words(&f.rec, &f.sample).nr, PD_LEAF_WORDS_NR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaf_words__are_found_by_offset),
		cmocka_unit_test(test_leaf_words__in_the_other_byte_order),
		cmocka_unit_test(test_leaf_words__others_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
