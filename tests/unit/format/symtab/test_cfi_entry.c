#include "format/symtab/cfi_entry.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* A made-up .eh_frame: a CIE, and an FDE behind it. */
struct example {
	struct pd_cfi_section s;
	const uint8_t *bytes;
	size_t len;
	uint64_t start; /* of the function */
	uint64_t func_len;
};

static void reads(const struct example *ex)
{
	struct pd_cfi_entry cie, fde;
	uint64_t start, len;
	int encoding;

	assert_true(
		pd_cfi_entry_read(&ex->s, ex->s.off, ex->bytes, ex->len, &cie));
	assert_true(cie.is_cie);
	encoding = pd_cfi_encoding(&ex->s, &cie);
	assert_true(pd_cfi_entry_read(&ex->s, ex->s.off + cie.len,
				      ex->bytes + cie.len, ex->len - cie.len,
				      &fde));
	assert_false(fde.is_cie);
	assert_int_equal(fde.cie_off, ex->s.off);
	assert_true(pd_cfi_range(&ex->s, &fde, encoding, &start, &len));
	assert_int_equal(start, ex->start);
	assert_int_equal(len, ex->func_len);
	assert_false(pd_cfi_entry_read(&ex->s, ex->s.off + cie.len,
				       ex->bytes + cie.len, 7, &fde));
	fde.len = (uint32_t)fde.body + 5;
	assert_false(pd_cfi_range(&ex->s, &fde, encoding, &start, &len));
}

/* Instructions of a CIE fill it up to a word. */
#define CIE_ZR(encoding) \
	12, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 4, 0x78, 30, 1, (encoding)

/* DW_EH_PE_pcrel | sdata4, as gcc writes it for aarch64; with 'B', return
 * addresses are signed (PAuth). */
static void test_cfi_entry__of_aarch64(void **state)
{
	static const uint8_t bytes[] = {
		16,   0,    0,	  0,	0,    0,    0, 0, 1, 'z', 'R', 'B',
		0,    4,    0x78, 30,	1,    0x1b, 0, 0, /* CIE */
		16,   0,    0,	  0,	24,   0,    0, 0, /* FDE */
		0xe4, 0xff, 0xff, 0xff, 0x40, 0,    0, 0, 0, 0,	  0,   0,
	};
	const struct example ex = {
		.s = { .off = 0x100,
		       .addr = 0x1100,
		       .len = sizeof(bytes),
		       .is_64 = true },
		.bytes = bytes,
		.len = sizeof(bytes),
		.start = 0x1100 + 20 + 8 - 0x1c,
		.func_len = 0x40,
	};

	(void)state;
	reads(&ex);
}

/* Absolute words of 4 bytes, most significant byte first: without an
 * augmentation. */
static void test_cfi_entry__of_32_bits_and_big_endian(void **state)
{
	static const uint8_t bytes[] = {
		0,    0,  0,	12, 0, 0, 0, 0,	   1, 0, 4, 0x7c,
		65,   12, 1,	0,  0, 0, 0, 16,   0, 0, 0, 20, /* FDE */
		0x90, 0,  0x10, 0,  0, 0, 1, 0x20, 0, 0, 0, 0,
	};
	const struct example ex = {
		.s = { .off = 0x200,
		       .addr = 0x10000200,
		       .len = sizeof(bytes),
		       .swap = true },
		.bytes = bytes,
		.len = sizeof(bytes),
		.start = 0x90001000,
		.func_len = 0x120,
	};

	(void)state;
	reads(&ex);
}

/* A distance of 32 bits wraps in a file of 32 bits. */
static void test_cfi_entry__distances_wrap_at_32_bits(void **state)
{
	static const uint8_t bytes[] = {
		14,   0, 0, 0,	  0,	0,  0, 0, 1, 'z', 'R', 0, 1,
		0x7c, 8, 1, 0x1b, 0,	12, 0, 0, 0, 22,  0,   0, 0, /* FDE */
		0,    0, 0, 0x80, 0x10, 0,  0, 0,
	};
	const struct example ex = {
		.s = { .off = 0x80, .addr = 0xc0000000, .len = sizeof(bytes) },
		.bytes = bytes,
		.len = sizeof(bytes),
		.start = 0x4000001a,
		.func_len = 0x10,
	};

	(void)state;
	reads(&ex);
}

/* What is not known is refused: 64-bit DWARF, other augmentations, indirect
 * pointers, entries that leave the section. */
static void test_cfi_entry__what_is_not_known_is_refused(void **state)
{
	uint8_t bytes[] = { CIE_ZR(0x1b), 0, 0, 0 };
	struct pd_cfi_section s = { .len = sizeof(bytes), .is_64 = true };
	struct pd_cfi_entry cie, fde = { .data = bytes, .len = 16 };
	uint64_t start, len;

	(void)state;
	bytes[0] = 16;
	assert_true(pd_cfi_entry_read(&s, 0, bytes, sizeof(bytes), &cie));
	assert_int_equal(pd_cfi_encoding(&s, &cie), 0x1b);
	bytes[10] = 'Q';
	assert_int_equal(pd_cfi_encoding(&s, &cie), -1);
	bytes[9] = 'e';
	assert_int_equal(pd_cfi_encoding(&s, &cie), -1);
	bytes[8] = 2;
	assert_int_equal(pd_cfi_encoding(&s, &cie), -1);
	assert_false(pd_cfi_range(&s, &fde, -1, &start, &len));
	assert_false(pd_cfi_range(&s, &fde, 0x9b, &start, &len));
	assert_false(pd_cfi_range(&s, &fde, 0x3b, &start, &len));
	assert_false(pd_cfi_range(&s, &fde, 0x01, &start, &len));
	bytes[0] = 18;
	assert_false(pd_cfi_entry_read(&s, 0, bytes, sizeof(bytes), &cie));
	bytes[0] = bytes[1] = bytes[2] = bytes[3] = 0xff;
	assert_false(pd_cfi_entry_read(&s, 0, bytes, sizeof(bytes), &cie));
	assert_false(pd_cfi_entry_read(&s, 1000, bytes, sizeof(bytes), &cie));
}

/* Each FDE asks for its CIE again, whose letters may be many. */
static void test_cfi_entry__a_cie_is_read_up_to_a_limit(void **state)
{
	static const uint8_t head[] = { 0xfc, 3, 0, 0, 0, 0, 0, 0, 1, 'z' },
			     tail[] = { 'R', 0, 1, 0x78, 16, 1, 0x1b };
	const struct pd_cfi_section s = { .len = 1024, .is_64 = true };
	uint8_t bytes[1024];
	struct pd_cfi_entry cie;

	(void)state;
	for (size_t nr = 0; nr < 256; nr += 64) { /* of letters before R */
		memset(bytes, 'S', sizeof(bytes));
		memcpy(bytes, head, sizeof(head));
		memcpy(bytes + sizeof(head) + nr, tail, sizeof(tail));
		assert_true(
			pd_cfi_entry_read(&s, 0, bytes, sizeof(bytes), &cie));
		assert_int_equal(pd_cfi_encoding(&s, &cie),
				 nr < 128 ? 0x1b : -1);
		assert_int_equal(pd_cfi_code_align(&s, &cie), nr < 128);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cfi_entry__of_aarch64),
		cmocka_unit_test(test_cfi_entry__of_32_bits_and_big_endian),
		cmocka_unit_test(test_cfi_entry__distances_wrap_at_32_bits),
		cmocka_unit_test(test_cfi_entry__what_is_not_known_is_refused),
		cmocka_unit_test(test_cfi_entry__a_cie_is_read_up_to_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
