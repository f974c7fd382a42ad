#include "report/unwind/unwind_state.h"

#include "report/symbols/dso.h"

#include <string.h>

/* Goes one frame up by the frame pointer, where call frame information says
 * nothing.  The frame pointer may be any number there, and what it points to
 * any words, so what comes out of it has to look like a caller. */

/* A frame pointer that points further above the frame is taken for damaged. */
#define CHAIN_MAX_LEN 0x4000

/* Return the length of "call *operand", whose ModRM byte follows code[0]. */
static size_t indirect_call_len(const uint8_t *code, size_t len)
{
	uint8_t mod = code[1] >> 6, rm = code[1] & 7;
	size_t own = 2;

	if (mod != 3 && rm == 4) {
		if (len < 3)
			return 0;
		rm = code[2] & 7;
		own = 3;
	}
	if (mod == 1)
		return own + 1;
	return mod == 2 || (mod == 0 && rm == 5) ? own + 4 : own;
}

bool rpt_is_call_x86(const uint8_t *code, size_t len)
{
	if (len >= 5 && code[len - 5] == 0xe8)
		return true;
	for (size_t n = 2; n <= len; n++) {
		const uint8_t *at = code + len - n;

		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2 &&
		    indirect_call_len(at, n) == n)
			return true;
	}
	return false;
}

bool rpt_unwind_is_start(struct rpt_unwind *u, uint64_t addr)
{
	const struct rpt_symbol *sym = rpt_unwind_symbol(u, addr);

	return sym && addr - u->map.start + u->map.pgoff == sym->start;
}

/* Before what a signal handler returns to stands no call.  Code that was
 * generated is not here; and the interpreter of HotSpot, which is part of it,
 * pushes addresses to return to and jumps. */
bool rpt_unwind_is_return(struct rpt_unwind *u, uint64_t addr)
{
	size_t len = u->arch->call_len;
	const struct rpt_cfi_row *row;
	const uint8_t *code;

	if (!addr || !rpt_unwind_find_map(u, addr - 1) || !u->map.is_code)
		return false;
	if (rpt_dso_is_generated(u->map.dso))
		/* functions' addresses are in memory, too */
		return !rpt_unwind_is_start(u, addr);
	if (addr - u->map.start < len)
		len = (size_t)(addr - u->map.start);
	code = rpt_unwind_bytes(u, addr - len, len);
	u->is_believed = !code;
	if (!code || u->arch->is_call(code, len))
		return true;
	row = rpt_unwind_row(u, addr - 1);
	return row && row->is_signal;
}

bool rpt_unwind_by_chain(struct rpt_unwind *u)
{
	struct rpt_unwind_location *fp_loc = &u->columns[u->arch->fp_column];
	const size_t word_len = u->arch->word_len;
	uint64_t fp, saved, ip;
	size_t i;

	if (!rpt_unwind_read(u, fp_loc, &fp) || fp == 0 || fp % word_len ||
	    fp < u->cfa || fp - u->cfa > CHAIN_MAX_LEN ||
	    !rpt_unwind_stack_word(u, fp, &saved) ||
	    !rpt_unwind_stack_word(u, fp + word_len, &ip))
		return false;
	ip = rpt_unwind_strip(u, ip);
	if (!rpt_unwind_is_return(u, ip))
		return false;
	for (i = 0; i < u->arch->columns_nr; i++)
		u->columns[i] =
			(struct rpt_unwind_location){ RPT_IN_NOWHERE, 0 };
	*fp_loc = (struct rpt_unwind_location){ RPT_IN_MEMORY, fp };
	rpt_unwind_to_caller(u, ip, fp + 2 * word_len);
	return true;
}

/* "jmp *slot(%rip); push $n; jmp" */
static bool is_in_plt(struct rpt_unwind *u)
{
	uint64_t low, high;

	return rpt_unwind_memory(u, u->ip, &low) &&
	       rpt_unwind_memory(u, u->ip + 8, &high) &&
	       (low & 0xffff) == 0x25ff && (low >> 48 & 0xff) == 0x68 &&
	       (high >> 24 & 0xff) == 0xe9;
}

static bool return_by_word(struct rpt_unwind *u, uint64_t at)
{
	uint64_t ip;

	if (!rpt_unwind_stack_word(u, at, &ip) || !rpt_unwind_is_return(u, ip))
		return false;
	rpt_unwind_to_caller(u, ip, at + u->arch->word_len);
	return true;
}

/* Leave a function that has not set its frame pointer yet, or no longer has it:
 * the return address is at the top of the stack at its first instruction, and
 * at the last one if that has one byte, since it returns; and below the
 * caller's frame pointer when the first one, of one byte, has pushed that.
 * Further on the frame may be made, and what lies at its bottom may be left of
 * a function that its caller's other callees called. */
static bool leave_entry(struct rpt_unwind *u)
{
	const struct rpt_symbol *sym =
		u->is_call ? NULL : rpt_unwind_symbol(u, u->ip);
	uint64_t off, fp, top;

	if (!sym)
		return false;
	off = u->ip - u->map.start + u->map.pgoff - sym->start;
	if (off == 0 || off + 1 == sym->end - sym->start)
		return return_by_word(u, u->cfa);
	return off == 1 &&
	       rpt_unwind_read(u, &u->columns[u->arch->fp_column], &fp) &&
	       rpt_unwind_stack_word(u, u->cfa, &top) && top == fp &&
	       return_by_word(u, u->cfa + u->arch->word_len);
}

/* Leave a function of Python -X perf: "endbr64; sub $8, %rsp; call *%rcx; add
 * $8, %rsp; ret", if the interpreter has no frame pointers. */
static bool leave_python(struct rpt_unwind *u)
{
	const struct rpt_symbol *sym =
		u->is_call ? rpt_unwind_symbol(u, u->ip - 1) : NULL;
	uint64_t fp;

	if (!sym || strncmp(sym->name, "py::", 4) != 0)
		return false;
	if (rpt_unwind_read(u, &u->columns[u->arch->fp_column], &fp) &&
	    fp == u->cfa)
		return false;
	return return_by_word(u, u->cfa + u->arch->word_len);
}

bool rpt_unwind_guess_x86_64(struct rpt_unwind *u)
{
	uint64_t ip;

	if (rpt_dso_is_generated(u->map.dso))
		return leave_entry(u) || leave_python(u) ||
		       rpt_unwind_by_chain(u);
	if (!is_in_plt(u))
		return rpt_unwind_by_chain(u);
	if (!rpt_unwind_memory(u, u->cfa, &ip))
		return false;
	rpt_unwind_to_caller(u, ip, u->cfa + u->arch->word_len);
	return true;
}
