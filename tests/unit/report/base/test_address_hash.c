#include "report/base/address_hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ADDRESSES_NR 20000u

static struct rpt_address address(uint32_t i)
{
	return (struct rpt_address){ .ip = i / 2, .scope = i % 2 << (i % 32) };
}

static void test_address_table__finds_what_was_put(void **state)
{
	struct rpt_address_hash table = { 0 };

	(void)state;
	for (uint32_t i = 0; i < ADDRESSES_NR; i++) {
		struct rpt_address want = address(i), *slot;

		rpt_address_hash_reserve(&table);
		slot = rpt_address_hash_slot(&table, &want);
		assert_int_equal(slot->answer, 0);
		rpt_address_hash_put(&table, slot, &want, i);
	}
	assert_int_equal(table.nr, ADDRESSES_NR);
	for (uint32_t i = 0; i < ADDRESSES_NR; i++) {
		struct rpt_address want = address(i);

		assert_int_equal(rpt_address_hash_slot(&table, &want)->answer,
				 i + 1);
	}
	rpt_address_hash_release(&table);
}

static void test_address_table__each_part_tells_apart(void **state)
{
	static const struct rpt_address others[] = {
		{ .ip = 1 },
		{ .scope = 1 },
	};
	struct rpt_address_hash table = { 0 };
	struct rpt_address none = { 0 };

	(void)state;
	rpt_address_hash_reserve(&table);
	rpt_address_hash_put(&table, rpt_address_hash_slot(&table, &none),
			     &none, 7);
	assert_int_equal(rpt_address_hash_slot(&table, &none)->answer, 8);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			rpt_address_hash_slot(&table, &others[i])->answer, 0);
	rpt_address_hash_release(&table);
}

/* Addresses that a multiplier known to all puts into few places, and those that
 * differ in their upper bits. */
static void test_address_table__no_file_knows_its_places(void **state)
{
	const uint64_t inverse = UINT64_C(0xf1de83e19937733d);
	struct rpt_address_hash table = { .slots_nr = 4096 };
	uint8_t is_taken[2][4096] = { 0 };
	uint32_t taken_nr[2] = { 0 };

	(void)state;
	assert_true(inverse * UINT64_C(0x9e3779b97f4a7c15) == 1);
	for (uint64_t i = 0; i < 1000; i++) {
		const struct rpt_address made[] = { { .ip = i * inverse },
						    { .ip = i << 44 } };

		for (size_t k = 0; k < 2; k++) {
			uint32_t at = rpt_address_hash_at(&table, &made[k]);

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
		cmocka_unit_test(test_address_table__finds_what_was_put),
		cmocka_unit_test(test_address_table__each_part_tells_apart),
		cmocka_unit_test(test_address_table__no_file_knows_its_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
