#include "report/fleet/fleet_sql.h"

#include "report/fleet/fleet_sql_text.h"

#include <inttypes.h>
#include <stdlib.h>

char *rpt_fleet_sql_slices(const struct rpt_fleet_scope *scope)
{
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql,
		    "SELECT count(*), sum(has_twins), sum(is_short), "
		    "sum(is_damaged) FROM (\n"
		    "SELECT run, slice, CASE WHEN min(load) <> max(load) OR "
		    "count(*) > max(rows) THEN 1 ELSE 0 END AS has_twins,\n"
		    "CASE WHEN count(*) < max(rows) THEN 1 ELSE 0 END AS "
		    "is_short, max(damaged) AS is_damaged\nFROM ");
	rpt_sql_put_samples_of(&sql, true);
	rpt_sql_put(&sql, "\nGROUP BY run, slice) AS t");
	return rpt_sql_close(&sql);
}

char *rpt_fleet_sql_hosts(const struct rpt_fleet_scope *scope)
{
	struct rpt_sql sql;
	const char *time;

	rpt_sql_open(&sql, scope);
	time = rpt_sql_is_duckdb(&sql) ? "time" : "toUInt32(time)";
	rpt_sql_put(&sql, "SELECT side, ");
	rpt_sql_put_text(&sql, "host");
	rpt_sql_put(&sql, ", sum(slice_lost), sum(slice_number), count(*), "
			  "sum(slice_damaged), min(first_s), max(last_s), ");
	rpt_sql_put_text(&sql, "max(slice_release)");
	rpt_sql_put(&sql, "\nFROM (SELECT ");
	rpt_sql_put_side(&sql);
	rpt_sql_put(
		&sql,
		" AS side, host, run, slice, sum(lost) AS slice_lost, "
		"sum(number) AS slice_number, max(damaged) AS slice_damaged, "
		"min(");
	rpt_sql_put(&sql, time);
	rpt_sql_put(&sql, ") AS first_s, max(");
	rpt_sql_put(&sql, time);
	rpt_sql_put(&sql,
		    " + bin) AS last_s, max(release) AS slice_release\nFROM ");
	rpt_sql_put_samples(&sql);
	rpt_sql_put(&sql, "\nGROUP BY side, host, run, slice) AS t\n"
			  "GROUP BY side, host ORDER BY side, host");
	return rpt_sql_close(&sql);
}

char *rpt_fleet_sql_totals(const struct rpt_fleet_scope *scope)
{
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT side, ");
	rpt_sql_put_text(&sql, "event");
	rpt_sql_put(&sql, ", ");
	rpt_sql_put_text(&sql, "host");
	fprintf(sql.out,
		", max(is_clock), sum(CAST(weight AS %s)), sum(number)\n"
		"FROM (SELECT ",
		rpt_sql_real(&sql));
	rpt_sql_put_side(&sql);
	rpt_sql_put(&sql,
		    " AS side, event, host, is_clock, weight, number FROM ");
	rpt_sql_put_samples(&sql);
	rpt_sql_put(&sql, ") AS t\nGROUP BY side, event, host "
			  "ORDER BY side, event, host");
	return rpt_sql_close(&sql);
}

/* Put sums by host and function, as h, function, xa, na, xb, nb.  With callees
 * a function has all stacks that it is in, each once. */
static void put_by_host(struct rpt_sql *sql, const char *functions)
{
	bool children = sql->scope->args->children;

	if (children)
		rpt_sql_put(
			sql,
			"SELECT h, function, sum(sxa) AS xa, sum(sna) AS na, "
			"sum(sxb) AS xb, sum(snb) AS nb FROM (\n");
	fprintf(sql->out, "SELECT %s AS h, %s",
		rpt_sql_is_duckdb(sql) ? "hash(event, host)"
				       : "cityHash64(event, host)",
		children ? "stack" : "function");
	rpt_sql_put_sum(sql, "weight", false, children ? "sxa" : "xa");
	rpt_sql_put_sum(sql, "number", false, children ? "sna" : "na");
	rpt_sql_put_sum(sql, "weight", true, children ? "sxb" : "xb");
	rpt_sql_put_sum(sql, "number", true, children ? "snb" : "nb");
	rpt_sql_put(sql, "\nFROM ");
	rpt_sql_put_samples(sql);
	if (functions && !children)
		fprintf(sql->out, " AND function IN (%s)", functions);
	fprintf(sql->out, "\nGROUP BY h, %s", children ? "stack" : "function");
	if (!children)
		return;
	rpt_sql_put(sql, ") AS s\nINNER JOIN (SELECT stack, function FROM ");
	rpt_sql_put_table(sql, "stacks");
	if (functions)
		fprintf(sql->out, " WHERE function IN (%s)", functions);
	rpt_sql_put(sql, " GROUP BY stack, function) AS f USING (stack)\n"
			 "GROUP BY h, function");
}

