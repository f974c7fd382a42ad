#include "report/elf/dwarf_eval.h"

#include <dwarf.h>

#define STACK_NR 32

struct machine {
	const struct rpt_eval_context *context;
	uint64_t stack[STACK_NR];
	unsigned nr;
	bool is_bad;
	bool is_value;
};

/* Return true: the operation is known. */
static bool push(struct machine *m, uint64_t value)
{
	if (m->nr == STACK_NR)
		m->is_bad = true;
	else
		m->stack[m->nr++] = value;
	return true;
}

static uint64_t pop(struct machine *m)
{
	if (m->nr == 0) {
		m->is_bad = true;
		return 0;
	}
	return m->stack[--m->nr];
}

/* Return the idx-th value from the top. */
static uint64_t pick(struct machine *m, uint64_t idx)
{
	if (idx >= m->nr) {
		m->is_bad = true;
		return 0;
	}
	return m->stack[m->nr - 1 - idx];
}

static bool push_reg(struct machine *m, uint64_t column, uint64_t off)
{
	uint64_t value = 0;

	if (column > UINT8_MAX ||
	    !m->context->read_reg(m->context->ctx, (unsigned)column, &value))
		m->is_bad = true;
	return push(m, value + off);
}

static bool deref(struct machine *m)
{
	uint64_t value = 0;

	if (!m->context->read_memory(m->context->ctx, pop(m), &value))
		m->is_bad = true;
	return push(m, value);
}

static bool replace_two(struct machine *m, uint64_t value)
{
	pop(m);
	pop(m);
	return push(m, value);
}

static bool two_operands(struct machine *m, unsigned atom)
{
	uint64_t b = pick(m, 0), a = pick(m, 1);
	int64_t signed_a = (int64_t)a, signed_b = (int64_t)b;

	switch (atom) {
	case DW_OP_plus:
		return replace_two(m, a + b);
	case DW_OP_minus:
		return replace_two(m, a - b);
	case DW_OP_mul:
		return replace_two(m, a * b);
	case DW_OP_and:
		return replace_two(m, a & b);
	case DW_OP_or:
		return replace_two(m, a | b);
	case DW_OP_xor:
		return replace_two(m, a ^ b);
	case DW_OP_shl:
		return replace_two(m, b < 64 ? a << b : 0);
	case DW_OP_shr:
		return replace_two(m, b < 64 ? a >> b : 0);
	case DW_OP_eq:
		return replace_two(m, a == b);
	case DW_OP_ne:
		return replace_two(m, a != b);
	case DW_OP_lt:
		return replace_two(m, signed_a < signed_b);
	case DW_OP_le:
		return replace_two(m, signed_a <= signed_b);
	case DW_OP_gt:
		return replace_two(m, signed_a > signed_b);
	case DW_OP_ge:
		return replace_two(m, signed_a >= signed_b);
	default:
		return false;
	}
}

static bool stack_operation(struct machine *m, const Dwarf_Op *op)
{
	uint64_t a, b;

	switch (op->atom) {
	case DW_OP_dup:
		return push(m, pick(m, 0));
	case DW_OP_drop:
		pop(m);
		return true;
	case DW_OP_over:
		return push(m, pick(m, 1));
	case DW_OP_pick:
		return push(m, pick(m, op->number));
	case DW_OP_swap:
		a = pop(m);
		b = pop(m);
		push(m, a);
		return push(m, b);
	case DW_OP_nop:
		return true;
	default:
		return false;
	}
}

static bool constant(struct machine *m, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		return push(m, op->atom - DW_OP_lit0);
	}
	/* const1u to consts follow each other; libdw extends the signs */
	if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts) {
		return push(m, op->number);
	}
	return false;
}

static bool source(struct machine *m, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		return push_reg(m, op->atom - DW_OP_breg0, op->number);
	}
	switch (op->atom) {
	case DW_OP_bregx:
		return push_reg(m, op->number, op->number2);
	case DW_OP_call_frame_cfa:
		return push(m, m->context->cfa);
	case DW_OP_plus_uconst:
		return push(m, pop(m) + op->number);
	case DW_OP_deref:
		return deref(m);
	case DW_OP_stack_value:
		m->is_value = true;
		return true;
	default:
		return false;
	}
}

bool rpt_dwarf_eval(const Dwarf_Op *ops, size_t nr,
		    const struct rpt_eval_context *context, uint64_t *ret,
		    bool *ret_is_value)
{
	struct machine m = { .context = context };

	for (size_t i = 0; i < nr && !m.is_bad; i++)
		if (!source(&m, &ops[i]) && !constant(&m, &ops[i]) &&
		    !stack_operation(&m, &ops[i]) &&
		    !two_operands(&m, ops[i].atom))
			return false;
	if (m.is_bad || m.nr == 0)
		return false;
	*ret = m.stack[m.nr - 1];
	*ret_is_value = m.is_value;
	return true;
}
