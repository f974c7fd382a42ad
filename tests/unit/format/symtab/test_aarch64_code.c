#include "format/symtab/aarch64_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* The words as the code of a little-endian machine. */
static bool is_carried(const uint32_t *words, bool is_covered)
{
	uint8_t code[PD_AARCH64_CODE_LEN];

	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = (uint8_t)(words[i / 4] >> 8 * (i % 4));
	return pd_aarch64_is_carried(code, is_covered);
}

static void test_aarch64_code__record_is_linked_ahead(void **state)
{
	static const struct {
		bool is_ahead;
		uint32_t words[PD_AARCH64_SLOT_NR];
	} known[] = {
		/* mov x29, sp */
		{ true, { 0x910003fd, 0, 0, 0 } },
		/* adrp x3, page; str x19, [sp, #16]; add x29, sp, #32 */
		{ true, { 0xb0000003, 0xf9000bf3, 0x910083fd, 0 } },
		/* bl, then mov x29, sp: of a function further on */
		{ false, { 0x97fffda5, 0x910003fd, 0, 0 } },
		/* ret */
		{ false, { 0xd65f03c0, 0x910003fd, 0, 0 } },
		/* mov x29, x0; add x0, sp, #16; mov sp, x29 */
		{ false, { 0xaa0003fd, 0x910043e0, 0x910003bf, 0 } },
		/* mov x29, sp as the fifth */
		{ false, { 0, 0, 0, 0, 0x910003fd } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(is_carried(known[i].words, true),
				 known[i].is_ahead);
}

static void test_aarch64_code__slots(void **state)
{
	static const struct {
		bool is_slot;
		uint32_t words[PD_AARCH64_SLOT_NR];
	} known[] = {
		/* adrp x16, page; ldr x17, [x16, #4080]; add x16, x16, #4080;
		 * br x17 */
		{ true,
		  { 0xb0000010, 0xf947fa11, 0x913fc210, 0xd61f0220, 0, 0 } },
		/* with bti c and autia1716 around */
		{ true,
		  { 0xd503245f, 0xb0000010, 0xf947fa11, 0x913fc210, 0xd503219f,
		    0xd61f0220 } },
		/* the first one: stp x16, x30, [sp, #-16]! before */
		{ true,
		  { 0xa9bf7bf0, 0xb0000010, 0xf947fe11, 0x913fe210, 0xd61f0220,
		    0 } },
		/* its last instruction, then another function */
		{ true, { 0xd61f0220, 0xd65f03c0, 0, 0, 0, 0 } },
		/* a veneer: adrp x16, page; add x16, x16, #0; br x16 */
		{ true, { 0xb0000010, 0x91000210, 0xd61f0200, 0, 0, 0 } },
		/* blr x17: x30 gets another value */
		{ false,
		  { 0xb0000010, 0xf947fa11, 0x913fc210, 0xd63f0220, 0, 0 } },
		/* ldr x30, [sp]; br x17 */
		{ false, { 0xf94003fe, 0xd61f0220, 0, 0, 0, 0 } },
		/* nothing but nops */
		{ false,
		  { 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f,
		    0xd503201f } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(is_carried(known[i].words, false),
				 known[i].is_slot);
}

static void test_aarch64_code__instructions_are_little_endian(void **state)
{
	const uint8_t code[] = { 0xfd, 0x03, 0x00, 0x91 };

	(void)state;
	assert_int_equal(pd_aarch64_instruction(code), 0x910003fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aarch64_code__record_is_linked_ahead),
		cmocka_unit_test(test_aarch64_code__slots),
		cmocka_unit_test(
			test_aarch64_code__instructions_are_little_endian),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
