#include "report/events/branch_types.h"

#define CONDITIONAL 1
#define AREA_4K	    12u
#define AREA_2M	    21u

const char *rpt_branch_type_name(uint64_t type)
{
	static const char *const names[RPT_BRANCH_TYPE_NR] = {
		"",	    "COND", "UNCOND",  "IND",	 "CALL",
		"IND_CALL", "RET",  "SYSCALL", "SYSRET", "COND_CALL",
		"COND_RET", "ERET", "IRQ",     "SERROR", "NO_TX",
	};

	return type < RPT_BRANCH_TYPE_NR ? names[type] : "";
}

const char *rpt_branch_new_type_name(uint64_t new_type)
{
	static const char *const names[RPT_BRANCH_NEW_TYPE_NR] = {
		"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
		"ARCH_2",     "ARCH_3",	    "ARCH_4",	  "ARCH_5",
	};

	return new_type < RPT_BRANCH_NEW_TYPE_NR ? names[new_type] : "N/A";
}

static bool is_across(const struct pd_branch *branch, unsigned area_bits)
{
	return branch->from >> area_bits != branch->to >> area_bits;
}

void rpt_branch_types_add(struct rpt_branch_types *types,
			  const struct pd_branch *branch, uint64_t nr)
{
	uint64_t type = branch->flags >> 20 & 0xf;
	uint64_t new_type = branch->flags >> 26 & 0xf;

	if (!type || !branch->from)
		return;
	if (type < RPT_BRANCH_TYPE_NR)
		types->nr[type] += nr;
	else if (new_type < RPT_BRANCH_NEW_TYPE_NR)
		types->new_nr[new_type] += nr;
	if (type == CONDITIONAL && branch->to > branch->from)
		types->forward_nr += nr;
	else if (type == CONDITIONAL)
		types->backward_nr += nr;
	if (is_across(branch, AREA_2M))
		types->cross_2m_nr += nr;
	else if (is_across(branch, AREA_4K))
		types->cross_4k_nr += nr;
}

void rpt_branch_types_merge(struct rpt_branch_types *to,
			    const struct rpt_branch_types *from)
{
	for (size_t i = 0; i < RPT_BRANCH_TYPE_NR; i++)
		to->nr[i] += from->nr[i];
	for (size_t i = 0; i < RPT_BRANCH_NEW_TYPE_NR; i++)
		to->new_nr[i] += from->new_nr[i];
	to->forward_nr += from->forward_nr;
	to->backward_nr += from->backward_nr;
	to->cross_4k_nr += from->cross_4k_nr;
	to->cross_2m_nr += from->cross_2m_nr;
}

static void print_share(const char *name, uint64_t nr, uint64_t total,
			FILE *out)
{
	if (nr)
		fprintf(out, "%8s: %5.1f%%\n", name,
			100.0 * (double)nr / (double)total);
}

void rpt_branch_types_print(const struct rpt_branch_types *types, FILE *out)
{
	uint64_t total = 0;

	for (size_t i = 0; i < RPT_BRANCH_TYPE_NR; i++)
		total += types->nr[i];
	if (!total)
		return;
	fputs("\n#\n# Branch Statistics:\n#\n", out);
	print_share("COND_FWD", types->forward_nr, total, out);
	print_share("COND_BWD", types->backward_nr, total, out);
	print_share("CROSS_4K", types->cross_4k_nr, total, out);
	print_share("CROSS_2M", types->cross_2m_nr, total, out);
	for (size_t i = 1; i < RPT_BRANCH_TYPE_NR; i++)
		print_share(rpt_branch_type_name(i), types->nr[i], total, out);
	for (size_t i = 0; i < RPT_BRANCH_NEW_TYPE_NR; i++)
		print_share(rpt_branch_new_type_name(i), types->new_nr[i],
			    total, out);
}
