/* kallsyms_line.h: which lines count, where symbols end, and what is found of
 * them around addresses, whatever the order of the lines. */
#include "format/symtab/kallsyms_line.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define K(x) (UINT64_C(0xffffffff00000000) + (x))

static bool read_line(const char *text, struct pd_kallsyms_line *ret)
{
	return pd_kallsyms_line_read((struct pd_str){ text, strlen(text) },
				     ret);
}

static void test_kallsyms_line__of_kernel_and_of_module(void **state)
{
	struct pd_kallsyms_line line;

	(void)state;
	assert_true(read_line("ffffffff81000000 T _stext", &line));
	assert_int_equal(line.addr, K(0x81000000));
	assert_int_equal(line.type, 'T');
	assert_true(pd_str_eq(line.text, "_stext"));
	assert_false(pd_kallsyms_is_of_module(line.text));
	assert_true(read_line("C0300000 t ext4_init\t[ext4]", &line));
	assert_int_equal(line.addr, 0xc0300000);
	assert_true(pd_str_eq(line.text, "ext4_init\t[ext4]"));
	assert_true(pd_kallsyms_is_of_module(line.text));
	assert_true(read_line("0 t a b", &line));
	assert_true(pd_str_eq(line.text, "a b"));
}

static void test_kallsyms_line__broken_ones_are_refused(void **state)
{
	static const char *const lines[] = {
		"",
		"ffffffff81000000",
		"ffffffff81000000 ",
		"ffffffff81000000 T",
		"ffffffff81000000 T ",
		"ffffffff81000000 T \t[ext4]",
		"ffffffff81000000  T name",
		" ffffffff81000000 T name",
		"0xffffffff81000000 T name",
		"xyz T name",
		"fffffffffffffffff T name", /* 68 bits */
	};
	struct pd_kallsyms_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(read_line(lines[i], &line));
}

