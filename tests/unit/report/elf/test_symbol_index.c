#include "report/elf/symbol_index.h"

#include "report/elf/symbol_overlap.h"
#include "report/elf/symbol_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define SYMS_NR 300u

static int by_start(const void *a, const void *b)
{
	const struct rpt_symbol *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void check_at(const struct rpt_symbol_index *index,
		     const struct rpt_symbol *syms, size_t nr, uint64_t addr)
{
	size_t want = 0;

	while (want < nr && syms[want].start <= addr)
		want++;
	assert_int_equal(rpt_symbol_index_find(index, syms, nr, addr), want);
}

/* At each start, and on both sides of it. */
static void check_all(struct rpt_symbol *syms, size_t nr)
{
	struct rpt_symbol_index index = { 0 };

	qsort(syms, nr, sizeof(*syms), by_start);
	assert_int_equal(rpt_symbol_index_make(&index, syms, nr), 0);
	assert_true(!index.at == (nr < 64));
	for (size_t i = 0; i < nr; i++) {
		check_at(&index, syms, nr, syms[i].start);
		check_at(&index, syms, nr, syms[i].start + 1);
		check_at(&index, syms, nr, syms[i].start - 1);
	}
	check_at(&index, syms, nr, 0);
	check_at(&index, syms, nr, UINT64_MAX);
	rpt_symbol_index_release(&index);
}

static void test_symbol_index__counts_what_starts_before(void **state)
{
	static const uint64_t masks[] = { 0, 0xff, 0xffff, 0xf00000f,
					  UINT64_MAX };
	struct rpt_symbol syms[SYMS_NR] = { 0 };
	uint64_t word = 88172645463325252u;

	(void)state;
	for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++) {
		for (size_t i = 0; i < SYMS_NR; i++) {
			word ^= word << 13;
			word ^= word >> 7;
			word ^= word << 17;
			syms[i].start = word & masks[m];
		}
		check_all(syms, SYMS_NR);
		check_all(syms, 63);
		check_all(syms, 64);
		check_all(syms, 1);
	}
	syms[0].start = 0;
	syms[1].start = UINT64_MAX;
	check_all(syms, 64);
}

/* Symbols that reach into each other are found by a tree, of which the others
 * do not depend. */
static void test_symbol_index__shortcuts_answer_as_the_tree(void **state)
{
	struct rpt_symbol_table table;
	uint32_t alone_nr = 0;

	(void)state;
	rpt_symbol_table_init(&table, true);
	for (uint32_t i = 0; i < SYMS_NR; i++) {
		uint32_t word = i * 2654435761u;
		struct rpt_symbol sym = { .name = "f",
					  .start = word >> 8 & 0xfff,
					  .binding = word >> 5 & 1 };

		sym.end = sym.start + (word >> 24 & 0xf);
		assert_int_equal(rpt_symbol_table_add(&table, &sym), 0);
		if (i == SYMS_NR / 2)
			assert_int_equal(
				rpt_symbol_table_settle(&table, RPT_ENDS_ELF),
				0);
	}
	assert_int_equal(rpt_symbol_table_index(&table), 0);
	assert_non_null(table.overlap);
	for (size_t i = 0; i < table.nr; i++)
		alone_nr += table.syms[i].is_alone;
	assert_in_range(alone_nr, 20, SYMS_NR - 20);
	for (uint64_t addr = 0; addr < 0x1020; addr++) {
		struct rpt_addr_range all = RPT_RANGE_ALL, range = all;
		const struct rpt_symbol *sym =
			rpt_symbol_table_find_range(&table, addr, &range);

		assert_ptr_equal(sym,
				 rpt_symbol_overlap_find(&table, addr, &all));
		for (uint64_t near = range.first;
		     near <= range.last && near < 0x1020; near++)
			assert_ptr_equal(sym, rpt_symbol_overlap_find(
						      &table, near, &all));
	}
	rpt_symbol_table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbol_index__counts_what_starts_before),
		cmocka_unit_test(
			test_symbol_index__shortcuts_answer_as_the_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
