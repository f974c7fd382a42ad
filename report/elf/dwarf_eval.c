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

static void push(struct machine *m, uint64_t value)
{
	if (m->nr == STACK_NR)
		m->is_bad = true;
	else
		m->stack[m->nr++] = value;
}

static uint64_t pop(struct machine *m)
{
	if (m->nr == 0) {
		m->is_bad = true;
		return 0;
	}
	return m->stack[--m->nr];
}

/* The idx-th from the top. */
static uint64_t pick(struct machine *m, uint64_t idx)
{
	if (idx >= m->nr) {
		m->is_bad = true;
		return 0;
	}
	return m->stack[m->nr - 1 - idx];
}

static void push_reg(struct machine *m, uint64_t column, uint64_t off)
{
	uint64_t value = 0;

	if (column > UINT8_MAX ||
	    !m->context->read_reg(m->context->ctx, (unsigned)column, &value))
		m->is_bad = true;
	push(m, value + off);
}

static void deref(struct machine *m)
{
	uint64_t value = 0;

	if (!m->context->read_memory(m->context->ctx, pop(m), &value))
		m->is_bad = true;
	push(m, value);
}

static bool two_operands(struct machine *m, unsigned atom)
{
	uint64_t b = pick(m, 0), a = pick(m, 1), value;
	int64_t signed_a = (int64_t)a, signed_b = (int64_t)b;

	switch (atom) {
	case DW_OP_plus:
		value = a + b;
		break;
	case DW_OP_minus:
		value = a - b;
		break;
	case DW_OP_mul:
		value = a * b;
		break;
	case DW_OP_and:
		value = a & b;
		break;
	case DW_OP_or:
		value = a | b;
		break;
	case DW_OP_xor:
		value = a ^ b;
		break;
	case DW_OP_shl:
		value = b < 64 ? a << b : 0;
		break;
	case DW_OP_shr:
		value = b < 64 ? a >> b : 0;
		break;
	case DW_OP_eq:
		value = a == b;
		break;
	case DW_OP_ne:
		value = a != b;
		break;
	case DW_OP_lt:
		value = signed_a < signed_b;
		break;
	case DW_OP_le:
		value = signed_a <= signed_b;
		break;
	case DW_OP_gt:
		value = signed_a > signed_b;
		break;
	case DW_OP_ge:
		value = signed_a >= signed_b;
		break;
	default:
		return false;
	}
	pop(m);
	pop(m);
	push(m, value);
	return true;
}

static bool stack_operation(struct machine *m, const Dwarf_Op *op)
{
	uint64_t a, b;

	switch (op->atom) {
	case DW_OP_dup:
		push(m, pick(m, 0));
		return true;
	case DW_OP_drop:
		pop(m);
		return true;
	case DW_OP_over:
		push(m, pick(m, 1));
		return true;
	case DW_OP_pick:
		push(m, pick(m, op->number));
		return true;
	case DW_OP_swap:
		a = pop(m);
		b = pop(m);
		push(m, a);
		push(m, b);
		return true;
	case DW_OP_nop:
		return true;
	default:
		return false;
	}
}

static bool constant(struct machine *m, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		push(m, op->atom - DW_OP_lit0);
		return true;
	}
	/* const1u .. consts follow each other; libdw extends the signs. */
	if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts) {
		push(m, op->number);
		return true;
	}
	return false;
}

static bool source(struct machine *m, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		push_reg(m, op->atom - DW_OP_breg0, op->number);
		return true;
	}
	switch (op->atom) {
	case DW_OP_bregx:
		push_reg(m, op->number, op->number2);
		return true;
	case DW_OP_call_frame_cfa:
		push(m, m->context->cfa);
		return true;
	case DW_OP_plus_uconst:
		push(m, pop(m) + op->number);
		return true;
	case DW_OP_deref:
		deref(m);
		return true;
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
	size_t i;

	for (i = 0; i < nr && !m.is_bad; i++)
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
