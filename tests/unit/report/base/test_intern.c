#include "report/base/intern.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

#define KEYS_NR 5000u

static void fill(struct rpt_intern *table, uint32_t first, uint32_t nr)
{
	*table = (struct rpt_intern){ .is_bytes = true };
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t key = first + i;

		assert_int_equal(rpt_intern(table, &key, sizeof(key)), i);
	}
}

static void test_intern__numbers_equal_keys_alike(void **state)
{
	struct rpt_intern table = { 0 };

	(void)state;
	assert_int_equal(rpt_intern_find(&table, "main", 4), -1);
	assert_int_equal(rpt_intern(&table, "main", 4), 0);
	assert_int_equal(rpt_intern(&table, "malloc", 6), 1);
	assert_int_equal(rpt_intern(&table, "main", 4), 0);
	assert_int_equal(rpt_intern(&table, "", 0), 2);
	assert_int_equal(rpt_intern_find(&table, "malloc", 6), 1);
	assert_int_equal(rpt_intern_find(&table, "malloc", 5), -1);
	assert_string_equal(rpt_intern_key(&table, 1), "malloc");
	rpt_intern_release(&table);
}

/* Keys of a table that is released afterwards, of which half were known, or
 * most. */
static void check_shared(uint32_t known_nr)
{
	struct rpt_intern table, other;
	uint32_t first;

	fill(&table, 0, KEYS_NR);
	fill(&other, KEYS_NR - known_nr, KEYS_NR);
	first = table.nr;
	for (uint32_t i = 0; i < other.nr; i++)
		assert_int_equal(rpt_intern_share(&table, &other.entries[i]),
				 KEYS_NR - known_nr + i);
	rpt_intern_own(&table, &other, first);
	rpt_intern_release(&other);
	assert_int_equal(table.nr, 2 * KEYS_NR - known_nr);
	for (uint32_t i = 0; i < table.nr; i++) {
		assert_memory_equal(rpt_intern_key(&table, i), &i, sizeof(i));
		assert_int_equal(rpt_intern_find(&table, &i, sizeof(i)), i);
	}
	rpt_intern_release(&table);
}

static void test_intern__owns_what_was_shared(void **state)
{
	(void)state;
	check_shared(0);
	check_shared(KEYS_NR / 4);
	check_shared(KEYS_NR - 10);
	check_shared(KEYS_NR);
}

/* XXH3 multiplies 8 bytes of the key by 8 others: where it is known with what
 * they are mixed first, one product can be made 0 whatever the others are. */
static void test_intern__no_file_knows_its_hashes(void **state)
{
	static const uint8_t zero[] = { 0xb8, 0xfe, 0x6c, 0x39,
					0x23, 0xa4, 0x4b, 0xbe };
	struct rpt_intern table = { .is_bytes = true };
	uint8_t key[32] = { 0 };
	uint64_t usual;

	(void)state;
	memcpy(key, zero, sizeof(zero));
	usual = XXH3_64bits(key, sizeof(key));
	for (uint32_t i = 0; i < 100; i++) {
		key[8] = (uint8_t)i;
		assert_true(XXH3_64bits(key, sizeof(key)) == usual);
		assert_int_equal(rpt_intern(&table, key, sizeof(key)), i);
		assert_true(!i ||
			    table.entries[i].mark != table.entries[0].mark);
	}
	rpt_intern_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intern__numbers_equal_keys_alike),
		cmocka_unit_test(test_intern__owns_what_was_shared),
		cmocka_unit_test(test_intern__no_file_knows_its_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
