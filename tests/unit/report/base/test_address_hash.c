#include "report/base/address_hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ADDRESSES_NR 20000u

static uint32_t scope_of(uint32_t i)
{
	return i % 2 << (i % 32);
}

static void test_address_hash__finds_what_was_added(void **state)
{
	struct rpt_address_hash table = { 0 };

	(void)state;
	for (uint32_t i = 0; i < ADDRESSES_NR; i++) {
		assert_int_equal(
			rpt_address_hash_find(&table, i / 2, scope_of(i)), -1);
		rpt_address_hash_add(&table, i / 2, scope_of(i), i);
	}
	assert_int_equal(table.nr, ADDRESSES_NR);
	for (uint32_t i = 0; i < ADDRESSES_NR; i++)
		assert_int_equal(
			rpt_address_hash_find(&table, i / 2, scope_of(i)), i);
	rpt_address_hash_release(&table);
}

static void test_address_hash__each_part_tells_apart(void **state)
{
	struct rpt_address_hash table = { 0 };

	(void)state;
	rpt_address_hash_add(&table, 0, 0, 7);
	assert_int_equal(rpt_address_hash_find(&table, 0, 0), 7);
	assert_int_equal(rpt_address_hash_find(&table, 1, 0), -1);
	assert_int_equal(rpt_address_hash_find(&table, 0, 1), -1);
	rpt_address_hash_release(&table);
}

/* Addresses that a multiplier known to all puts into few places, and those that
 * differ in their upper bits. */
static void test_address_hash__no_file_knows_its_places(void **state)
{
	const uint64_t inverse = UINT64_C(0xf1de83e19937733d);
	struct rpt_address_hash table = { .slots_nr = 4096 };
	uint8_t is_taken[2][4096] = { 0 };
	uint32_t taken_nr[2] = { 0 };

	(void)state;
	assert_true(inverse * UINT64_C(0x9e3779b97f4a7c15) == 1);
	for (uint64_t i = 0; i < 1000; i++) {
		const uint64_t made[] = { i * inverse, i << 44 };

		for (size_t k = 0; k < 2; k++) {
			uint32_t at = rpt_address_hash_at(&table, made[k], 0);

			taken_nr[k] += !is_taken[k][at];
			is_taken[k][at] = 1;
		}
	}
	assert_in_range(taken_nr[0], 500, 1000);
	assert_in_range(taken_nr[1], 500, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_address_hash__finds_what_was_added),
		cmocka_unit_test(test_address_hash__each_part_tells_apart),
		cmocka_unit_test(test_address_hash__no_file_knows_its_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
