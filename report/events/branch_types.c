#include "report/events/branch_types.h"

#define CONDITIONAL 1

/* Places in rpt_branch_types.nr. */
enum {
	FORWARD,
	BACKWARD,
	CROSS_4K,
	CROSS_2M,
	TYPES,
	NEW_TYPES = TYPES + RPT_BRANCH_TYPE_NR,
};

static const char *const names[RPT_BRANCH_COUNTS_NR] = {
	"COND_FWD",   "COND_BWD",   "CROSS_4K", "CROSS_2M",  "",
	"COND",	      "UNCOND",	    "IND",	"CALL",	     "IND_CALL",
	"RET",	      "SYSCALL",    "SYSRET",	"COND_CALL", "COND_RET",
	"ERET",	      "IRQ",	    "SERROR",	"NO_TX",     "FAULT_ALGN",
	"FAULT_DATA", "FAULT_INST", "ARCH_1",	"ARCH_2",    "ARCH_3",
	"ARCH_4",     "ARCH_5",
};

const char *rpt_branch_type_name(uint64_t type)
{
	return type < RPT_BRANCH_TYPE_NR ? names[TYPES + type] : "";
}

const char *rpt_branch_new_type_name(uint64_t new_type)
{
	return new_type < RPT_BRANCH_NEW_TYPE_NR ? names[NEW_TYPES + new_type]
						 : "N/A";
}

void rpt_branch_types_add(struct rpt_branch_types *types,
			  const struct pd_branch *branch, uint64_t nr)
{
	uint64_t type = branch->flags >> 20 & 0xf;
	uint64_t new_type = branch->flags >> 26 & 0xf;
	uint64_t *nrs = types->nr;

	if (!type || !branch->from)
		return;
	if (type < RPT_BRANCH_TYPE_NR)
		nrs[TYPES + type] += nr;
	else if (new_type < RPT_BRANCH_NEW_TYPE_NR)
		nrs[NEW_TYPES + new_type] += nr;
	if (type == CONDITIONAL)
		nrs[branch->to > branch->from ? FORWARD : BACKWARD] += nr;
	if (branch->from >> 21 != branch->to >> 21)
		nrs[CROSS_2M] += nr;
	else if (branch->from >> 12 != branch->to >> 12)
		nrs[CROSS_4K] += nr;
}

void rpt_branch_types_merge(struct rpt_branch_types *to,
			    const struct rpt_branch_types *from)
{
	for (size_t i = 0; i < RPT_BRANCH_COUNTS_NR; i++)
		to->nr[i] += from->nr[i];
}

void rpt_branch_types_print(const struct rpt_branch_types *types, FILE *out)
{
	uint64_t total = 0;

	for (size_t i = TYPES; i < NEW_TYPES; i++)
		total += types->nr[i];
	if (!total)
		return;
	fputs("\n#\n# Branch Statistics:\n#\n", out);
	for (size_t i = 0; i < RPT_BRANCH_COUNTS_NR; i++)
		if (types->nr[i])
			fprintf(out, "%8s: %5.1f%%\n", names[i],
				100.0 * (double)types->nr[i] / (double)total);
}
