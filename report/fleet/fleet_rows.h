/* fleet_rows.h: the functions of one side in the order of their shares; private
 * to this room. */
#ifndef RPT_FLEET_ROWS_H
#define RPT_FLEET_ROWS_H

#include "report/fleet/fleet_load.h"

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

#endif
