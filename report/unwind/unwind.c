#include "report/unwind/unwind.h"

#include "format/records/leaf_words.h"
#include "format/symtab/aarch64_code.h"
#include "report/base/memory.h"
#include "report/elf/dwarf_eval.h"
#include "report/unwind/unwind_state.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Goes one frame up by call frame information. */

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

/* The ways to go one frame up.  Each returns false if the chain ends here, or
 * this way leads nowhere.  By what row says: */
static bool unwind_by_row(struct rpt_unwind *u, const struct rpt_cfi_row *row)
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

const struct rpt_cfi_row *rpt_unwind_row(struct rpt_unwind *u, uint64_t addr)
{
	uint32_t scope, nr = u->row_idxs.nr;
	uint64_t off;
	int64_t idx;

	if (!rpt_unwind_find_map(u, addr))
		return NULL;
	off = addr - u->map.start + u->map.pgoff;
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

struct rpt_unwind *rpt_unwind_new(enum rpt_arch arch)
{
	struct rpt_unwind *u = rpt_alloc_zeroed(1, sizeof(*u));

	u->machine = arch;
	return u;
}

void rpt_unwind_free(struct rpt_unwind *unwind)
{
	if (!unwind)
		return;
	rpt_address_hash_release(&unwind->row_idxs);
	free(unwind->rows);
	free(unwind);
}

struct rpt_unwind_counts rpt_unwind_counts(const struct rpt_unwind *unwind)
{
	return unwind->counts;
}

struct rpt_unwind *rpt_unwind_beside(const struct rpt_unwind *unwind)
{
	return rpt_unwind_new(unwind->machine);
}

void rpt_unwind_merge(struct rpt_unwind *unwind, struct rpt_unwind *other)
{
	if (!other)
		return;
	unwind->counts.copies_nr += other->counts.copies_nr;
	unwind->counts.short_nr += other->counts.short_nr;
	rpt_unwind_free(other);
}

/* Compilers do not tell of each instruction.  Where their row leads to what is
 * no caller, go on as if there were none. */
static bool leave_generated(struct rpt_unwind *u, const struct rpt_cfi_row *row)
{
	struct rpt_unwind_location columns[RPT_CFI_COLUMNS];
	uint64_t ip = u->ip, cfa = u->cfa, addr = rpt_unwind_code_addr(u);
	bool is_call = u->is_call;

	memcpy(columns, u->columns, sizeof(columns));
	if (unwind_by_row(u, row) && u->cfa >= cfa &&
	    rpt_unwind_is_return(u, u->ip))
		return true;
	memcpy(u->columns, columns, sizeof(columns));
	rpt_unwind_to_caller(u, ip, cfa);
	u->is_call = is_call;
	return rpt_unwind_find_map(u, addr) && u->arch->guess(u);
}

static const struct rpt_cfi_rule *rule_of(const struct rpt_cfi_row *row,
					  unsigned column)
{
	for (size_t i = 0; i < row->rules_nr; i++)
		if (row->rules[i].column == column)
			return &row->rules[i];
	return NULL;
}

static bool is_saved(const struct rpt_cfi_row *row, unsigned column)
{
	const struct rpt_cfi_rule *rule = rule_of(row, column);

	return rule && rule->where == RPT_CFI_MEMORY;
}

/* Leave a function whose stack pointer is not known by the record of its frame.
 * If it saves one, to which the frame pointer points, that tells where its own
 * frame ends. */
static bool leave_by_record(struct rpt_unwind *u, const struct rpt_cfi_row *row)
{
	const struct rpt_cfi_rule *fp_rule = rule_of(row, u->arch->fp_column);
	uint64_t fp;
	bool has_record =
		is_saved(row, u->arch->fp_column) &&
		is_saved(row, row->ra_column) &&
		(int64_t)rule_of(row, row->ra_column)->off - fp_rule->off ==
			(int64_t)u->arch->word_len;

	if (!rpt_unwind_read(u, &u->columns[u->arch->fp_column], &fp) ||
	    !rpt_unwind_by_chain(u))
		return false;
	if (has_record)
		u->cfa = fp - (uint64_t)(int64_t)fp_rule->off;
	u->is_cfa_guessed = !has_record;
	return true;
}

static bool step(struct rpt_unwind *u)
{
	uint64_t addr = rpt_unwind_code_addr(u);
	const struct rpt_cfi_row *row;

	if (u->arch->leave_handler && u->arch->leave_handler(u))
		return true;
	row = rpt_unwind_row(u, addr);
	if (u->is_cfa_guessed && row && row->is_known &&
	    (row->cfa.where == RPT_CFI_EXPR ||
	     row->cfa.column == u->arch->sp_column))
		return leave_by_record(u, row);
	if (row && row->is_known)
		return rpt_dso_is_generated(u->map.dso)
			       ? leave_generated(u, row)
			       : unwind_by_row(u, row);
	if (!rpt_unwind_find_map(u, addr) ||
	    (!row && u->arch->ends_as_perf &&
	     !rpt_dso_is_generated(u->map.dso)))
		return false;
	return u->arch->guess(u);
}

static bool start(struct rpt_unwind *u, const struct rpt_unwind_input *input)
{
	unsigned reg;
	size_t i = 0;

	u->input = input;
	u->map.dso = NULL;
	u->regs_known = 0;
	for (reg = 0; reg < 64 && i < input->regs_nr; reg++) {
		if (!(input->regs_mask >> reg & 1))
			continue;
		u->regs[reg] = input->regs[i++];
		u->regs_known |= UINT64_C(1) << reg;
	}
	for (i = 0; i < RPT_CFI_COLUMNS; i++)
		u->columns[i] =
			(struct rpt_unwind_location){ RPT_IN_SAMPLE, i };
	u->is_call = false;
	u->is_short = false;
	u->is_believed = false;
	u->is_cfa_guessed = false;
	if (!rpt_unwind_sample_reg(u, u->arch->sp_reg, &u->stack_start) ||
	    !rpt_unwind_sample_reg(u, u->arch->ip_reg, &u->ip))
		return false;
	u->cfa = u->stack_start;
	return true;
}

/* A caller that was believed without a look at its code has one of its own. */
static bool is_no_caller(struct rpt_unwind *u)
{
	uint64_t addr = rpt_unwind_code_addr(u);

	return u->ip && !(rpt_unwind_find_map(u, addr) && u->map.is_code);
}

size_t rpt_unwind_frames(struct rpt_unwind *unwind,
			 const struct rpt_unwind_input *input, uint64_t *ips,
			 size_t max)
{
	size_t nr = 0, steps;
	bool is_believed;
	uint64_t ip;

	unwind->arch = rpt_unwind_arch(unwind->machine, input->regs_abi,
				       input->regs_mask);
	if (!unwind->arch || input->stack_len == 0 || max == 0 ||
	    !start(unwind, input))
		return 0;
	ips[nr++] = unwind->ip;
	if (input->regs_abi != unwind->arch->regs_abi)
		return nr;
	for (steps = 1; steps < max; steps++) {
		is_believed = unwind->is_believed;
		unwind->is_believed = false;
		if (!step(unwind))
			break;
		if (is_believed && is_no_caller(unwind)) {
			nr--;
			break;
		}
		ip = rpt_unwind_code_addr(unwind);
		if (ip) /* perf 6.1 passes over a frame at 0 */
			ips[nr++] = ip;
	}
	unwind->counts.copies_nr++;
	unwind->counts.short_nr += unwind->is_short;
	return nr;
}

/* Finds who called a function that has no frame record (aarch64). */

/* Ask the instructions from the current one on, nr at most. */
static bool ask_code(struct rpt_unwind *u,
		     enum pd_code_answer (*ask)(uint32_t instruction),
		     size_t nr)
{
	enum pd_code_answer answer = PD_CODE_NEXT;

	for (size_t i = 0; i < nr && answer == PD_CODE_NEXT; i++) {
		const uint8_t *code = rpt_unwind_bytes(u, u->ip + 4 * i, 4);

		answer = code ? ask(pd_aarch64_instruction(code)) : PD_CODE_NO;
	}
	return answer == PD_CODE_YES;
}

/* Return whether the link register has the return address, and the frame
 * pointer is the caller's. */
static bool is_leaf(struct rpt_unwind *u)
{
	const struct rpt_cfi_row *row = rpt_unwind_row(u, u->ip);

	if (!row || !row->is_known)
		return ask_code(u, pd_aarch64_is_slot, PD_AARCH64_SLOT_NR);
	if (row->is_signal || row->ra_column != RPT_AARCH64_LINK)
		return false;
	/* or the record is stored, and what follows makes x29 point to it */
	return !rule_of(row, RPT_AARCH64_LINK) ||
	       (is_saved(row, RPT_AARCH64_LINK) &&
		is_saved(row, u->arch->fp_column) &&
		ask_code(u, pd_aarch64_links_record, PD_AARCH64_LINKING_NR));
}

uint64_t rpt_unwind_leaf_caller(struct rpt_unwind *unwind,
				const struct rpt_unwind_input *input,
				uint64_t ip, uint64_t link)
{
	unwind->arch = rpt_unwind_arch(unwind->machine, input->regs_abi,
				       input->regs_mask);
	if (!unwind->arch || !unwind->arch->strip ||
	    input->regs_abi != unwind->arch->regs_abi)
		return 0;
	unwind->input = input;
	unwind->map.dso = NULL;
	unwind->ip = ip;
	unwind->is_call = false;
	if (!rpt_unwind_find_map(unwind, ip) || !is_leaf(unwind))
		return 0;
	link = rpt_unwind_strip(unwind, link);
	return rpt_unwind_find_map(unwind, link - 1) && unwind->map.is_code
		       ? link
		       : 0;
}

/* Addresses of the stack count from the stack pointer here, which is the only
 * register that is known. */
static void start_at(struct rpt_unwind *u, const struct rpt_unwind_input *input,
		     uint64_t ip)
{
	u->arch =
		rpt_unwind_arch(u->machine, input->regs_abi, input->regs_mask);
	u->input = input;
	u->map.dso = NULL;
	u->regs_known = 0;
	u->ip = ip;
	u->cfa = 0;
	u->is_call = false;
	for (size_t i = 0; i < RPT_CFI_COLUMNS; i++)
		u->columns[i] =
			(struct rpt_unwind_location){ RPT_IN_NOWHERE, 0 };
}

/* Go to the caller.  Return false if it is not found by the stack pointer. */
static bool step_by_words(struct rpt_unwind *u, const struct pd_u64s *words)
{
	const struct rpt_cfi_row *row =
		rpt_unwind_row(u, rpt_unwind_code_addr(u));
	const struct rpt_cfi_rule *rule;
	uint64_t cfa, ip;

	if (!row || !row->is_known || row->is_signal || !find_cfa(u, row, &cfa))
		return false;
	rule = rule_of(row, row->ra_column);
	if (!rule || rule->where != RPT_CFI_MEMORY)
		return false;
	ip = pd_leaf_words_find(words, cfa + (uint64_t)(int64_t)rule->off);
	if (!rpt_unwind_is_return(u, ip))
		return false;
	rpt_unwind_to_caller(u, ip, cfa);
	return true;
}

size_t rpt_unwind_leaf_words(struct rpt_unwind *unwind,
			     const struct rpt_unwind_input *input, uint64_t ip,
			     const struct pd_u64s *words, uint64_t *callers,
			     size_t max)
{
	size_t nr = 0;

	start_at(unwind, input, ip);
	if (unwind->arch->elf_machine != EM_X86_64)
		return 0;
	while (nr < max && step_by_words(unwind, words))
		callers[nr++] = unwind->ip;
	return nr;
}
