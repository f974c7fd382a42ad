#include "report/unwind/unwind_state.h"

/* A frame pointer that points further above the frame is taken for damaged. */
#define CHAIN_MAX_LEN 0x4000

bool rpt_unwind_by_chain(struct rpt_unwind *u)
{
	struct rpt_unwind_location *fp_loc = &u->columns[u->arch->fp_column];
	uint64_t fp, saved, ip;
	size_t i;

	if (!rpt_unwind_read(u, fp_loc, &fp) || fp == 0 || fp < u->cfa ||
	    fp - u->cfa > CHAIN_MAX_LEN || !rpt_unwind_memory(u, fp, &saved) ||
	    !rpt_unwind_memory(u, fp + u->arch->word_len, &ip))
		return false;
	for (i = 0; i < u->arch->columns_nr; i++)
		u->columns[i] =
			(struct rpt_unwind_location){ RPT_IN_NOWHERE, 0 };
	*fp_loc = (struct rpt_unwind_location){ RPT_IN_MEMORY, fp };
	rpt_unwind_to_caller(u, rpt_unwind_strip(u, ip),
			     fp + 2 * u->arch->word_len);
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

bool rpt_unwind_guess_x86_64(struct rpt_unwind *u)
{
	uint64_t ip;

	if (!is_in_plt(u))
		return rpt_unwind_by_chain(u);
	if (!rpt_unwind_memory(u, u->cfa, &ip))
		return false;
	rpt_unwind_to_caller(u, ip, u->cfa + u->arch->word_len);
	return true;
}
