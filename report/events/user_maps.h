/* user_maps.h: where addresses of a task's code lie, as an unwinder asks.
 *
 *	struct rpt_user_maps maps = { timeline, &task->ref, when };
 *	input.find_map = rpt_user_maps_find;
 *	input.ctx = &maps;
 */
#ifndef RPT_USER_MAPS_H
#define RPT_USER_MAPS_H

#include "report/timeline/timeline.h"
#include "report/unwind/unwind.h"

struct rpt_user_maps {
	const struct rpt_timeline *timeline;
	const struct rpt_task_ref *ref;
	struct rpt_timestamp when;
};

/* Set *ret to the map at addr; of a map that others lie over, the part around
 * addr.  Return false if there is none.  ctx is the struct rpt_user_maps. */
bool rpt_user_maps_find(void *ctx, uint64_t addr, struct rpt_unwind_map *ret);

#endif
