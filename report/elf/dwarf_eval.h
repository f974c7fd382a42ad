/* dwarf_eval.h: evaluates the DWARF expressions of call frame information. */
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

/* Set *ret to the top of the stack at the end: the value itself if
 * *ret_is_value (DW_OP_stack_value), else its address.  Return false if an
 * operation is unknown, the stack over- or underflows, or an operand cannot be
 * read. */
bool rpt_dwarf_eval(const Dwarf_Op *ops, size_t nr,
		    const struct rpt_eval_context *context, uint64_t *ret,
		    bool *ret_is_value);

#endif
