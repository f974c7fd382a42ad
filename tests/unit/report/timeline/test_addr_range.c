#include "report/base/addr_range.h"

#include "report/timeline/address_space.h"
#include "report/elf/symbol_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define ADDRS_NR 0x400u

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return *state >> 33;
}

/* Addr is in the range, and all that are have the same answer; answers[] is
 * asked for each address alone. */
static void check_range(const struct rpt_addr_range *range, uint64_t addr,
			const uint64_t answers[ADDRS_NR])
{
	assert_in_range(addr, range->first, range->last);
	for (uint64_t at = range->first; at <= range->last && at < ADDRS_NR;
	     at++)
		assert_int_equal(answers[at], answers[addr]);
}

static uint64_t answer_of_space(const struct rpt_address_space *space,
				uint64_t addr, struct rpt_addr_range *range)
{
	struct rpt_timestamp end = { UINT64_MAX, UINT64_MAX };
	struct rpt_map map;

	if (!rpt_address_space_find_range(space, addr, end, &map, range))
		return 0;
	return map.pgoff;
}

static void test_addr_range__of_a_space(void **state)
{
	struct rpt_address_space spaces[2] = { { 0 } };
	struct rpt_dso *some_dso = (struct rpt_dso *)0x1000;
	uint64_t answers[ADDRS_NR], random = 1;
	struct rpt_timestamp when = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 200; i++) {
		uint64_t start = next_random(&random) % ADDRS_NR;
		uint64_t len = next_random(&random) % (i % 2 ? 64 : 8);
		struct rpt_map map = { .start = start,
				       .end = start + len,
				       .pgoff = i + 1,
				       .dso = i % 7 ? some_dso : NULL };

		if (i == 100)
			rpt_address_space_fork(&spaces[1], &spaces[0], 7, when);
		when.time_ns = i;
		rpt_address_space_add(&spaces[i >= 100], when, &map);
	}
	for (uint64_t addr = 0; addr < ADDRS_NR; addr++) {
		struct rpt_addr_range range = RPT_RANGE_ALL;

		answers[addr] = answer_of_space(&spaces[1], addr, &range);
	}
	for (uint64_t addr = 0; addr < ADDRS_NR; addr++) {
		struct rpt_addr_range range = RPT_RANGE_ALL;

		answer_of_space(&spaces[1], addr, &range);
		check_range(&range, addr, answers);
	}
	rpt_address_space_release(&spaces[0]);
	rpt_address_space_release(&spaces[1]);
}

static void add_symbol(struct rpt_symbol_table *table, uint64_t start,
		       uint64_t len)
{
	struct rpt_symbol sym = { .start = start,
				  .end = start + len,
				  .name = "f",
				  .binding = STB_GLOBAL,
				  .type = STT_FUNC };

	rpt_symbol_table_add(table, &sym);
}

static uint64_t answer_of_table(struct rpt_symbol_table *table, uint64_t addr,
				struct rpt_addr_range *range)
{
	const struct rpt_symbol *sym =
		rpt_symbol_table_find_range(table, addr, range);

	return sym ? sym->start + 1 : 0;
}

/* Every table has gaps; with long symbols they overlap. */
static void check_table(uint64_t len_max)
{
	struct rpt_symbol_table table;
	uint64_t answers[ADDRS_NR], random = len_max;

	rpt_symbol_table_init(&table, true);
	for (uint64_t at = 16; at < ADDRS_NR - 64;
	     at += 1 + next_random(&random) % 16)
		add_symbol(&table, at,
			   len_max ? next_random(&random) % len_max : 1);
	rpt_symbol_table_fix_up(&table, RPT_ENDS_ELF);
	rpt_symbol_table_index(&table);
	for (uint64_t addr = 0; addr < ADDRS_NR; addr++) {
		struct rpt_addr_range range = RPT_RANGE_ALL;

		answers[addr] = answer_of_table(&table, addr, &range);
	}
	for (uint64_t addr = 0; addr < ADDRS_NR; addr++) {
		struct rpt_addr_range range = RPT_RANGE_ALL;

		answer_of_table(&table, addr, &range);
		check_range(&range, addr, answers);
	}
	rpt_symbol_table_release(&table);
}

static void test_addr_range__of_symbols(void **state)
{
	(void)state;
	check_table(0);
	check_table(2);
	check_table(40);
	check_table(200);
}

static void test_addr_range__holds_for_many_addresses(void **state)
{
	struct rpt_addr_range range = RPT_RANGE_ALL;
	struct rpt_symbol_table table;

	(void)state;
	rpt_symbol_table_init(&table, true);
	add_symbol(&table, 0x100, 0x20);
	add_symbol(&table, 0x180, 0x20);
	rpt_symbol_table_fix_up(&table, RPT_ENDS_ELF);
	rpt_symbol_table_index(&table);
	assert_int_equal(answer_of_table(&table, 0x11f, &range), 0x101);
	assert_int_equal(range.first, 0x100);
	assert_int_equal(range.last, 0x11f);
	range = RPT_RANGE_ALL;
	assert_int_equal(answer_of_table(&table, 0x150, &range), 0);
	assert_int_equal(range.first, 0x120);
	assert_int_equal(range.last, 0x17f);
	range = RPT_RANGE_ALL;
	assert_int_equal(answer_of_table(&table, UINT64_MAX, &range), 0);
	assert_int_equal(range.last, UINT64_MAX);
	rpt_symbol_table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addr_range__of_a_space),
		cmocka_unit_test(test_addr_range__of_symbols),
		cmocka_unit_test(test_addr_range__holds_for_many_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
