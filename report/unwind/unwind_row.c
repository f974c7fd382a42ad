/* Goes one frame up by call frame information. */
#include "report/unwind/unwind_state.h"

#include "report/base/memory.h"
#include "report/elf/dwarf_eval.h"

/* The stack pointer of a frame is the CFA of the one that it called. */
static bool read_column(void *ctx, unsigned column, uint64_t *ret)
{
	struct rpt_unwind *u = ctx;

	if (column >= u->arch->columns_nr)
		return column == u->arch->extra_reg &&
		       rpt_unwind_sample_reg(u, column, ret);
	if (column == u->arch->ip_column) {
		*ret = u->ip;
		return true;
	}
	if (column == u->arch->sp_column) {
		*ret = u->cfa;
		return true;
	}
	return rpt_unwind_read(u, &u->columns[column], ret);
}

static bool eval(struct rpt_unwind *u, const struct rpt_cfi_row *row,
		 const struct rpt_cfi_rule *rule, uint64_t cfa,
		 struct rpt_unwind_location *ret)
{
	const struct rpt_eval_context context = {
		.cfa = cfa,
		.read_reg = read_column,
		.read_memory = rpt_unwind_memory,
		.ctx = u,
	};
	bool is_value;

	if (!rpt_dwarf_eval(rpt_cfi_ops(row) + rule->off, rule->ops_nr,
			    &context, &ret->at, &is_value))
		return false;
	ret->where = is_value ? RPT_IS_VALUE : RPT_IN_MEMORY;
	return true;
}

static bool find_cfa(struct rpt_unwind *u, const struct rpt_cfi_row *row,
		     uint64_t *ret_cfa)
{
	struct rpt_unwind_location loc;

	if (row->cfa.where == RPT_CFI_EXPR) {
		if (!eval(u, row, &row->cfa, 0, &loc))
			return false;
		*ret_cfa = rpt_unwind_addr(u, loc.at);
		return true;
	}
	if (!read_column(u, row->cfa.column, ret_cfa))
		return false;
	*ret_cfa =
		rpt_unwind_addr(u, *ret_cfa + (uint64_t)(int64_t)row->cfa.off);
	return true;
}

static bool apply_rule(struct rpt_unwind *u, const struct rpt_cfi_row *row,
		       const struct rpt_cfi_rule *rule, uint64_t cfa,
		       struct rpt_unwind_location *ret)
{
	uint64_t at = cfa + (uint64_t)(int64_t)rule->off;

	switch ((enum rpt_cfi_where)rule->where) {
	case RPT_CFI_MEMORY:
		*ret = (struct rpt_unwind_location){ RPT_IN_MEMORY, at };
		return true;
	case RPT_CFI_VALUE:
		*ret = (struct rpt_unwind_location){ RPT_IS_VALUE, at };
		return true;
	case RPT_CFI_REG:
		*ret = u->columns[rule->off];
		return true;
	case RPT_CFI_EXPR:
		return eval(u, row, rule, cfa, ret);
	case RPT_CFI_UNDEFINED:
	case RPT_CFI_SAME:
	default:
		*ret = (struct rpt_unwind_location){ RPT_IN_NOWHERE, 0 };
		return true;
	}
}

bool rpt_unwind_by_row(struct rpt_unwind *u, const struct rpt_cfi_row *row)
{
	/* the callee's columns stay until all rules are applied */
	struct rpt_unwind_location found[RPT_CFI_COLUMNS];
	bool has_ip_rule = false;
	uint64_t cfa, ip;
	size_t i;

	if (!find_cfa(u, row, &cfa))
		return false;
	for (i = 0; i < row->rules_nr; i++)
		if (!apply_rule(u, row, &row->rules[i], cfa, &found[i]))
			return false;
	for (i = 0; i < row->rules_nr; i++) {
		u->columns[row->rules[i].column] = found[i];
		has_ip_rule |= row->rules[i].column == row->ra_column;
	}
	if (!rpt_unwind_read(u, &u->columns[row->ra_column], &ip))
		return false;
	ip = rpt_unwind_strip(u, ip);
	/* The last call may have overwritten the link register. */
	if (ip == u->ip && (cfa == u->cfa || !has_ip_rule))
		return false;
	if (u->arch->ends_as_perf
		    ? u->columns[u->arch->fp_column].where == RPT_IN_NOWHERE
		    : ip == 0)
		return false;
	rpt_unwind_to_caller(u, ip, cfa);
	/* an interrupted function is at its ip, not after a call */
	u->is_call = !row->is_signal;
	return true;
}

static const struct rpt_cfi_row *find_row(struct rpt_unwind *u, uint64_t off)
{
	struct rpt_unwind_file *file = rpt_unwind_map_file(u);
	uint64_t addr;

	return file && rpt_unwind_file_addr(file, off, &addr)
		       ? rpt_unwind_file_row(file, addr, u->arch->columns_nr)
		       : NULL;
}

const struct rpt_cfi_row *rpt_unwind_row(struct rpt_unwind *u)
{
	uint64_t off, ip = rpt_unwind_code_addr(u);
	uint32_t scope, nr = u->row_idxs.nr;
	int64_t idx;

	if (!rpt_unwind_find_map(u, ip))
		return NULL;
	off = ip - u->map.start + u->map.pgoff;
	/* machines that are unwound differ in the low byte of EM_* */
	scope = rpt_dso_idx(u->map.dso) << 8 | (u->arch->elf_machine & 0xff);
	idx = rpt_address_hash_find(&u->row_idxs, off, scope);
	if (idx >= 0)
		return u->rows[idx];
	u->rows = rpt_grow(u->rows, &u->rows_cap, nr, sizeof(*u->rows));
	u->rows[nr] = find_row(u, off);
	rpt_address_hash_add(&u->row_idxs, off, scope, nr);
	return u->rows[nr];
}