/* Put totals by host, as h, event, host, wa, ca, wb, cb. */
static void put_hosts_totals(struct rpt_sql *sql)
{
	fprintf(sql->out, "SELECT %s AS h, event, host",
		rpt_sql_is_duckdb(sql) ? "hash(event, host)"
				       : "cityHash64(event, host)");
	rpt_sql_put_sum(sql, "weight", false, "wa");
	rpt_sql_put_sum(sql, "number", false, "ca");
	rpt_sql_put_sum(sql, "weight", true, "wb");
	rpt_sql_put_sum(sql, "number", true, "cb");
	rpt_sql_put(sql, "\nFROM ");
	rpt_sql_put_samples(sql);
	rpt_sql_put(sql, "\nGROUP BY h, event, host");
}

/* Put a host's share, 0 if it has no samples at all. */
static void put_share(struct rpt_sql *sql, char side)
{
	fprintf(sql->out, "CASE WHEN w%c > 0 THEN x%c / w%c ELSE 0 END AS s%c",
		side, side, side, side);
}

/* Put the variance of a share by chance, with two samples more in the row and
 * two outside of it, less that of a row without samples (diff_estimate.h). */
static void put_chance(struct rpt_sql *sql, char side)
{
	fprintf(sql->out,
		"CASE WHEN w%c > 0 THEN ((n%c + 2) * (c%c - n%c + 2) - "
		"2 * (c%c + 2)) / (c%c + 4) / (c%c + 4) / (c%c + 4) "
		"ELSE 0 END AS k%c",
		side, side, side, side, side, side, side, side, side);
}

char *rpt_fleet_sql_rows(const struct rpt_fleet_scope *scope)
{
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT ");
	rpt_sql_put_text(&sql, "event");
	rpt_sql_put(&sql, ", function, ");
	rpt_sql_put_text(&sql, "max(level)");
	rpt_sql_put(&sql, ", ");
	rpt_sql_put_text(&sql, "max(name)");
	rpt_sql_put(&sql, ", ");
	rpt_sql_put_text(&sql, "max(dso)");
	rpt_sql_put(&sql,
		    ",\nsum(xa), sum(na), sum(sa), sum(sa * sa), sum(ka), "
		    "sum(xb), sum(nb), sum(sb), sum(sb * sb), sum(kb), "
		    "sum(sa * sb)\nFROM (SELECT event, function, xa, na, xb, "
		    "nb, ");
	put_share(&sql, 'a');
	rpt_sql_put(&sql, ", ");
	put_share(&sql, 'b');
	rpt_sql_put(&sql, ",\n");
	put_chance(&sql, 'a');
	rpt_sql_put(&sql, ",\n");
	put_chance(&sql, 'b');
	rpt_sql_put(&sql, "\nFROM (");
	put_by_host(&sql, NULL);
	rpt_sql_put(&sql, ") AS x\nINNER JOIN (");
	put_hosts_totals(&sql);
	rpt_sql_put(&sql,
		    ") AS w USING (h)) AS y\nLEFT JOIN (SELECT function, "
		    "min(level) AS level, min(name) AS name, min(dso) AS dso "
		    "FROM ");
	rpt_sql_put_table(&sql, "stacks");
	if (!scope->args->children)
		rpt_sql_put(&sql, " WHERE is_self = 1");
	rpt_sql_put(&sql, " GROUP BY function) AS names USING (function)\n"
			  "GROUP BY event, function ORDER BY event, function");
	return rpt_sql_close(&sql);
}

/* Return numbers of functions, with commas between them. */
static char *list_of(const char *const *functions, size_t nr)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	for (size_t i = 0; i < nr; i++)
		fprintf(out, "%s%" PRIu64, i ? ", " : "",
			(uint64_t)strtoull(functions[i], NULL, 10));
	fclose(out);
	return text;
}

