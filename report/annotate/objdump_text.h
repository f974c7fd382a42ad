/* objdump_text.h: an instruction's text in objdump's spelling.
 *
 * capstone spells AT&T instructions as LLVM does: "movq %rdi, %rax",
 * "cmpl $7, 8(%rsp)", "callq 0x1200"; objdump "mov    %rdi,%rax",
 * "cmpl   $0x7,0x8(%rsp)", "call   1200".
 */
#ifndef RPT_OBJDUMP_TEXT_H
#define RPT_OBJDUMP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rpt_text_syntax {
	RPT_TEXT_ATT,
	RPT_TEXT_INTEL,
	RPT_TEXT_ARM64,
};

struct rpt_objdump_words {
	enum rpt_text_syntax syntax;
	const char *mnemonic; /* capstone's: "movq", "lock cmpxchgl" */
	const char *base;     /* the name of the instruction, "mov" */
	const char *operands; /* capstone's: "%rdi, %rax" */
	bool is_branch;	      /* the operand is an address of code */
	bool has_disp;	      /* a displacement is encoded, if only as 0 */
	bool has_imm;	      /* an immediate is encoded */
	uint8_t operand_len;  /* of the first operand, in bytes; 0: unknown */
	const uint8_t *bytes; /* of the instruction */
	uint8_t len;
};

/* Write the text, cut off where ret ends. */
void rpt_objdump_text(const struct rpt_objdump_words *words, char *ret,
		      size_t len);

#endif