static void test_kallsyms_line__which_count(void **state)
{
	static const struct {
		const char *text;
		bool counts;
		uint8_t info; /* as elf(5) has it: binding << 4 | type */
	} expected[] = {
		{ "10 T x", true, 0x12 },
		{ "10 t x", true, 0x02 },
		{ "10 W x", true, 0x22 },
		{ "10 w x", true, 0x22 },
		{ "10 D x", true, 0x11 },
		{ "10 b x", true, 0x01 },
		{ "10 r x", false, 0x01 },
		{ "10 A x", false, 0x11 },
		{ "10 t $x", false, 0x02 },
		/* no byte follows it that it could have */
		{ "ffffffffffffffff t x", false, 0x02 },
		{ "fffffffffffffffe t x", true, 0x02 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct pd_kallsyms_line line;

		assert_true(read_line(expected[i].text, &line));
		assert_int_equal(pd_kallsyms_line_counts(&line),
				 expected[i].counts);
		assert_int_equal(pd_kallsyms_info(line.type), expected[i].info);
	}
}

static void test_kernel_bound__by_name_and_type(void **state)
{
	static const struct {
		const char *text;
		enum pd_kernel_bound bound;
	} expected[] = {
		{ "10 T _text", PD_KERNEL_TEXT },
		{ "10 t _stext", PD_KERNEL_STEXT },
		{ "10 D _text", PD_KERNEL_BOUND_NR },
		{ "10 D _edata", PD_KERNEL_EDATA },
		{ "10 D _etext", PD_KERNEL_ETEXT },
		{ "10 T text", PD_KERNEL_BOUND_NR },
		{ "10 T _texts", PD_KERNEL_BOUND_NR },
		{ "10 T _text\t[ext4]", PD_KERNEL_BOUND_NR },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct pd_kallsyms_line line;

		assert_true(read_line(expected[i].text, &line));
		assert_int_equal(pd_kernel_bound_of(&line), expected[i].bound);
	}
}

static void test_symbol_end__by_what_follows(void **state)
{
	(void)state;
	assert_int_equal(pd_symbol_end(0x1010, 0, 0x1020, 0), 0x1020);
	assert_int_equal(pd_symbol_end(0x1010, 1, 0x9020, 1), 0x9020);
	assert_int_equal(pd_symbol_end(0x1010, 0, 0x1020, 1), 0x3000);
	assert_int_equal(pd_symbol_last_end(0x1000), 0x2000);
	assert_int_equal(pd_symbol_last_end(0x1001), 0x3000);
	assert_int_equal(pd_symbol_last_end(UINT64_MAX - 1), UINT64_MAX);
}

struct texts {
	char text[1000];
	size_t len;
};

static int take(void *ctx, const struct pd_symbol_start *symbol, uint64_t len)
{
	struct texts *texts = ctx;

	texts->len += (size_t)snprintf(
		texts->text + texts->len, sizeof(texts->text) - texts->len,
		"%" PRIx64 "+%" PRIx64 " %c %.*s\n", symbol->start & UINT32_MAX,
		len, symbol->info, (int)symbol->name.len, symbol->name.ptr);
	return 0;
}

static uint64_t search(const char *const *lines, size_t line_nr,
		       const uint64_t *hits, size_t nr, char *ret)
{
	struct texts texts = { .len = 0 };
	struct pd_symbol_search s;
	struct pd_kallsyms_line line;
	uint64_t named_nr;

	assert_int_equal(pd_symbol_search_init(&s, hits, nr), 0);
	for (size_t i = 0; i < line_nr; i++) {
		struct pd_symbol_start symbol;

		if (!read_line(lines[i], &line) ||
		    !pd_kallsyms_line_counts(&line))
			continue;
		symbol = pd_kallsyms_symbol(&line);
		assert_int_equal(pd_symbol_search_see(&s, &symbol), 0);
	}
	assert_int_equal(pd_symbol_search_each(&s, take, &texts, &named_nr), 0);
	pd_symbol_search_release(&s);
	strcpy(ret, texts.text);
	return named_nr;
}

static const char *const kallsyms[] = {
	"0000000000000000 A fixed_percpu_data",
	"ffffffff81000000 T _text",
	"ffffffff81000100 T first",
	"ffffffff81000300 T third",
	"ffffffff81000200 W an_alias",
	"ffffffff81000200 t second",
	"ffffffff81000280 r a_constant",
	"ffffffff81000900 T last",
	"ffffffffc0001000 t other\t[more]",
	"ffffffffc0000100 t work\t[made]",
	"ffffffffc0000200 t more\t[made]",
};

enum { LINES = sizeof(kallsyms) / sizeof(kallsyms[0]) };

static void test_symbol_search__symbols_around_hits(void **state)
{
	const uint64_t hits[] = { 0x1000,	 K(0x81000200), K(0x81000290),
				  K(0x810002ff), K(0x81000a00), K(0xc0000100),
				  K(0xc0000250), K(0xd0000000) };
	char text[1000];

	(void)state;
	assert_int_equal(search(kallsyms, LINES, hits, 8, text), 7);
	assert_string_equal(text, "81000200+100 t second\n"
				  "81000900+1700 T last\n"
				  "c0000100+100 t work\t[made]\n"
				  "c0000200+e00 t more\t[made]\n"
				  "c0001000+1000 t other\t[more]\n");
}

/* Modules lie in any order, and a copy may be sorted by anything. */
static void test_symbol_search__lines_in_any_order(void **state)
{
	const uint64_t hits[] = { K(0x81000050), K(0x81000101), K(0x81000290),
				  K(0x81000a00), K(0xc0000250) };
	char expected[1000], text[1000];
	const char *lines[LINES];

	(void)state;
	memcpy(lines, kallsyms, sizeof(lines));
	assert_int_equal(search(lines, LINES, hits, 5, expected), 5);
	srand(1);
	for (unsigned i = 0; i < 1000; i++) {
		/* aliases keep their order: the last one is the name */
		size_t a = (size_t)rand() % LINES, b = (size_t)rand() % LINES;

		if (a == 4 || a == 5 || b == 4 || b == 5)
			continue;
		const char *line = lines[a];
		lines[a] = lines[b];
		lines[b] = line;
		assert_int_equal(search(lines, LINES, hits, 5, text), 5);
		assert_string_equal(text, expected);
	}
}

static void test_symbol_search__of_nothing(void **state)
{
	const uint64_t hits[] = { 0x1000 };
	char text[1000];

	(void)state;
	assert_int_equal(search(kallsyms, LINES, hits, 1, text), 0);
	assert_string_equal(text, "");
	assert_int_equal(search(kallsyms, LINES, hits, 0, text), 0);
	assert_int_equal(search(kallsyms, 0, hits, 1, text), 0);
}

/* Whoever writes the list may choose its names. */
static void test_symbol_search__limit_of_names(void **state)
{
	enum { NAME_LEN = 1 << 20 };
	struct pd_symbol_start symbol = {
		.name = { calloc(1, NAME_LEN), NAME_LEN },
	};
	struct pd_symbol_search s;
	uint64_t hits[32], nr = 0;

	(void)state;
	assert_non_null(symbol.name.ptr);
	for (size_t i = 0; i < 32; i++)
		hits[i] = i;
	assert_int_equal(pd_symbol_search_init(&s, hits, 32), 0);
	for (; nr < 32 && !pd_symbol_search_see(&s, &symbol); nr++)
		symbol.start = nr + 1;
	assert_int_equal(nr, 15);
	assert_int_equal(pd_symbol_search_see(&s, &symbol), -EFBIG);
	pd_symbol_search_release(&s);
	free((char *)(uintptr_t)symbol.name.ptr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kallsyms_line__of_kernel_and_of_module),
		cmocka_unit_test(test_kallsyms_line__broken_ones_are_refused),
		cmocka_unit_test(test_kallsyms_line__which_count),
		cmocka_unit_test(test_kernel_bound__by_name_and_type),
		cmocka_unit_test(test_symbol_end__by_what_follows),
		cmocka_unit_test(test_symbol_search__symbols_around_hits),
		cmocka_unit_test(test_symbol_search__lines_in_any_order),
		cmocka_unit_test(test_symbol_search__of_nothing),
		cmocka_unit_test(test_symbol_search__limit_of_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
