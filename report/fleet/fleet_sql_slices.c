/* The slices by host, as SQL. */
#include "report/fleet/fleet_sql.h"

#include "report/fleet/fleet_sql_text.h"

#include <inttypes.h>

/* Put what a slice has: whether it has samples of the old side and of the new
 * one, and of those that are asked for their number and when they were. */
static void put_asked(struct rpt_sql *sql)
{
	const char *second = rpt_sql_second(sql);

	for (int is_new = 0; is_new < 2; is_new++) {
		rpt_sql_put(sql, ",\nmax(CASE WHEN ");
		rpt_sql_put_is_asked(sql, is_new);
		rpt_sql_put(sql, " THEN 1 ELSE 0 END) AS ");
		rpt_sql_put(sql, is_new ? "is_new" : "is_old");
	}
	rpt_sql_put(sql, ",\nsum(CASE WHEN ");
	rpt_sql_put_is_any_asked(sql);
	rpt_sql_put(sql,
		    " THEN number ELSE 0 END) AS asked_nr, min(CASE WHEN ");
	rpt_sql_put_is_any_asked(sql);
	fprintf(sql->out,
		" THEN %s ELSE 4294967296 END) AS first_s, max(CASE "
		"WHEN ",
		second);
	rpt_sql_put_is_any_asked(sql);
	fprintf(sql->out, " THEN %s + bin ELSE 0 END) AS end_s", second);
}

/* Put slices, each as a row. */
static void put_slices(struct rpt_sql *sql)
{
	rpt_sql_put(
		sql,
		"SELECT max(host) AS host_name, max(release) AS "
		"release_name,\n"
		"CASE WHEN min(load) <> max(load) OR count(*) > max(seq) + 1 "
		"THEN 1 ELSE 0 END AS has_twins,\n"
		"CASE WHEN count(*) < max(rows) OR max(seq) + 1 < "
		"max(rows) THEN 1 ELSE 0 END AS is_short,\n"
		"max(damaged) AS is_damaged, sum(lost) AS lost_nr, "
		"sum(number) AS all_nr");
	put_asked(sql);
	rpt_sql_put(sql, "\nFROM ");
	/* an older load may have other labels */
	rpt_sql_put_loaded(sql);
	rpt_sql_put(sql, "\nGROUP BY run, slice\nHAVING max(CASE WHEN ");
	rpt_sql_put_is_of_scope(sql);
	rpt_sql_put(sql, " THEN 1 ELSE 0 END) = 1");
	if (sql->scope->args->from_s >= 0)
		fprintf(sql->out, " AND max(%s + bin) > %" PRId64,
			rpt_sql_second(sql), sql->scope->args->from_s);
}

char *rpt_fleet_sql_slices(const struct rpt_fleet_scope *scope)
{
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT ");
	rpt_sql_put_text(&sql, "host_name");
	rpt_sql_put(&sql,
		    ", count(*), sum(has_twins), sum(is_short), "
		    "sum(is_damaged),\n"
		    "sum(greatest(is_old, is_new)), sum(greatest(is_old, "
		    "is_new) * is_damaged), sum(greatest(is_old, is_new) * "
		    "lost_nr),\nsum(asked_nr), min(first_s), max(end_s), ");
	rpt_sql_put_text(&sql, "max(release_name)");
	for (int is_new = 0; is_new < 2; is_new++) {
		const char *side = is_new ? "is_new" : "is_old";

		fprintf(sql.out,
			",\nsum(%s * lost_nr), sum(%s * all_nr), "
			"sum(%s * is_damaged)",
			side, side, side);
	}
	rpt_sql_put(&sql, "\nFROM (");
	put_slices(&sql);
	rpt_sql_put(&sql, ") AS s\nGROUP BY host_name ORDER BY host_name");
	return rpt_sql_close(&sql);
}
