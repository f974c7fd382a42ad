/* fleet_sides.h: the hosts of a load's two sides: what each has in all, which
 * are on both, and which count in an event; a part of fleet_load.h. */
#ifndef RPT_FLEET_SIDES_H
#define RPT_FLEET_SIDES_H

#include "report/fleet/fleet_load.h"

/* Ask for the hosts and events of an empty load.  Return as rpt_fleet_load().
 */
int rpt_fleet_sides_load(struct rpt_fleet_load *load, struct pd_err *err);

/* Return the number of an event that has totals, else UINT32_MAX. */
uint32_t rpt_fleet_find_event(const struct rpt_event_match *events,
			      const char *name);

#endif
