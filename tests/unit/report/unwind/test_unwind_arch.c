#include "report/unwind/unwind_arch.h"

#include "format/records/record_body.h"
#include "report/unwind/unwind_state.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_unwind_arch__architectures(void **state)
{
	(void)state;
	assert_int_equal(rpt_arch_of("x86_64", 6), RPT_ARCH_X86_64);
	assert_int_equal(rpt_arch_of("", 0), RPT_ARCH_UNKNOWN);
	assert_int_equal(rpt_arch_of("aarch64", 7), RPT_ARCH_AARCH64);
	assert_int_equal(rpt_arch_of("i686", 4), RPT_ARCH_X86);
	assert_int_equal(rpt_arch_of("x86_6", 5), RPT_ARCH_OTHER);
	assert_int_equal(rpt_arch_of("riscv64", 7), RPT_ARCH_OTHER);
}

/* As perf asks for them (--user-regs may leave some out), of a recording that
 * does not name its machine. */
static void test_unwind_arch__registers_tell_the_architecture(void **state)
{
	static const struct {
		uint64_t mask;
		uint64_t abi;
		int machine; /* 0: unknown */
	} known[] = {
		{ 0xff0fff, 2, EM_X86_64 },
		{ 0xff0fff, 1, EM_386 },
		{ 0x180, 2, EM_X86_64 },
		{ 0x1ffffffff, 2, EM_AARCH64 },
		{ UINT64_C(1) << 46 | 0x1ffffffff, 2, EM_AARCH64 },
		{ 0x180000000, 2, EM_AARCH64 },
		{ 0xffffffff, 2, 0 },	  /* riscv64 */
		{ 0x3ffffffff, 2, 0 },	  /* s390x */
		{ 0x1fffffffffff, 2, 0 }, /* ppc64 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct rpt_unwind_arch *arch = rpt_unwind_arch(
			RPT_ARCH_UNKNOWN, known[i].abi, known[i].mask);

		assert_int_equal(arch ? arch->elf_machine : 0,
				 known[i].machine);
	}
}

static void test_unwind_arch__aarch64_code(void **state)
{
	/* paciasp; stp x29, x30, [sp, #-LEN]!; mov x29, sp */
	uint8_t code[] = { 0x3f, 0x23, 0x03, 0xd5, 0xfd, 0x7b,
			   0xbe, 0xa9, 0xfd, 0x03, 0x00, 0x91 };
	/* mov x8, #139; svc #0 */
	uint8_t end[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

	(void)state;
	assert_int_equal(rpt_aarch64_frame_len(code), 32);
	code[6] = 0xa0;
	assert_int_equal(rpt_aarch64_frame_len(code), 512);
	code[6] = 0x81; /* upwards */
	assert_int_equal(rpt_aarch64_frame_len(code), 16);
	code[6] = 0xbf;
	code[7] = 0xa8; /* post-index */
	assert_int_equal(rpt_aarch64_frame_len(code), 16);
	assert_true(rpt_aarch64_is_sigreturn(end));
	end[1] = 0x10;
	assert_false(rpt_aarch64_is_sigreturn(end));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unwind_arch__architectures),
		cmocka_unit_test(
			test_unwind_arch__registers_tell_the_architecture),
		cmocka_unit_test(test_unwind_arch__aarch64_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
