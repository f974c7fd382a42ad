#include "report/address_table.h"

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
	struct rpt_address_table table = { 0 };

	(void)state;
	for (uint32_t i = 0; i < ADDRESSES_NR; i++) {
		struct rpt_address want = address(i), *slot;

		rpt_address_table_prefetch(&table, &want);
		assert_int_equal(rpt_address_table_reserve(&table), 0);
		slot = rpt_address_table_slot(&table, &want);
		assert_int_equal(slot->answer, 0);
		rpt_address_table_put(&table, slot, &want, i);
	}
	assert_int_equal(table.nr, ADDRESSES_NR);
	for (uint32_t i = 0; i < ADDRESSES_NR; i++) {
		struct rpt_address want = address(i);

		assert_int_equal(rpt_address_table_slot(&table, &want)->answer,
				 i + 1);
	}
	rpt_address_table_release(&table);
}

static void test_address_table__each_part_tells_apart(void **state)
{
	static const struct rpt_address others[] = {
		{ .ip = 1 },
		{ .scope = 1 },
	};
	struct rpt_address_table table = { 0 };
	struct rpt_address none = { 0 };

	(void)state;
	assert_int_equal(rpt_address_table_reserve(&table), 0);
	rpt_address_table_put(&table, rpt_address_table_slot(&table, &none),
			      &none, 7);
	assert_int_equal(rpt_address_table_slot(&table, &none)->answer, 8);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			rpt_address_table_slot(&table, &others[i])->answer, 0);
	rpt_address_table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_address_table__finds_what_was_put),
		cmocka_unit_test(test_address_table__each_part_tells_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
