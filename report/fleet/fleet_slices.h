/* fleet_slices.h: looks at the slices that a question is about, before it is
 * asked. */
#ifndef RPT_FLEET_SLICES_H
#define RPT_FLEET_SLICES_H

#include "report/fleet/fleet_sql.h"

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
