#include "report/unwind/unwind.h"

#include "report/base/memory.h"
#include "report/unwind/unwind_state.h"

#include <stdlib.h>

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

static bool step(struct rpt_unwind *u)
{
	const struct rpt_cfi_row *row;

	if (u->arch->leave_handler && u->arch->leave_handler(u))
		return true;
	row = rpt_unwind_row(u);
	if (row && row->is_known)
		return rpt_unwind_by_row(u, row);
	if (!row && u->arch->ends_as_perf)
		return false;
	return rpt_unwind_find_map(u, rpt_unwind_code_addr(u)) &&
	       u->arch->guess(u);
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
	if (!rpt_unwind_sample_reg(u, u->arch->sp_reg, &u->stack_start) ||
	    !rpt_unwind_sample_reg(u, u->arch->ip_reg, &u->ip))
		return false;
	u->cfa = u->stack_start;
	return true;
}

size_t rpt_unwind_frames(struct rpt_unwind *unwind,
			 const struct rpt_unwind_input *input, uint64_t *ips,
			 size_t max)
{
	size_t nr = 0, steps;
	uint64_t ip;

	unwind->arch = rpt_unwind_arch(unwind->machine, input->regs_abi,
				       input->regs_mask);
	if (!unwind->arch || input->stack_len == 0 || max == 0 ||
	    !start(unwind, input))
		return 0;
	ips[nr++] = unwind->ip;
	if (input->regs_abi != unwind->arch->regs_abi)
		return nr;
	for (steps = 1; steps < max && step(unwind); steps++) {
		ip = rpt_unwind_code_addr(unwind);
		if (ip) /* perf 6.1 passes over a frame at 0 */
			ips[nr++] = ip;
	}
	unwind->counts.copies_nr++;
	unwind->counts.short_nr += unwind->is_short;
	return nr;
}
