#include "report/annotate/disassembler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#define ADDR 0x1200

struct example {
	const char *bytes; /* hex */
	const char *text;  /* capstone 4 and 5 agree on it */
};

static const struct example att[] = {
	{ "4889f8", "movq    %rdi, %rax" },
	{ "7508", "jne     120a" },
	{ "e2fe", "loop    1200" },
	{ "e8fb000000", "callq   1300" },
	{ "f2e8fa000000", "bnd callq 1300" },
	{ "ff25ec0f0000", "jmpq    *0xfec(%rip)" },
	{ "ffe0", "jmpq    *%rax" },
	{ "c3", "retq" },
	{ "f00fb115", NULL },
	{ "f00fb11500000000", "lock cmpxchgl %edx, (%rip)" },
	/* AVX512-FP16, not known to capstone 4 and 5: one row of its length */
	{ "62f57c4858c2", ".byte   0x62,0xf5,0x7c,0x48,0x58,0xc2" },
	{ "06", ".byte   0x06" },
	{ NULL, NULL },
};

static const struct example intel[] = {
	{ "488b4708", "mov     rax, qword ptr [rdi + 8]" },
	{ "e8fb000000", "call    1300" },
	{ NULL, NULL },
};

static const struct example x86_32[] = {
	{ "5d", "popl    %ebp" },
	{ "e8fb000000", "calll   1300" },
	{ "06", "pushl   %es" },
	{ NULL, NULL },
};

static const struct example arm64[] = {
	{ "fd7bbfa9", "stp     x29, x30, [sp, #-0x10]!" },
	{ "40000094", "bl      1300" },
	{ "c0035fd6", "ret" },
	{ "40000054", "b.eq    1208" },
	{ "400000b4", "cbz     x0, 1208" },
	{ "400018b6", "tbz     x0, #0x23, 1208" },
	{ "000000ff", ".inst   0xff000000" },
	{ NULL, NULL },
};

static uint8_t bytes_of(const char *hex, uint8_t ret[16])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t nr = 0;

	for (; *hex; hex += 2)
		ret[nr++] = (uint8_t)((strchr(digits, hex[0]) - digits) << 4 |
				      (strchr(digits, hex[1]) - digits));
	return nr;
}

static void check(const struct example *examples, enum rpt_code_arch arch,
		  bool is_intel)
{
	struct rpt_disassembler dis;
	struct rpt_instruction insn;
	uint8_t bytes[16];

	rpt_disassembler_init(&dis, is_intel);
	for (; examples->bytes; examples++) {
		uint8_t nr = bytes_of(examples->bytes, bytes);

		rpt_disassemble(&dis, arch, bytes, nr, ADDR, &insn);
		if (!examples->text) { /* it is cut off */
			assert_false(insn.is_code);
			assert_int_equal(insn.len, 1);
			continue;
		}
		assert_string_equal(insn.text, examples->text);
		assert_int_equal(insn.len, nr);
		assert_int_equal(insn.is_code, insn.text[0] != '.');
	}
	rpt_disassembler_release(&dis);
}

static void test_disassembler__att(void **state)
{
	(void)state;
	check(att, RPT_CODE_X86_64, false);
	check(x86_32, RPT_CODE_X86_32, false);
}

static void test_disassembler__intel_and_arm64(void **state)
{
	(void)state;
	check(intel, RPT_CODE_X86_64, true);
	check(arm64, RPT_CODE_ARM64, false);
}

static void test_disassembler__targets(void **state)
{
	static const uint8_t call[] = { 0xe8, 0xfb, 0, 0, 0 };
	static const uint8_t lea[] = { 0x48, 0x8d, 0x3d, 0x10, 0, 0, 0 };
	struct rpt_disassembler dis;
	struct rpt_instruction insn;

	(void)state;
	rpt_disassembler_init(&dis, false);
	rpt_disassemble(&dis, RPT_CODE_X86_64, call, sizeof(call), ADDR, &insn);
	assert_true(insn.is_call);
	assert_true(insn.has_target);
	assert_int_equal(insn.target, 0x1300);
	rpt_disassemble(&dis, RPT_CODE_X86_64, lea, sizeof(lea), ADDR, &insn);
	assert_false(insn.is_call);
	assert_false(insn.has_target);
	assert_true(insn.has_data);
	assert_int_equal(insn.data, ADDR + sizeof(lea) + 0x10);
	rpt_disassembler_release(&dis);
}

/* Any bytes at all are rows whose lengths are within what there is. */
static void test_disassembler__any_bytes(void **state)
{
	struct rpt_disassembler dis;
	struct rpt_instruction insn;
	uint64_t random = 88172645463325252u;
	uint8_t bytes[16];

	(void)state;
	for (int is_intel = 0; is_intel < 2; is_intel++) {
		rpt_disassembler_init(&dis, is_intel);
		for (int i = 0; i < 200000; i++) {
			uint64_t len = 1 + (uint64_t)i % sizeof(bytes);

			for (size_t j = 0; j < sizeof(bytes); j++) {
				random ^= random << 13;
				random ^= random >> 7;
				random ^= random << 17;
				bytes[j] = (uint8_t)random;
			}
			rpt_disassemble(
				&dis,
				(enum rpt_code_arch)(i % RPT_CODE_ARCH_NR),
				bytes, len, random, &insn);
			assert_in_range(insn.len, 1, len);
			assert_in_range(strlen(insn.text), 1,
					sizeof(insn.text) - 1);
		}
		rpt_disassembler_release(&dis);
	}
}

static void test_vex_length__by_prefix_and_modrm(void **state)
{
	static const struct example examples[] = {
		{ "c5fb92c8", "4" },	     /* kmovd %eax,%k1 */
		{ "c4e1fb92cb", "5" },	     /* kmovq %rbx,%k1 */
		{ "62f17d483f0cc005", "7" }, /* a byte more than it needs */
		{ "62f36d4825e1fe", "7" },   /* vpternlogd $0xfe */
		{ "62f17d4874442402", "8" }, /* disp8 with SIB */
		{ "62f17d4874042578563412", "11" }, /* disp32 without base */
		{ "62f17d487405785634", "0" },	    /* cut off */
		{ "90909090", "0" },
		{ NULL, NULL },
	};
	uint8_t bytes[16];

	(void)state;
	for (const struct example *e = examples; e->bytes; e++) {
		uint8_t nr = bytes_of(e->bytes, bytes);
		uint8_t expected = 0;

		for (const char *p = e->text; *p; p++)
			expected = (uint8_t)(expected * 10 + (*p - '0'));
		assert_int_equal(rpt_vex_length(bytes, nr), expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_disassembler__att),
		cmocka_unit_test(test_disassembler__intel_and_arm64),
		cmocka_unit_test(test_disassembler__targets),
		cmocka_unit_test(test_disassembler__any_bytes),
		cmocka_unit_test(test_vex_length__by_prefix_and_modrm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
