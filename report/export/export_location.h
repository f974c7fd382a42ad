/* export_location.h: places of a program as pprof and OpenTelemetry have them:
 * a function and, inside of it, those that were inlined there. */
#ifndef RPT_EXPORT_LOCATION_H
#define RPT_EXPORT_LOCATION_H

#include "format/base/buf.h"
#include "report/export/export_set.h"

/* Put the locations of a stack, the innermost first: their numbers in
 * locations + 1, as pd_buf_varint() writes them.  A key of locations is a list
 * of frames (uint32_t), the function that has the others last. */
void rpt_export_put_locations(const struct rpt_export_set *set,
			      struct rpt_intern *locations, uint32_t stack,
			      struct pd_buf *ids);

/* Return a location's frames and how many they are. */
static inline const uint32_t *
rpt_export_location_at(const struct rpt_intern *locations, uint32_t location,
		       uint32_t *ret_nr)
{
	*ret_nr = locations->entries[location].len / (uint32_t)sizeof(uint32_t);
	return rpt_intern_key(locations, location);
}

#endif
