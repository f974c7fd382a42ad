/* Finds who called a function that has no frame record (aarch64). */
#include "report/unwind/unwind_state.h"

#include "format/symtab/aarch64_code.h"

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
	const struct rpt_cfi_row *row = rpt_unwind_row(u);

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
	return rpt_unwind_find_map(unwind, link - 1) ? link : 0;
}