char *rpt_fleet_sql_shares(const struct rpt_fleet_scope *scope,
			   const char *const *functions, size_t nr)
{
	char *list = list_of(functions, nr);
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT ");
	rpt_sql_put_text(&sql, "event");
	rpt_sql_put(&sql, ", function, ");
	rpt_sql_put_text(&sql, "host");
	rpt_sql_put(&sql, ", ");
	put_share(&sql, 'a');
	rpt_sql_put(&sql, ", ");
	put_share(&sql, 'b');
	rpt_sql_put(&sql, "\nFROM (");
	put_by_host(&sql, list);
	rpt_sql_put(&sql, ") AS x\nINNER JOIN (");
	put_hosts_totals(&sql);
	rpt_sql_put(&sql, ") AS w USING (h) ORDER BY event, function, host");
	free(list);
	return rpt_sql_close(&sql);
}

/* Put the second in which the step of a sample begins. */
static void put_step(struct rpt_sql *sql)
{
	uint64_t step_s = sql->scope->args->step_ns / 1000000000;
	const char *time = rpt_sql_is_duckdb(sql) ? "CAST(time AS BIGINT)"
						  : "toUInt32(time)";

	fprintf(sql->out, "%s - %s %% %" PRIu64 " AS step", time, time, step_s);
}

static void put_step_sums(struct rpt_sql *sql, const char *by)
{
	fprintf(sql->out, "SELECT event, host, %s%s", by, *by ? ", " : "");
	put_step(sql);
	fprintf(sql->out, ", sum(CAST(weight AS %s)) AS %s\nFROM ",
		rpt_sql_real(sql), *by ? "x" : "w");
	rpt_sql_put_samples(sql);
}

char *rpt_fleet_sql_steps(const struct rpt_fleet_scope *scope,
			  const char *const *functions, size_t nr)
{
	char *list = list_of(functions, nr);
	bool children = scope->args->children;
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT ");
	rpt_sql_put_text(&sql, "event");
	rpt_sql_put(&sql, ", step, function, sum(x / w)\nFROM (");
	put_step_sums(&sql, children ? "stack" : "function");
	if (!children)
		fprintf(sql.out, " AND function IN (%s)", list);
	fprintf(sql.out, "\nGROUP BY event, host, step, %s) AS t\n",
		children ? "stack" : "function");
	if (children) {
		rpt_sql_put(&sql, "INNER JOIN (SELECT stack, function FROM ");
		rpt_sql_put_table(&sql, "stacks");
		fprintf(sql.out,
			" WHERE function IN (%s) GROUP BY stack, function) AS "
			"f USING (stack)\n",
			list);
	}
	rpt_sql_put(&sql, "INNER JOIN (");
	put_step_sums(&sql, "");
	rpt_sql_put(&sql,
		    "\nGROUP BY event, host, step) AS u USING (event, host, "
		    "step)\nWHERE w > 0 GROUP BY event, step, function "
		    "ORDER BY event, step, function");
	free(list);
	return rpt_sql_close(&sql);
}

char *rpt_fleet_sql_counts(const struct rpt_fleet_scope *scope)
{
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT ");
	rpt_sql_put_text(&sql, "event");
	rpt_sql_put(&sql, ", step, count(*)\nFROM (");
	put_step_sums(&sql, "");
	rpt_sql_put(&sql, "\nGROUP BY event, host, step) AS t\nWHERE w > 0 "
			  "GROUP BY event, step ORDER BY event, step");
	return rpt_sql_close(&sql);
}

char *rpt_fleet_sql_frames(const struct rpt_fleet_scope *scope)
{
	const char *comm =
		scope->args->question == RPT_FLEET_DIFF ? "''" : "comm";
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT ");
	rpt_sql_put_text(&sql, "event");
	rpt_sql_put(&sql, ", ");
	rpt_sql_put_text(&sql, "thread");
	rpt_sql_put(&sql, ", stack, ");
	rpt_sql_put_text(&sql, "name");
	fprintf(sql.out, ", na, nb\nFROM (SELECT event, %s AS thread, stack",
		comm);
	rpt_sql_put_sum(&sql, "number", false, "na");
	rpt_sql_put_sum(&sql, "number", true, "nb");
	rpt_sql_put(&sql, "\nFROM ");
	rpt_sql_put_samples(&sql);
	/* a stack has the same names wherever its code is */
	rpt_sql_put(&sql, "\nGROUP BY event, thread, stack) AS s\nINNER JOIN "
			  "(SELECT stack, place, min(name) AS name FROM ");
	rpt_sql_put_table(&sql, "stacks");
	rpt_sql_put(&sql, " GROUP BY stack, place) AS f USING (stack)\n"
			  "ORDER BY event, thread, stack, place");
	return rpt_sql_close(&sql);
}
