/* fleet_sql_text.h: the parts that questions have in common, in the dialect of
 * the database; private to this room.
 *
 *	rpt_sql_open(&sql, scope);
 *	rpt_sql_put(&sql, "SELECT count(*) FROM ");
 *	rpt_sql_put_samples(&sql);
 *	return rpt_sql_close(&sql);
 */
#ifndef RPT_FLEET_SQL_TEXT_H
#define RPT_FLEET_SQL_TEXT_H

#include "report/fleet/fleet_sql.h"

#include <stdio.h>

/* SQL under construction. */
struct rpt_sql {
	const struct rpt_fleet_scope *scope;
	FILE *out;
	char *text;
	size_t len;
	bool is_local; /* what follows runs on each server of a cluster, on its
			* own rows */
};

void rpt_sql_open(struct rpt_sql *sql, const struct rpt_fleet_scope *scope);
/* Return the text, which the caller frees. */
char *rpt_sql_close(struct rpt_sql *sql);

bool rpt_sql_is_duckdb(const struct rpt_sql *sql);
/* Return the name of the type of a double. */
const char *rpt_sql_real(const struct rpt_sql *sql);

void rpt_sql_put(struct rpt_sql *sql, const char *text);
/* Put a column of text for the answer, whose lines are TabSeparated. */
void rpt_sql_put_text(struct rpt_sql *sql, const char *column);
void rpt_sql_put_table(struct rpt_sql *sql, const char *name);
/* Put "samples WHERE ...": each sample of the scope once. */
void rpt_sql_put_samples(struct rpt_sql *sql);
/* Put the same of all slices that may have samples at the asked time, whatever
 * their labels. */
void rpt_sql_put_loaded(struct rpt_sql *sql);
/* Put what is true of rows of a slice that the question is about. */
void rpt_sql_put_is_of_scope(struct rpt_sql *sql);
/* Return the second of a row. */
const char *rpt_sql_second(const struct rpt_sql *sql);
/* Put what is true of rows that are asked for and of one side.  A question that
 * has one side takes it for the new one. */
void rpt_sql_put_is_asked(struct rpt_sql *sql, bool is_new);
/* Put the same of either side. */
void rpt_sql_put_is_any_asked(struct rpt_sql *sql);
/* Put ", sum(...) AS name" of a column's values on one side, of rows that are
 * asked for. */
void rpt_sql_put_sum(struct rpt_sql *sql, const char *column, bool is_new,
		     const char *name);

#endif
