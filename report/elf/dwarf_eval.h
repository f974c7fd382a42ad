/* dwarf_eval.h: DWARF expressions as call frame information uses them.
 */
#ifndef RPT_DWARF_EVAL_H
#define RPT_DWARF_EVAL_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_eval_context {
	uint64_t cfa;
	bool (*read_reg)(void *ctx, unsigned column, uint64_t *ret);
	bool (*read_memory)(void *ctx, uint64_t addr, uint64_t *ret);
	void *ctx;
};

/* The top of the stack at the end.  *ret_is_value: it is the value itself
 * (DW_OP_stack_value); else the address where that lies.  False: an operation
 * that is not known, a stack over- or underflow, an unreadable operand. */
bool rpt_dwarf_eval(const Dwarf_Op *ops, size_t nr,
		    const struct rpt_eval_context *context, uint64_t *ret,
		    bool *ret_is_value);

#endif
