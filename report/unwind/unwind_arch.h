/* unwind_arch.h: registers and habits of the processors that are unwound.
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
	uint16_t elf_machine; /* EM_*: files of others are not its code */
	uint64_t regs_abi;    /* of processes that it tells of */
	size_t word_len;
	unsigned columns_nr;
	uint8_t ip_column; /* RPT_NO_REG: the return address is not the ip */
	uint8_t sp_column;
	uint8_t fp_column;
	uint8_t extra_reg; /* of both numberings, behind the columns; or none */
	uint8_t ip_reg;
	uint8_t sp_reg;
	/* As perf 6.1: code without any information is not guessed at, a frame
	 * whose caller's frame pointer is undefined is the first one, and one
	 * that returns to 0 is not. */
	bool ends_as_perf;
	uint8_t reg_of_column[RPT_CFI_COLUMNS];
	/* unwind_steps.h: one frame up where no row tells how; ... */
	bool (*guess)(struct rpt_unwind *u);
	/* ... before rows are asked, or NULL */
	bool (*leave_handler)(struct rpt_unwind *u);
	/* A return address without its signature; NULL: there are none. */
	uint64_t (*bare)(struct rpt_unwind *u, uint64_t addr);
};

/* Of samples of that machine with these registers, of that ABI (1: 32 bits, 2:
 * 64; 0: none were taken).  NULL: nothing is known; where its regs_abi is
 * another one, only the first frame is. */
const struct rpt_unwind_arch *
rpt_unwind_arch(enum rpt_arch machine, uint64_t regs_abi, uint64_t regs_mask);

#endif
