#include "record/ring/own_stack.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "format/file/layout.h"

enum { OWN_NR = 50, LEN = 4096, REG_NR = 33 };

/* The top of a stack: OWN_NR words of its own, argc, two arguments, three
 * variables, the vector, 16 random bytes, strings. */
struct top {
	uint8_t bytes[LEN];
	uint64_t sp;
	uint64_t regs[REG_NR];
	size_t width;
	size_t nr;	/* words so far */
	size_t random;	/* the index of AT_RANDOM */
	size_t vector;	/* of its first entry */
	size_t own_len; /* up to argc */
	struct pd_sample sample;
};

static void put(struct top *top, uint64_t word)
{
	memcpy(top->bytes + top->nr++ * top->width, &word, top->width);
}

static void put_entry(struct top *top, uint64_t type, uint64_t value)
{
	put(top, type);
	put(top, value);
}

static void put_vector(struct top *top)
{
	top->vector = top->nr;
	put_entry(top, AT_SYSINFO_EHDR, 0x7fff0000);
	put_entry(top, AT_PAGESZ, 4096);
	put_entry(top, AT_FLAGS, 0);
	put_entry(top, AT_SECURE, 0);
	top->random = top->nr;
	/* This one, HWCAP2 and the end. */
	put_entry(top, AT_RANDOM, top->sp + (top->nr + 6) * top->width + 8);
	put_entry(top, AT_HWCAP2, 2);
	put_entry(top, AT_NULL, 0);
}

static void set_sample(struct top *top, uint64_t abi)
{
	for (size_t i = 0; i < REG_NR; i++)
		top->regs[i] = top->sp;
	top->sample = (struct pd_sample){
		.stack = top->bytes,
		.stack_len = LEN,
		.stack_dyn_len = LEN,
		.regs_user = { .abi = abi,
			       .mask = PD_BIT(REG_NR) - 1,
			       .regs = { (uint8_t *)top->regs, REG_NR,
					 false } },
	};
}

static void init(struct top *top, size_t width, uint64_t sp, uint64_t abi)
{
	memset(top, 0, sizeof(*top));
	top->width = width;
	top->sp = sp;
	while (top->nr < OWN_NR)
		put(top, top->nr % 7 ? sp + top->nr : 25);
	top->own_len = top->nr * width;
	put(top, 2);
	for (int i = 0; i < 2; i++)
		put(top, sp + 3000);
	put(top, 0);
	for (int i = 0; i < 3; i++)
		put(top, sp + 3100);
	put(top, 0);
	put_vector(top);
	memset(top->bytes + top->nr * width, 'x', 3000);
	set_sample(top, abi);
}

static void set_word(struct top *top, size_t idx, uint64_t word)
{
	memcpy(top->bytes + idx * top->width, &word, top->width);
}

static void test_own_stack__ends_behind_argc(void **state)
{
	static const struct {
		size_t width;
		uint64_t sp;
		uint64_t abi;
	} cases[] = {
		{ 8, 0x7ffc12345670, PD_REGS_ABI_64 },
		{ 4, 0xffe56e00, PD_REGS_ABI_32 },
		{ 4, 0xffe56e00, PD_REGS_ABI_64 }, /* x32 */
		{ 8, 0xffe56e00, PD_REGS_ABI_64 },
	};
	struct top top;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		init(&top, cases[i].width, cases[i].sp, cases[i].abi);
		assert_int_equal(rec_own_stack_len(&top.sample),
				 top.own_len + 8);
	}
}

/* Programs push words of two bytes, too. */
static void test_own_stack__words_are_where_they_are_aligned(void **state)
{
	struct top top;

	(void)state;
	init(&top, 8, 0x7ffc12345670, PD_REGS_ABI_64);
	memmove(top.bytes + 2, top.bytes, LEN - 2);
	for (size_t i = 0; i < REG_NR; i++)
		top.regs[i] = top.sp - 2;
	assert_int_equal(rec_own_stack_len(&top.sample), 2 + top.own_len + 8);
}

