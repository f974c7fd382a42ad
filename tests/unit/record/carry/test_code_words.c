#include "record/carry/code_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct seen {
	uint64_t addrs[32];
	size_t nr;
};

static void see(void *ctx, uint32_t pid, uint64_t addr)
{
	struct seen *seen = ctx;

	assert_int_equal(pid, 7);
	assert_true(seen->nr < 32);
	seen->addrs[seen->nr++] = addr;
}

static void add_map(struct rec_address_spaces *spaces, uint64_t addr,
		    bool is_code)
{
	const struct pd_mmap map = {
		.pid = 7,
		.addr = addr,
		.map_len = 0x1000,
		.filename = { "/bin/t", 6 },
	};

	rec_address_spaces_map(spaces, &map, is_code);
}

static void test_code_words__words_in_code_are_seen(void **state)
{
	const uint64_t stack[] = { 0,
				   0x7f0000400123,
				   UINT64_MAX,
				   0x7f0000500010,
				   0x7f0000400fff,
				   0x7f0000401000,
				   0x7f0010400000 };
	struct rec_code_words *words = rec_code_words_new();
	struct rec_address_spaces spaces;
	struct seen seen = { .nr = 0 };
	const struct rec_code_words_input in = { &spaces, 7, false, see,
						 &seen };

	(void)state;
	assert_non_null(words);
	rec_address_spaces_init(&spaces, 1 << 20);
	add_map(&spaces, 0x7f0000400000, true);
	add_map(&spaces, 0x7f0000500000, false);
	rec_code_words_see_stack(words, &in, (const uint8_t *)stack,
				 sizeof(stack) - 3);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.addrs[0], 0x7f0000400122);
	assert_int_equal(seen.addrs[1], 0x7f0000400ffe);
	assert_int_equal(seen.addrs[2], 0x7f0000400fff); /* behind the end */
	rec_address_spaces_release(&spaces);
	free(words);
}

static void test_code_words__of_32_bit_processes_have_4_bytes(void **state)
{
	const uint32_t stack[] = { 5, 0x8048010, 0xffffffff };
	struct rec_code_words *words = rec_code_words_new();
	struct rec_address_spaces spaces;
	struct seen seen = { .nr = 0 };
	const struct rec_code_words_input in = { &spaces, 7, true, see, &seen };

	(void)state;
	rec_address_spaces_init(&spaces, 1 << 20);
	add_map(&spaces, 0x8048000, true);
	rec_code_words_see_stack(words, &in, (const uint8_t *)stack,
				 sizeof(stack));
	assert_int_equal(seen.nr, 1);
	assert_int_equal(seen.addrs[0], 0x804800f);
	rec_address_spaces_release(&spaces);
	free(words);
}

static void test_code_words__a_process_without_maps_has_none(void **state)
{
	const uint64_t stack[] = { 0, UINT64_MAX, 0x400000 };
	struct rec_code_words *words = rec_code_words_new();
	struct rec_address_spaces spaces;
	struct seen seen = { .nr = 0 };
	const struct rec_code_words_input in = { &spaces, 7, false, see,
						 &seen };

	(void)state;
	rec_address_spaces_init(&spaces, 1 << 20);
	rec_code_words_see_stack(words, &in, (const uint8_t *)stack,
				 sizeof(stack));
	assert_int_equal(seen.nr, 0);
	rec_address_spaces_release(&spaces);
	free(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_words__words_in_code_are_seen),
		cmocka_unit_test(
			test_code_words__of_32_bit_processes_have_4_bytes),
		cmocka_unit_test(
			test_code_words__a_process_without_maps_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
