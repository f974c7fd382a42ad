#include "report/profile/user_stack.h"

#include "format/support/message.h"
#include "report/events/user_maps.h"

#include <inttypes.h>

#define REGS_NR_MAX 64

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
	struct rpt_user_maps maps = { timeline, &sample->task->ref,
				      sample->when };
	struct rpt_unwind_input input = {
		.regs_abi = fields->regs_user.abi,
		.regs_mask = fields->regs_user.mask,
		.regs = regs,
		.regs_nr = fields->regs_user.regs.nr,
		.stack = fields->stack,
		.stack_len = fields->stack_dyn_len,
		.swap = sample->rec->swap,
		.find_map = rpt_user_maps_find,
		.ctx = &maps,
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
	    !rpt_timeline_has_file(timeline, maps.ref))
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
		sup_message("%s: %" PRIu64 " of %" PRIu64 " stack copies are "
			    "too short for all callers; --call-graph "
			    "dwarf,SIZE records more",
			    path, counts.short_nr, counts.copies_nr);
}
