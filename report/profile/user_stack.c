#include "report/profile/user_stack.h"

#include "format/layout.h"
#include "format/support/message.h"
#include "report/timeline/map_range.h"

#include <inttypes.h>

#define REGS_NR_MAX 64

struct lookup {
	const struct rpt_timeline *tl;
	const struct rpt_task_ref *ref;
	struct rpt_timestamp when;
};

/* Of a map that others lie over, the part around addr. */
static bool find_map(void *ctx, uint64_t addr, struct rpt_unwind_map *ret)
{
	const struct lookup *lookup = ctx;
	struct rpt_map_range found;

	if (!rpt_timeline_mapped(lookup->tl, lookup->ref, PD_CPUMODE_USER, addr,
				 lookup->when, &found))
		return false;
	*ret = (struct rpt_unwind_map){
		.dso = found.map.dso,
		.start = found.range.first,
		.end = found.range.last + 1,
		.pgoff = found.map.pgoff + found.range.first - found.map.start,
	};
	return true;
}

/* The same of a file whose stack copies were unwound before. */
static uint32_t copy_frames(const struct pd_u64s *unwound, uint64_t *chain)
{
	uint32_t nr = 0;

	chain[nr++] = RPT_CONTEXT_UNWOUND;
	for (size_t i = 1; i < unwound->nr && nr <= RPT_USER_STACK_FRAMES; i++)
		chain[nr++] = pd_u64s_at(unwound, i);
	return nr;
}

uint32_t rpt_user_stack_frames(struct rpt_unwind *unwind,
			       const struct rpt_timeline *timeline,
			       const struct rpt_sample *sample, uint64_t *chain)
{
	const struct pd_sample *fields = &sample->fields;
	uint64_t regs[REGS_NR_MAX];
	struct lookup lookup = { timeline, &sample->task->ref, sample->when };
	struct rpt_unwind_input input = {
		.regs_abi = fields->regs_user.abi,
		.regs_mask = fields->regs_user.mask,
		.regs = regs,
		.regs_nr = fields->regs_user.regs.nr,
		.stack = fields->stack,
		.stack_len = fields->stack_dyn_len,
		.swap = sample->rec->swap,
		.find_map = find_map,
		.ctx = &lookup,
	};
	size_t nr;

	if (sample->unwound.nr > 1)
		return copy_frames(&sample->unwound, chain);
	if (input.regs_nr > REGS_NR_MAX)
		input.regs_nr = REGS_NR_MAX;
	/* perf learns from the files that a process has mapped whether it is
	 * one of 32 or of 64 bits; without one it unwinds nothing.  The vdso,
	 * which all processes have, is one, but is not found below --symfs. */
	if (!unwind || !input.regs_nr || !input.stack_len ||
	    !rpt_timeline_has_file(timeline, lookup.ref))
		return 0;
	for (size_t i = 0; i < input.regs_nr; i++)
		regs[i] = pd_u64s_at(&fields->regs_user.regs, i);
	nr = rpt_unwind_frames(unwind, &input, chain + 1,
			       RPT_USER_STACK_FRAMES);
	if (!nr)
		return 0;
	chain[0] = RPT_CONTEXT_UNWOUND;
	return (uint32_t)nr + 1;
}

void rpt_user_stack_warn(const char *path, const struct rpt_unwind *unwind)
{
	struct rpt_unwind_counts counts = rpt_unwind_counts(unwind);

	if (counts.short_nr)
		sup_message("%s: %" PRIu64 " of %" PRIu64 " stack copies end "
			    "before their stack does, and so do their call "
			    "chains; --call-graph dwarf,SIZE records more",
			    path, counts.short_nr, counts.copies_nr);
}
