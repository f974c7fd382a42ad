/* fleet_facts.h: what a page of a fleet says of itself; private to this room.
 */
#ifndef RPT_FLEET_FACTS_H
#define RPT_FLEET_FACTS_H

#include "report/fleet/fleet_load.h"
#include "report/page/page_stacks.h"

struct rpt_fleet_facts {
	struct rpt_page_fact *items; /* owned, with their texts */
	uint32_t nr, cap;
	uint64_t lost_nr; /* samples, on all hosts */
	uint64_t host_nr;
	char *title; /* owned */
};

/* Say what was asked, and of how many hosts and slices.  load: the sides of a
 * diff; NULL: it is a top.  The caller releases facts. */
void rpt_fleet_facts_make(struct rpt_fleet_facts *facts,
			  const struct rpt_fleet_scope *scope,
			  const struct rpt_fleet_load *load);
void rpt_fleet_facts_release(struct rpt_fleet_facts *facts);

#endif
