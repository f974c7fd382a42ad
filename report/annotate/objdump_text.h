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

struct rpt_objdump_words {
	const char *mnemonic; /* capstone's: "movq", "rep movsb" */
	const char *base;     /* the name of the instruction, "mov" */
	const char *operands; /* "%rdi, %rax" */
	bool is_att;	      /* else Intel syntax, or arm64 */
	bool is_branch;	      /* the operand is an address of code */
};

/* Write the text, cut off where ret ends. */
void rpt_objdump_text(const struct rpt_objdump_words *words, char *ret,
		      size_t len);

#endif