/* As unsetenv(3) and programs that show another name leave them. */
static void test_own_stack__lists_may_have_holes(void **state)
{
	const size_t argc = OWN_NR;
	struct top top;

	(void)state;
	init(&top, 8, 0x7ffc12345670, PD_REGS_ABI_64);
	set_word(&top, argc + 2, 0);
	set_word(&top, argc + 5, 0x5555000);
	set_word(&top, argc + 6, 0);
	assert_int_equal(rec_own_stack_len(&top.sample), top.own_len + 8);
	set_word(&top, argc, 4711);
	assert_int_equal(rec_own_stack_len(&top.sample), top.vector * 8 + 8);
}

static void test_own_stack__only_a_whole_vector_counts(void **state)
{
	struct top top;

	(void)state;
	init(&top, 8, 0x7ffc12345670, PD_REGS_ABI_64);
	for (uint64_t len = 0; len <= LEN; len++) {
		bool has_end = len >= (top.random + 6) * 8;

		top.sample.stack_dyn_len = len;
		assert_int_equal(rec_own_stack_len(&top.sample),
				 has_end ? top.own_len + 8 : len);
	}
}

/* A copy of the vector, and a length beside an address. */
static void test_own_stack__what_looks_like_it_does_not_count(void **state)
{
	struct top top;

	(void)state;
	init(&top, 8, 0x7ffc12345670, PD_REGS_ABI_64);
	memcpy(top.bytes + 64, top.bytes + top.vector * 8,
	       (top.nr - top.vector) * 8);
	assert_int_equal(rec_own_stack_len(&top.sample), top.own_len + 8);
	set_word(&top, top.random + 1, top.sp + (top.random + 8) * 8);
	assert_int_equal(rec_own_stack_len(&top.sample), LEN);
	init(&top, 8, 0x7ffc12345670, PD_REGS_ABI_64);
	set_word(&top, top.vector + 2, AT_IGNORE);
	assert_int_equal(rec_own_stack_len(&top.sample), LEN);
}

static void test_own_stack__without_a_stack_pointer_all_is_left(void **state)
{
	struct top top;

	(void)state;
	init(&top, 8, 0x7ffc12345670, PD_REGS_ABI_64);
	top.sample.regs_user.mask = 1;
	assert_int_equal(rec_own_stack_len(&top.sample), LEN);
	top.sample.regs_user.mask = PD_BIT(REG_NR) - 1;
	top.sample.regs_user.regs.nr = 0;
	assert_int_equal(rec_own_stack_len(&top.sample), LEN);
}

/* All words of a copy that a hostile program made. */
static void test_own_stack__any_words_end_within_the_copy(void **state)
{
	uint64_t seed = 4711;
	struct top top;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		init(&top, 8, 0x7ffc12345670, PD_REGS_ABI_64);
		for (int i = 0; i < 40; i++) {
			size_t idx;

			seed = seed * 6364136223846793005u +
			       1442695040888963407u;
			idx = (seed >> 33) % 90;
			set_word(&top, idx,
				 seed >> 60 < 8 ? AT_RANDOM
						: top.sp + (seed >> 48) % 800);
		}
		top.sample.stack_dyn_len = (seed >> 20) % LEN;
		assert_true(rec_own_stack_len(&top.sample) <=
			    top.sample.stack_dyn_len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_stack__ends_behind_argc),
		cmocka_unit_test(
			test_own_stack__words_are_where_they_are_aligned),
		cmocka_unit_test(test_own_stack__lists_may_have_holes),
		cmocka_unit_test(test_own_stack__only_a_whole_vector_counts),
		cmocka_unit_test(
			test_own_stack__what_looks_like_it_does_not_count),
		cmocka_unit_test(
			test_own_stack__without_a_stack_pointer_all_is_left),
		cmocka_unit_test(test_own_stack__any_words_end_within_the_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
