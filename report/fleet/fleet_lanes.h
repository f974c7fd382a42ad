/* fleet_lanes.h: the lanes of a comparison's page; private to this room.
 *
 * The page computes how sure each node's change is from how much the lanes of a
 * side differ.  A lane is a host; if a side has more than RPT_FLEET_LANES, it
 * is one of so many groups of hosts a side, in the order of a hash of the
 * hosts' names, of which none has more than one host more than another.  Groups
 * made by chance estimate the variance as the hosts themselves do, with fewer
 * degrees of freedom (Wolter, Introduction to Variance Estimation, 2007,
 * chapter 2).  A host that is on both sides of pairs is in the same lane of
 * both.
 */
#ifndef RPT_FLEET_LANES_H
#define RPT_FLEET_LANES_H

#include "report/fleet/fleet_load.h"
#include "report/fleet/fleet_sql_page.h"
#include "report/page/page_stacks.h"

enum { RPT_FLEET_LANES = 50 };

struct rpt_fleet_lanes {
	struct rpt_fleet_ranges ranges; /* each is in one lane of a side */
	/* By side and range: the side's lane; owned. */
	uint32_t *numbers[RPT_FLEET_SIDES];
	/* By side and lane; owned, with their names. */
	struct rpt_page_group *groups[RPT_FLEET_SIDES];
	size_t nr[RPT_FLEET_SIDES]; /* lanes */
	bool are_groups;	    /* not hosts */
};

/* Ask for the hashes of the hosts that were loaded.  The caller releases lanes
 * in any case.  Return 0 or a negative errno, with err set. */
int rpt_fleet_lanes_make(struct rpt_fleet_lanes *lanes,
			 const struct rpt_fleet_load *load, struct pd_err *err);
void rpt_fleet_lanes_release(struct rpt_fleet_lanes *lanes);

#endif
