#include "format/symtab/cfi_cut.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { START = 0x401000, LEN = 0x100, SECTION = 0x402000, BODY = 8 };

/* An FDE without its program: length, CIE, distance to the function, length
 * of that, no augmentation. */
enum { HEAD_LEN = BODY + 8 + 1 };

static const struct pd_cfi_section section = {
	.off = 0x2000,
	.addr = SECTION,
	.len = 0x1000,
	.is_64 = true,
};

struct cut {
	uint8_t room[200];
	struct pd_cfi_entry fde;
	uint64_t start;
	uint64_t len;
	const uint8_t *program;
	size_t program_len;
};

static uint32_t word(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Cut the program to the addresses, which count from the function. */
static bool cut(struct cut *c, const uint8_t *program, size_t len,
		uint64_t first, uint64_t last)
{
	struct pd_cfi_cut want = {
		.start = START,
		.len = LEN,
		.first = START + first,
		.last = START + last,
		.code_align = 1,
		.encoding = 0x1b,
	};

	*c = (struct cut){ .fde = {
				   .off = 0x2000,
				   .len = (uint32_t)(HEAD_LEN + len),
				   .body = BODY,
				   .data = c->room,
			   } };
	memcpy(c->room + HEAD_LEN, program, len);
	if (!pd_cfi_cut(&section, &c->fde, c->room, &want))
		return false;
	assert_int_equal(word(c->room), c->fde.len - 4);
	assert_true(c->fde.len <= HEAD_LEN + len);
	c->start = want.start - START;
	assert_int_equal(word(c->room + BODY) + SECTION + BODY,
			 (uint32_t)want.start);
	c->len = word(c->room + BODY + 4);
	c->program = c->room + HEAD_LEN;
	c->program_len = c->fde.len - HEAD_LEN;
	return true;
}

/* What compilers write: two registers are pushed; then the end of the function
 * stands in its middle. */
static const uint8_t usual[] = {
	0x41, 0x0e, 16,	  0x86, 2,   /* from 1 on */
	0x42, 0x0e, 24,	  0x83, 3,   /* 3 */
	0x60, 0x0a, 0x0e, 16,	     /* 0x23: remember */
	0x41, 0x0e, 8,		     /* 0x24 */
	0x41, 0x0b,		     /* 0x25: restore */
	0x50, 0x0e, 32,		     /* 0x35 */
	0x02, 0x40, 0x0e, 24,	0, 0 /* 0x75 */
};

static void holds(uint64_t first, uint64_t last, uint64_t start, uint64_t end,
		  const uint8_t *program, size_t len)
{
	struct cut c;

	assert_true(cut(&c, usual, sizeof(usual), first, last));
	assert_int_equal(c.start, start);
	assert_int_equal(c.start + c.len, end);
	assert_int_equal(c.program_len, len);
	assert_memory_equal(c.program, program, len);
}

static void test_cfi_cut__rows_of_hits_are_left(void **state)
{
	static const uint8_t
		body[] = { 0x86, 2, 0x0e, 24, 0x83, 3 },
		end[] = { 0x86, 2, 0x0e, 24, 0x83, 3, 0x0a, 0x0e, 8 },
		behind[] = { 0x86, 2, 0x0e, 24, 0x83, 3, 0x50, 0x0e, 32 },
		last[] = { 0x86, 2, 0x0e, 24, 0x83, 3, 0x0e, 24 },
		middle[] = { 0x0e, 16, 0x86, 2,	   0x42, 0x0e, 24,
			     0x83, 3,  0x60, 0x0a, 0x0e, 16 };

	(void)state;
	holds(0, 0, 0, 1, body, 0);
	holds(0x10, 0x10, 3, 0x23, body, sizeof(body));
	holds(3, 0x22, 3, 0x23, body, sizeof(body));
	holds(0x24, 0x24, 0x24, 0x25, end, sizeof(end));
	holds(0x30, 0x40, 0x25, 0x75, behind, sizeof(behind));
	holds(0x80, 0xff, 0x75, LEN, last, sizeof(last));
	holds(1, 0x23, 1, 0x24, middle, sizeof(middle));
}

static void test_cfi_cut__what_is_unusual_stays_whole(void **state)
{
	static const uint8_t unknown[] = { 0x41, 0x1d, 1 }, set_loc[] = { 1 },
			     restore[] = { 0x0b }, far[] = { 0x03, 0x01, 0x01 },
			     half[] = { 0x0c, 7 }, block[] = { 0x0f, 9, 1 };
	static const struct {
		const uint8_t *bytes;
		size_t len;
	} programs[] = {
		{ unknown, 3 }, { set_loc, 1 }, { restore, 1 },
		{ far, 3 },	{ half, 2 },	{ block, 3 },
	};
	struct cut c;

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		uint32_t len = (uint32_t)(HEAD_LEN + programs[i].len);

		assert_false(cut(&c, programs[i].bytes, programs[i].len, 0x20,
				 0x20));
		assert_int_equal(c.fde.len, len);
		assert_int_equal(word(c.room), 0);
		assert_memory_equal(c.room + HEAD_LEN, programs[i].bytes,
				    programs[i].len);
	}
}

/* Whatever the bytes are, what is left is no longer, and in the function. */
static void test_cfi_cut__any_byte_may_be_wrong(void **state)
{
	uint8_t bytes[sizeof(usual)];
	struct cut c;

	(void)state;
	for (size_t at = 0; at < sizeof(bytes); at++)
		for (unsigned value = 0; value < 256; value++) {
			memcpy(bytes, usual, sizeof(bytes));
			bytes[at] = (uint8_t)value;
			if (!cut(&c, bytes, sizeof(bytes), 0x10, 0x60))
				continue;
			assert_true(c.start <= 0x10);
			assert_true(c.start + c.len > 0x60);
			assert_true(c.start + c.len <= LEN);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cfi_cut__rows_of_hits_are_left),
		cmocka_unit_test(test_cfi_cut__what_is_unusual_stays_whole),
		cmocka_unit_test(test_cfi_cut__any_byte_may_be_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
