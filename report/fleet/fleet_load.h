/* fleet_load.h: what a database knows of two sides of a fleet, as a diff has
 * it: a run for each host, with its totals, and for each function what its
 * shares on the hosts sum to.
 *
 * A question that has one side has it as the new one.
 */
#ifndef RPT_FLEET_LOAD_H
#define RPT_FLEET_LOAD_H

#include "report/diff/diff_args.h"
#include "report/fleet/fleet_sql.h"

enum { RPT_FLEET_OLD, RPT_FLEET_NEW, RPT_FLEET_SIDES };

/* One event: only hosts that have samples of it on a side count there. */
struct rpt_fleet_event {
	const struct rpt_run **runs[RPT_FLEET_SIDES]; /* owned */
	struct rpt_side sides[RPT_FLEET_SIDES];
	struct rpt_pairs pairs; /* totals of hosts that count on both sides */
};

struct rpt_fleet_load {
	const struct rpt_fleet_scope *scope;
	struct rpt_labels labels;
	char **functions; /* numbers in the database, by label; owned */
	uint32_t function_cap;
	struct rpt_intern hosts[RPT_FLEET_SIDES];
	struct rpt_run *runs[RPT_FLEET_SIDES]; /* by host; owned */
	const struct rpt_run **lists[RPT_FLEET_SIDES];
	struct rpt_side sides[RPT_FLEET_SIDES];	    /* all hosts */
	struct rpt_row_sums *sums[RPT_FLEET_SIDES]; /* by label; owned */
	/* By host its number on the other side, or UINT32_MAX; owned. */
	uint32_t *partners[RPT_FLEET_SIDES];
	uint32_t pair_nr;		/* hosts that are on both sides */
	struct rpt_fleet_event *events; /* by number; owned */
	bool is_spread; /* some host has rows on several servers */
};

/* Return whether a host has samples of an event. */
static inline bool rpt_fleet_has_event(const struct rpt_run *run,
				       uint32_t event)
{
	return run->events[event].total.period > 0.0;
}

/* Ask for all that there is in scope, which must outlive load.  The caller
 * releases load in any case.  Return 0, or a negative errno with err set;
 * -ENODATA if a side has no samples. */
int rpt_fleet_load(struct rpt_fleet_load *load,
		   const struct rpt_fleet_scope *scope, struct pd_err *err);
void rpt_fleet_load_release(struct rpt_fleet_load *load);

#endif
