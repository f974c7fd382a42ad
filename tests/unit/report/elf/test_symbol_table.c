/* Which of several symbols holds an address. */
#include "report/elf/symbol_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <elf.h>

#define SYMS_NR	 300u
#define ADDRS_NR 0x1020u

static bool is_label(const struct rpt_symbol *sym)
{
	return sym->type == STT_NOTYPE && sym->binding == STB_LOCAL;
}

/* The rules of symbol_table.h, word by word; the table has those that start at
 * one address in the order in which they were added. */
static const struct rpt_symbol *look_for(const struct rpt_symbol_table *table,
					 uint64_t addr)
{
	const struct rpt_symbol *found = NULL;

	for (size_t i = 0; i < table->nr; i++) {
		const struct rpt_symbol *sym = &table->syms[i];
		bool holds = addr == sym->start ||
			     (addr > sym->start && addr < sym->end);

		if (!holds || (found && is_label(sym) && !is_label(found)))
			continue;
		if (!found || (is_label(found) && !is_label(sym)) ||
		    sym->start >= found->start)
			found = sym;
	}
	return found;
}

static void fill(struct rpt_symbol_table *table, uint32_t start_mask,
		 uint32_t len_mask)
{
	static const uint8_t types[] = { STT_FUNC, STT_NOTYPE, STT_OBJECT };

	rpt_symbol_table_init(table, true);
	for (uint32_t i = 0; i < SYMS_NR; i++) {
		uint32_t word = i * 2654435761u;
		struct rpt_symbol sym = { .name = "f",
					  .start = word >> 8 & start_mask,
					  .binding = word >> 5 & 1,
					  .type = types[(word >> 12) % 3] };

		sym.end = sym.start + (word >> 20 & len_mask);
		rpt_symbol_table_add(table, &sym);
		if (i == SYMS_NR / 2)
			rpt_symbol_table_fix_up(table, RPT_ENDS_ELF);
	}
	rpt_symbol_table_index(table);
}

static void test_symbol_table__the_one_that_starts_last(void **state)
{
	static const uint32_t masks[][2] = {
		{ 0xfff, 0xf }, { 0xfff, 0x3ff }, { 0x7f, 0xff }, { 0xf, 0 }
	};

	(void)state;
	for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++) {
		struct rpt_symbol_table table;

		fill(&table, masks[m][0], masks[m][1]);
		for (uint64_t addr = 0; addr < ADDRS_NR; addr++) {
			struct rpt_addr_range range = RPT_RANGE_ALL;
			const struct rpt_symbol *sym =
				rpt_symbol_table_find_range(&table, addr,
							    &range);

			assert_ptr_equal(sym, look_for(&table, addr));
			assert_true(range.first <= addr && addr <= range.last);
			assert_ptr_equal(sym, look_for(&table, range.first));
			assert_ptr_equal(sym, look_for(&table, range.last));
		}
		rpt_symbol_table_release(&table);
	}
}

/* Builtins_JSConstructStubGeneric of node, and what lies in it. */
static void test_symbol_table__labels_are_parts_of_functions(void **state)
{
	static const struct rpt_symbol syms[] = {
		{ .name = "code", .start = 0 },
		{ .name = "stub", .start = 16, .end = 40, .type = STT_FUNC },
		{ .name = "create", .start = 20, .end = 20 },
		{ .name = "entry",
		  .start = 24,
		  .end = 24,
		  .binding = STB_GLOBAL },
		{ .name = "invoke", .start = 32, .end = 32 },
		{ .name = "next", .start = 48, .end = 64, .type = STT_FUNC },
	};
	static const struct {
		uint64_t addr;
		const char *name;
	} answers[] = {
		{ 0, "code" },	 { 16, "stub" },   { 20, "stub" },
		{ 24, "entry" }, { 31, "entry" },  { 32, "stub" },
		{ 39, "stub" },	 { 40, "invoke" }, { 48, "next" },
	};
	struct rpt_symbol_table table;

	(void)state;
	rpt_symbol_table_init(&table, true);
	for (size_t i = 0; i < sizeof(syms) / sizeof(syms[0]); i++)
		rpt_symbol_table_add(&table, &syms[i]);
	rpt_symbol_table_fix_up(&table, RPT_ENDS_ELF);
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		assert_string_equal(
			rpt_symbol_table_find(&table, answers[i].addr)->name,
			answers[i].name);
	rpt_symbol_table_release(&table);
}

