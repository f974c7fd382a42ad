#include "report/export/export_location.h"

void rpt_export_put_locations(const struct rpt_export_set *set,
			      struct rpt_intern *locations, uint32_t stack,
			      struct pd_buf *ids)
{
	struct pd_buf frames = PD_BUF_INIT;

	while (stack) {
		const struct rpt_export_stack *at =
			rpt_export_stack_at(set, stack);
		const struct rpt_export_frame *frame =
			rpt_export_frame_at(set, at->frame);

		pd_buf_u32(&frames, at->frame);
		stack = at->callers;
		if (stack &&
		    rpt_export_function_at(set, frame->function)->kind ==
			    RPT_EXPORT_INLINED)
			continue;
		if (!pd_buf_status(&frames))
			pd_buf_varint(ids, (uint64_t)rpt_intern(locations,
								frames.data,
								frames.len) +
						   1);
		pd_buf_reset(&frames);
	}
	pd_buf_release(&frames);
}
