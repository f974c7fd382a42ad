#include "report/fleet/fleet_sql_page.h"

#include "report/fleet/fleet_sql_text.h"

#include <inttypes.h>

static const char *hash_of_host(const struct rpt_sql *sql)
{
	return rpt_sql_is_duckdb(sql) ? "hash(host) % 1000000000000000"
				      : "cityHash64(host) % 1000000000000000";
}

char *rpt_fleet_sql_hashes(const struct rpt_fleet_scope *scope)
{
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT ");
	rpt_sql_put_text(&sql, "host");
	fprintf(sql.out, ", %s\nFROM ", hash_of_host(&sql));
	rpt_sql_put_samples(&sql);
	rpt_sql_put(&sql, "\nGROUP BY host ORDER BY host");
	return rpt_sql_close(&sql);
}

char *rpt_fleet_sql_span(const struct rpt_fleet_scope *scope)
{
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	fprintf(sql.out, "SELECT min(%s), max(%s + bin), max(bin)\nFROM ",
		rpt_sql_second(&sql), rpt_sql_second(&sql));
	rpt_sql_put_samples(&sql);
	return rpt_sql_close(&sql);
}

/* Put which range a host is in. */
static void put_range(struct rpt_sql *sql,
		      const struct rpt_fleet_ranges *ranges)
{
	if (ranges->nr < 2) {
		rpt_sql_put(sql, "0");
		return;
	}
	rpt_sql_put(sql, "CASE");
	for (size_t i = 1; i < ranges->nr; i++)
		fprintf(sql->out, "\nWHEN %s < %.0f THEN %zu",
			hash_of_host(sql), ranges->least[i], i - 1);
	fprintf(sql->out, " ELSE %zu END", ranges->nr - 1);
}

static void put_lane(struct rpt_sql *sql, const struct rpt_fleet_ranges *ranges,
		     uint64_t step_s)
{
	if (ranges) {
		put_range(sql, ranges);
		rpt_sql_put(sql, " AS lane, 0 AS step");
	} else {
		fprintf(sql->out,
			"release AS lane, %s - %s %% %" PRIu64 " AS step",
			rpt_sql_second(sql), rpt_sql_second(sql), step_s);
	}
}

char *rpt_fleet_sql_cells(const struct rpt_fleet_scope *scope,
			  const struct rpt_fleet_ranges *ranges,
			  uint64_t step_s)
{
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT ");
	rpt_sql_put_text(&sql, "event");
	rpt_sql_put(&sql, ", clock, ");
	rpt_sql_put_text(&sql, "comm");
	rpt_sql_put(&sql, ", stack, ");
	if (ranges)
		rpt_sql_put(&sql, "lane");
	else
		rpt_sql_put_text(&sql, "lane");
	rpt_sql_put(&sql, ", step, xa, na, xb, nb\nFROM (SELECT event, comm, "
			  "stack, ");
	put_lane(&sql, ranges, step_s);
	rpt_sql_put(&sql, ",\nmax(is_clock) AS clock");
	rpt_sql_put_sum(&sql, "weight", false, "xa");
	rpt_sql_put_sum(&sql, "number", false, "na");
	rpt_sql_put_sum(&sql, "weight", true, "xb");
	rpt_sql_put_sum(&sql, "number", true, "nb");
	rpt_sql_put(&sql, "\nFROM ");
	rpt_sql_put_samples(&sql);
	rpt_sql_put(&sql, "\nGROUP BY event, comm, stack, lane, step) AS t\n"
			  "ORDER BY event, comm, stack, lane, step");
	return rpt_sql_close(&sql);
}

char *rpt_fleet_sql_names(const struct rpt_fleet_scope *scope)
{
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT stack, ");
	rpt_sql_put_text(&sql, "name");
	rpt_sql_put(&sql, ", ");
	rpt_sql_put_text(&sql, "dso");
	rpt_sql_put(&sql, ", kind, ");
	rpt_sql_put_text(&sql, "level");
	/* a stack has the same names wherever its code is */
	rpt_sql_put(&sql, "\nFROM (SELECT stack, place, min(name) AS name, "
			  "min(dso) AS dso, min(kind) AS kind, min(level) AS "
			  "level\nFROM ");
	rpt_sql_put_table(&sql, "stacks");
	rpt_sql_put(&sql, rpt_sql_is_duckdb(&sql)
				  ? " WHERE stack IN (SELECT stack FROM "
				  : " WHERE stack GLOBAL IN (SELECT stack "
				    "FROM ");
	rpt_sql_put_samples(&sql);
	rpt_sql_put(&sql, ")\nGROUP BY stack, place) AS t\n"
			  "ORDER BY stack, place");
	return rpt_sql_close(&sql);
}
