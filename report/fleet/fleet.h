/* fleet.h: questions to the samples of many hosts, which a database holds
 * (docs/formats.md "Rows", schema.sql).
 *
 * Each command writes SQL out of its options, gives it to the client of the
 * database, a child process, and makes a table of the answer.  The host is what
 * is counted: a function's share is the mean of its shares on the hosts, where
 * a host that never ran it counts as 0, and intervals come from how much hosts
 * differ (rpt_diff_table_fill(), as for several runs).
 *
 *	rc = rpt_fleet_args_parse(&args, argc, argv, &err);
 *	if (!rc)
 *		rc = rpt_fleet_run(&args, stdout, &is_partial, &err);
 *	rpt_fleet_args_release(&args);
 */
#ifndef RPT_FLEET_H
#define RPT_FLEET_H

#include "report/fleet/fleet_args.h"

#include <stdio.h>

/* Ask, and print the answer.  *ret_is_partial is set if slices or servers are
 * missing in it, which stderr says.  Return 0 or a negative errno, with err
 * set. */
int rpt_fleet_run(const struct rpt_fleet_args *args, FILE *out,
		  bool *ret_is_partial, struct pd_err *err);

#endif
