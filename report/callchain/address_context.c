#include "report/callchain/address_context.h"

void rpt_address_context_release(struct rpt_address_context *scopes)
{
	rpt_intern_release(&scopes->spaces);
	*scopes = (struct rpt_address_context){ 0 };
}

static uint32_t place_of(const struct rpt_frame_space *space)
{
	return (space->space_id * 3 + space->kind) % RPT_ADDRESS_CONTEXT_LATELY;
}

uint32_t rpt_address_context_lately(const struct rpt_address_context *scopes,
				    const struct rpt_frame_space *space)
{
	const struct rpt_frame_numbered *at = &scopes->lately[place_of(space)];

	return at->space.space_id == space->space_id &&
			       at->space.generation == space->generation &&
			       at->space.kind == space->kind
		       ? at->number
		       : 0;
}

int rpt_address_context_number(struct rpt_address_context *scopes,
			       const struct rpt_frame_space *space,
			       uint32_t *ret)
{
	uint32_t number = rpt_address_context_lately(scopes, space);
	int64_t idx;

	if (!number) {
		idx = rpt_intern(&scopes->spaces, space, sizeof(*space));
		if (idx < 0)
			return (int)idx;
		number = (uint32_t)idx + 1;
		scopes->lately[place_of(space)] =
			(struct rpt_frame_numbered){ *space, number };
	}
	*ret = number;
	return 0;
}
