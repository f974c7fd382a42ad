#include "report/callchain/parent.h"

#include <errno.h>

int rpt_parent_find(struct rpt_frame_match *parent,
		    const struct rpt_frames *frames,
		    const struct rpt_chain *chain, const char **ret)
{
	*ret = NULL;
	if (rpt_frame_match_reserve(parent, frames))
		return -ENOMEM;
	for (uint32_t i = 0; i < chain->nr; i++) {
		if (!rpt_frame_match_is(parent, frames, chain->frames[i]))
			continue;
		*ret = frames->items[chain->frames[i]].sym->name;
		break;
	}
	return 0;
}
