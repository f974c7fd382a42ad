#include "report/events/user_maps.h"

#include "format/file/layout.h"
#include "report/symbols/dso_class.h"
#include "report/timeline/map_range.h"

bool rpt_user_maps_find(void *ctx, uint64_t addr, struct rpt_unwind_map *ret)
{
	const struct rpt_user_maps *maps = ctx;
	struct rpt_map_range found;

	if (!rpt_timeline_mapped(maps->timeline, maps->ref, PD_CPUMODE_USER,
				 addr, maps->when, &found))
		return false;
	*ret = (struct rpt_unwind_map){
		.dso = found.map.dso,
		.start = found.range.first,
		.end = found.range.last + 1,
		.pgoff = found.map.pgoff + found.range.first - found.map.start,
		.is_code = found.map.prot & RPT_PROT_EXEC,
	};
	return true;
}
