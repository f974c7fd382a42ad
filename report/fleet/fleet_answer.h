/* fleet_answer.h: what a database's client printed: lines of ClickHouse's
 * TabSeparated. */
#ifndef RPT_FLEET_ANSWER_H
#define RPT_FLEET_ANSWER_H

#include "format/base/err.h"

#include <stddef.h>

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

#endif
