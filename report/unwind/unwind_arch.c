#include "report/unwind/unwind_arch.h"

#include "report/unwind/unwind_state.h"

#include <elf.h>
#include <string.h>

#define X86_REGS_NR 24u

/* Columns in the order of the DWARF numbers of each processor's ABI, registers
 * as in Linux v6.1 arch/ARCH/include/uapi/asm/perf_regs.h. */
static const struct rpt_unwind_arch archs[] = {
	[RPT_ARCH_X86] = {
		.elf_machine = EM_386, .regs_abi = 1, .word_len = 4,
		.columns_nr = 9, .ip_column = 8, .sp_column = 4,
		.fp_column = 5, .extra_reg = RPT_NO_REG,
		.ip_reg = 8, .sp_reg = 7, .guess = rpt_unwind_by_chain,
		.is_call = rpt_is_call_x86, .call_len = 7,
		.reg_of_column = { 0, 2, 3, 1, 7, 6, 4, 5, 8 },
	},
	[RPT_ARCH_X86_64] = {
		.elf_machine = EM_X86_64, .regs_abi = 2, .word_len = 8,
		.columns_nr = 17, .ip_column = 16, .sp_column = 7,
		.fp_column = 6, .extra_reg = RPT_NO_REG,
		.ip_reg = 8, .sp_reg = 7, .guess = rpt_unwind_guess_x86_64,
		.is_call = rpt_is_call_x86, .call_len = 7,
		.ends_as_perf = true,
		.reg_of_column = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20,
				   21, 22, 23, 8 },
	},
	[RPT_ARCH_AARCH64] = {
		.elf_machine = EM_AARCH64, .regs_abi = 2, .word_len = 8,
		.columns_nr = 32, .ip_column = RPT_NO_REG, .sp_column = 31,
		.fp_column = 29,
		.extra_reg = 46, /* VG: frames with SVE registers in them */
		.ip_reg = 32, .sp_reg = 31, .guess = rpt_unwind_guess_aarch64,
		.is_call = rpt_is_call_aarch64, .call_len = 4,
		.leave_handler = rpt_unwind_signal_aarch64,
		.strip = rpt_unwind_strip_aarch64,
		.reg_of_column = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
				   13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
				   24, 25, 26, 27, 28, 29, 30, 31 },
	},
};

enum rpt_arch rpt_arch_of(const char *name, size_t name_len)
{
	static const struct {
		const char *name;
		enum rpt_arch arch;
	} names[] = {
		{ "", RPT_ARCH_UNKNOWN },     { "x86_64", RPT_ARCH_X86_64 },
		{ "i386", RPT_ARCH_X86 },     { "i586", RPT_ARCH_X86 },
		{ "i686", RPT_ARCH_X86 },     { "aarch64", RPT_ARCH_AARCH64 },
		{ "arm64", RPT_ARCH_AARCH64 }
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == name_len &&
		    memcmp(names[i].name, name, name_len) == 0)
			return names[i].arch;
	return RPT_ARCH_OTHER;
}

/* x86 has 24 registers for user stacks, aarch64 33 and VG; the others, except
 * 32-bit ARM, have neither number. */
static enum rpt_arch arch_of_mask(uint64_t regs_mask)
{
	const struct rpt_unwind_arch *aarch64 = &archs[RPT_ARCH_AARCH64];
	uint64_t usual = regs_mask & ~(UINT64_C(1) << aarch64->extra_reg);

	if (usual >> aarch64->ip_reg == 1)
		return RPT_ARCH_AARCH64;
	return regs_mask >> X86_REGS_NR ? RPT_ARCH_OTHER : RPT_ARCH_X86_64;
}

const struct rpt_unwind_arch *
rpt_unwind_arch(enum rpt_arch machine, uint64_t regs_abi, uint64_t regs_mask)
{
	if (machine == RPT_ARCH_UNKNOWN)
		machine = arch_of_mask(regs_mask);
	if (machine == RPT_ARCH_X86_64 && regs_abi == 1)
		machine = RPT_ARCH_X86;
	if (machine == RPT_ARCH_OTHER || regs_abi == 0)
		return NULL;
	return &archs[machine];
}
