/* fleet_client.h: asks a database through its own client.
 *
 * The client gets the question on its standard input and answers with lines of
 * ClickHouse's TabSeparated; what it prints on stderr goes to ours.
 */
#ifndef RPT_FLEET_CLIENT_H
#define RPT_FLEET_CLIENT_H

#include "format/base/err.h"
#include "report/fleet/fleet_args.h"

#include <stddef.h>

/* The output of a database's client: lines of ClickHouse's TabSeparated. */

struct rpt_fleet_answer {
	char *text;	     /* owned */
	const char **fields; /* by row and column, in text; owned */
	size_t row_nr;
	size_t column_nr;
};

/* Split a text into fields, in its place.  It is answer's from now on, ends in
 * a NUL, and came from allocation; NULL: no lines.  The caller releases answer
 * in any case.  name is who printed it.  Return 0; -EBADMSG, with err set, if a
 * line does not have column_nr fields. */
int rpt_fleet_answer_parse(struct rpt_fleet_answer *answer, char *text,
			   size_t column_nr, const char *name,
			   struct pd_err *err);
void rpt_fleet_answer_release(struct rpt_fleet_answer *answer);

static inline const char *rpt_fleet_field(const struct rpt_fleet_answer *answer,
					  size_t row, size_t column)
{
	return answer->fields[row * answer->column_nr + column];
}

/* Return a field as a number; NaN if it is none. */
double rpt_fleet_number(const struct rpt_fleet_answer *answer, size_t row,
			size_t column);
/* Return a field as a number; 0 if it is none, or below 0. */
double rpt_fleet_amount(const struct rpt_fleet_answer *answer, size_t row,
			size_t column);
/* Return the sum of a column's amounts. */
double rpt_fleet_sum(const struct rpt_fleet_answer *answer, size_t column);

/* Ask, and wait for an answer of column_nr columns.  sql is freed; the caller
 * releases *ret in any case.  Return 0 or a negative errno, with err set: -EIO
 * if the client failed, -EBADMSG if its answer has another form. */
int rpt_fleet_ask(struct rpt_fleet_answer *ret,
		  const struct rpt_fleet_args *args, char *sql,
		  size_t column_nr, struct pd_err *err);

#endif
