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

/* The functions of one side in the order of their shares. */

struct rpt_fleet_row {
	uint32_t label;
	struct rpt_estimate estimate; /* mean over the hosts */
	double low; /* the interval's; NaN: there is one host */
	double high;
};

/* Return the heaviest functions of an event, at most nr; *ret_nr becomes how
 * many there are, *ret_all_nr how many the event has.  The caller frees them.
 * NULL: an error, in err. */
struct rpt_fleet_row *rpt_fleet_rows(const struct rpt_fleet_load *load,
				     uint32_t event, size_t nr, size_t *ret_nr,
				     size_t *ret_all_nr, struct pd_err *err);

/* Looks at the slices that a question is about, before it is asked. */

/* Ask for the slices of scope, and say what is wrong with them: *ret_is_partial
 * is set if rows are missing.  slices becomes scope's, and the caller releases
 * it in any case.  Return 0, or a negative errno with err set. */
int rpt_fleet_slices_look(struct rpt_fleet_answer *slices,
			  struct rpt_fleet_scope *scope, bool *ret_is_partial,
			  struct pd_err *err);

/* Return whether a row's host has samples asked for. */
static inline bool
rpt_fleet_slices_are_asked(const struct rpt_fleet_answer *slices, size_t row)
{
	return rpt_fleet_amount(slices, row, RPT_FLEET_SLICES_ASKED) > 0.0;
}

#endif
