/* fleet_client.h: asks a database through its own client.
 *
 * The client gets the question on its standard input and answers with lines of
 * ClickHouse's TabSeparated; what it prints on stderr goes to ours.
 */
#ifndef RPT_FLEET_CLIENT_H
#define RPT_FLEET_CLIENT_H

#include "report/fleet/fleet_answer.h"
#include "report/fleet/fleet_args.h"

/* Ask, and wait for an answer of column_nr columns.  sql is freed; the caller
 * releases *ret in any case.  Return 0 or a negative errno, with err set: -EIO
 * if the client failed, -EBADMSG if its answer has another form. */
int rpt_fleet_ask(struct rpt_fleet_answer *ret,
		  const struct rpt_fleet_args *args, char *sql,
		  size_t column_nr, struct pd_err *err);

#endif
