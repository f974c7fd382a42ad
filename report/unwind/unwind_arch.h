/* unwind_arch.h: registers and conventions of the processors that are unwound.
 */
#ifndef RPT_UNWIND_ARCH_H
#define RPT_UNWIND_ARCH_H

#include "report/elf/cfi.h"
#include "report/unwind/unwind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RPT_NO_REG 0xff

/* Columns are DWARF's numbers of registers, regs those of perf's masks. */
struct rpt_unwind_arch {
	uint16_t elf_machine; /* EM_*; files of others are not unwound */
	uint64_t regs_abi;    /* of its processes; 1: 32 bits, 2: 64 bits */
	size_t word_len;
	unsigned columns_nr;
	uint8_t ip_column; /* RPT_NO_REG: the return address is not the ip */
	uint8_t sp_column;
	uint8_t fp_column;
	uint8_t extra_reg; /* has one number in both, above the columns */
	uint8_t ip_reg;
	uint8_t sp_reg;
	/* As in perf 6.1, nothing is guessed in a file without information; a
	 * frame whose caller's frame pointer is undefined is the outermost; one
	 * that returns to 0 is not. */
	bool ends_as_perf;
	uint8_t reg_of_column[RPT_CFI_COLUMNS];
	/* Go one frame up if no row says how (unwind_state.h). */
	bool (*guess)(struct rpt_unwind *u);
	/* Return whether code[0..len), of at most call_len bytes, ends with a
	 * call. */
	bool (*is_call)(const uint8_t *code, size_t len);
	size_t call_len;
	/* Leave a signal handler; called before rows are asked.  May be NULL.
	 */
	bool (*leave_handler)(struct rpt_unwind *u);
	/* Return addr without its signature; NULL: addresses have none. */
	uint64_t (*strip)(struct rpt_unwind *u, uint64_t addr);
};

/* Return the processor of samples with these registers and ABI (0: none were
 * taken), recorded on that machine; NULL if it is unknown.  If its regs_abi
 * differs from the sample's, only the first frame can be had. */
const struct rpt_unwind_arch *
rpt_unwind_arch(enum rpt_arch machine, uint64_t regs_abi, uint64_t regs_mask);

#endif
