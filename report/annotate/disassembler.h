/* disassembler.h: one instruction at a time, as capstone's text.
 *
 *	rpt_disassembler_init(&dis, is_intel)
 *	rpt_disassemble(&dis, arch, bytes, len, addr, &ret)
 *	rpt_disassembler_release(&dis)
 */
#ifndef RPT_DISASSEMBLER_H
#define RPT_DISASSEMBLER_H

#include "report/annotate/code_bytes.h"

#include <stdint.h>

enum { RPT_CODE_ARCH_NR = RPT_CODE_ARM64 + 1 };

struct rpt_disassembler {
	bool is_intel;
	bool is_open[RPT_CODE_ARCH_NR];
	size_t handles[RPT_CODE_ARCH_NR]; /* capstone's csh */
	void *insn;			  /* capstone's, of the last one */
};

/* Longest text of an instruction with its NUL. */
enum { RPT_INSTRUCTION_TEXT_LEN = 256 };

struct rpt_instruction {
	uint8_t len;
	bool is_code;	 /* false: these bytes are no instruction */
	bool has_target; /* it jumps there, or calls it: text ends in that
			  * address, hex without 0x */
	bool is_call;
	bool has_data; /* it names the address of data, by its own address */
	uint64_t target;
	uint64_t data;
	char text[RPT_INSTRUCTION_TEXT_LEN];
};

void rpt_disassembler_init(struct rpt_disassembler *dis, bool is_intel);
void rpt_disassembler_release(struct rpt_disassembler *dis);

/* Disassemble what stands at bytes, of which there are len, at least 1, from
 * address addr on. */
void rpt_disassemble(struct rpt_disassembler *dis, enum rpt_code_arch arch,
		     const uint8_t *bytes, uint64_t len, uint64_t addr,
		     struct rpt_instruction *ret);

/* The length of a vector instruction of x86 that capstone 4 does not know
 * (most of AVX-512BW), so that what follows it is not read as something else.
 */

/* Return the length in bytes of the instruction of 64-bit mode at bytes, of
 * which there are len; 0 if it has no VEX or EVEX prefix, or does not end
 * there.  Source: Intel SDM volume 2, 2.3 "VEX" and 2.7 "EVEX". */
uint8_t rpt_vex_length(const uint8_t *bytes, uint64_t len);

#endif