/* Memory that a compiler used again, as lines of its map have it. */
static void test_symbol_table__functions_of_a_perf_map(void **state)
{
	static const struct rpt_symbol syms[] = {
		{ .name = "a_longer_name", .start = 16, .end = 48 },
		{ .name = "later", .start = 16, .end = 32 },
		{ .name = "outer", .start = 64, .end = 128 },
		{ .name = "inner", .start = 80, .end = 96 },
		{ .name = "no size", .start = 80, .end = 80 },
		{ .name = "gives way", .start = 200, .end = 200 },
		{ .name = "no size", .start = 200, .end = 200 },
		{ .name = "last", .start = 300, .end = 301 },
	};
	static const struct {
		uint64_t addr;
		const char *name;
	} answers[] = {
		{ 16, "later" }, { 32, "a_longer_name" }, { 48, NULL },
		{ 64, "outer" }, { 80, "inner" },	  { 96, "outer" },
		{ 128, NULL },	 { 200, "no size" },	  { 299, "no size" },
		{ 300, "last" }, { 301, NULL },
	};
	struct rpt_symbol_table table;

	(void)state;
	rpt_symbol_table_init(&table, true);
	for (size_t i = 0; i < sizeof(syms) / sizeof(syms[0]); i++) {
		struct rpt_symbol sym = syms[i];

		sym.type = STT_FUNC;
		rpt_symbol_table_add(&table, &sym);
	}
	rpt_symbol_table_fix_up(&table, RPT_ENDS_PERF_MAP);
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		const struct rpt_symbol *sym =
			rpt_symbol_table_find(&table, answers[i].addr);

		assert_string_equal(sym ? sym->name : "",
				    answers[i].name ? answers[i].name : "");
	}
	rpt_symbol_table_release(&table);
}

/* Numbers stand in for names: "1" was added before "2". */
static void test_symbol_table__order_of_adding(void **state)
{
	static const struct rpt_symbol added[][4] = {
		{ { .name = "1", .start = 8 },
		  { .name = "2", .start = 8 },
		  { .name = "3", .start = 20 },
		  { .name = "4", .start = 30 } },
		{ { .name = "5", .start = 30 },
		  { .name = "6", .start = 2 },
		  { .name = "7", .start = 8 },
		  { .name = "8", .start = 2 } },
		{ { .name = "9", .start = 30 },
		  { .name = "a", .start = 40 },
		  { .name = "b", .start = 1 },
		  { .name = "c", .start = 40 } },
	};
	struct rpt_symbol_table table;
	char names[13] = "";

	(void)state;
	rpt_symbol_table_init(&table, true);
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 4; k++)
			rpt_symbol_table_add(&table, &added[i][k]);
		rpt_symbol_table_index(&table);
	}
	for (size_t i = 0; i < table.nr; i++)
		names[i] = table.syms[i].name[0];
	assert_string_equal(names, "b681273459ac");
	rpt_symbol_table_release(&table);
}

static void test_symbol_table__at_the_last_address(void **state)
{
	static const struct rpt_symbol syms[] = {
		{ .name = "long", .start = 16, .end = UINT64_MAX },
		{ .name = "wraps", .start = UINT64_MAX - 1, .end = 3 },
		{ .name = "last", .start = UINT64_MAX, .end = UINT64_MAX },
	};
	struct rpt_symbol_table table;

	(void)state;
	rpt_symbol_table_init(&table, true);
	rpt_symbol_table_index(&table);
	assert_null(rpt_symbol_table_find(&table, 0));
	for (size_t i = 0; i < 3; i++)
		rpt_symbol_table_add(&table, &syms[i]);
	rpt_symbol_table_index(&table);
	assert_null(rpt_symbol_table_find(&table, 15));
	assert_string_equal(rpt_symbol_table_find(&table, 16)->name, "long");
	assert_string_equal(rpt_symbol_table_find(&table, UINT64_MAX - 1)->name,
			    "wraps");
	rpt_symbol_table_release(&table);
}

/* nr aliases, each a byte longer than the one before, all the end of one text.
 * Return how long the name is that stays. */
static size_t longest_alias(uint32_t nr)
{
	static char text[(64 << 10) + 1];
	struct rpt_symbol_table table;
	size_t len;

	memset(text, 'a', sizeof(text) - 1);
	rpt_symbol_table_init(&table, true);
	for (uint32_t i = 0; i < nr; i++) {
		struct rpt_symbol sym = {
			.start = 0x1000,
			.end = 0x1010,
			.name = text + sizeof(text) - 1 - (1000 + i),
			.type = STT_FUNC,
		};

		rpt_symbol_table_add(&table, &sym);
	}
	rpt_symbol_table_fix_up(&table, RPT_ENDS_ELF);
	assert_int_equal(table.nr, 1);
	len = strlen(rpt_symbol_table_find(&table, 0x1000)->name);
	rpt_symbol_table_release(&table);
	return len;
}

/* The longest one stays, as long as the names are in proportion to the symbols.
 */
static void test_symbol_table__aliases_that_share_a_text(void **state)
{
	(void)state;
	assert_int_equal(longest_alias(10), 1009);
	assert_in_range(longest_alias(60000), 3000, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbol_table__the_one_that_starts_last),
		cmocka_unit_test(
			test_symbol_table__labels_are_parts_of_functions),
		cmocka_unit_test(test_symbol_table__functions_of_a_perf_map),
		cmocka_unit_test(test_symbol_table__order_of_adding),
		cmocka_unit_test(test_symbol_table__at_the_last_address),
		cmocka_unit_test(test_symbol_table__aliases_that_share_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
