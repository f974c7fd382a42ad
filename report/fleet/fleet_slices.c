#include "report/fleet/fleet_slices.h"

#include "report/fleet/fleet_client.h"

#include "format/support/message.h"

static int ask(struct rpt_fleet_answer *slices,
	       const struct rpt_fleet_scope *scope, struct pd_err *err)
{
	return rpt_fleet_ask(slices, scope->args, rpt_fleet_sql_slices(scope),
			     RPT_FLEET_SLICES_COLUMNS, err);
}

/* Say of how many slices something is true. */
static bool warn(const struct rpt_fleet_answer *slices, size_t column,
		 const char *what)
{
	double nr = rpt_fleet_sum(slices, column);

	if (nr > 0.0)
		sup_message("%.0f of %.0f slices %s", nr,
			    rpt_fleet_sum(slices, RPT_FLEET_SLICES_ALL), what);
	return nr > 0.0;
}

int rpt_fleet_slices_look(struct rpt_fleet_answer *slices,
			  struct rpt_fleet_scope *scope, bool *ret_is_partial,
			  struct pd_err *err)
{
	int rc = ask(slices, scope, err);

	if (!rc && rpt_fleet_sum(slices, RPT_FLEET_SLICES_TWINS) > 0.0) {
		scope->has_twins = scope->args->engine == RPT_FLEET_CLICKHOUSE;
		rpt_fleet_answer_release(slices);
		rc = ask(slices, scope, err);
	}
	if (rc)
		return rc;
	scope->slices = slices;
	if (warn(slices, RPT_FLEET_SLICES_SHORT, "lack rows: load them again"))
		*ret_is_partial = true;
	(void)warn(slices, RPT_FLEET_SLICES_DAMAGED,
		   "are of damaged recordings, of which the whole part counts");
	return 0;
}
