#include "report/fleet/fleet_sql.h"

#include "report/fleet/fleet_sql_text.h"

#include <inttypes.h>
#include <stdlib.h>

/* Put a table, whose rows are the caller's to add up: what put() puts.  Of a
 * cluster each server puts that of its own rows: a subquery that is joined is
 * computed where the other table's rows are, and these are one row of
 * system.one on each server. */
static void put_each_server(struct rpt_sql *sql, bool is_local,
			    void (*put)(struct rpt_sql *))
{
	rpt_sql_put(sql, "\nFROM ");
	/* what is there twice may be on two servers */
	sql->is_local = is_local && sql->scope->args->is_cluster &&
			!sql->scope->has_twins;
	if (sql->is_local)
		rpt_sql_put(sql, "cluster('perfpair', system.one) ALL INNER "
				 "JOIN (SELECT 0 AS dummy, * FROM ");
	rpt_sql_put(sql, "(");
	put(sql);
	rpt_sql_put(sql, ") AS q\n");
	if (sql->is_local)
		rpt_sql_put(sql, ") AS v USING (dummy)\n");
	sql->is_local = false;
}

/* Columns of both sides in the order of the answer. */
static const struct {
	const char *column, *name;
} totals[] = {
	{ "1", "r" },
	{ "weight", "w" },
	{ "number", "c" },
};
enum { TOTAL_NR = sizeof(totals) / sizeof(totals[0]) };

/* Put the totals of hosts, as event, host, clock, ra and so on. */
static void put_totals(struct rpt_sql *sql)
{
	rpt_sql_put(sql, "SELECT event, host, max(is_clock) AS clock");
	for (size_t i = 0; i < 2 * TOTAL_NR; i++) {
		char name[4];

		snprintf(name, sizeof(name), "%s%c", totals[i % TOTAL_NR].name,
			 i < TOTAL_NR ? 'a' : 'b');
		rpt_sql_put_sum(sql, totals[i % TOTAL_NR].column, i >= TOTAL_NR,
				name);
	}
	rpt_sql_put(sql, "\nFROM ");
	rpt_sql_put_samples(sql);
	rpt_sql_put(sql, "\nGROUP BY event, host");
}

char *rpt_fleet_sql_totals(const struct rpt_fleet_scope *scope)
{
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT ");
	rpt_sql_put_text(&sql, "event");
	rpt_sql_put(&sql, ", ");
	rpt_sql_put_text(&sql, "host");
	rpt_sql_put(&sql, ", count(*), max(clock)");
	for (size_t i = 0; i < 2 * TOTAL_NR; i++)
		fprintf(sql.out, ", sum(%s%c)", totals[i % TOTAL_NR].name,
			i < TOTAL_NR ? 'a' : 'b');
	put_each_server(&sql, true, put_totals);
	rpt_sql_put(&sql, "GROUP BY event, host ORDER BY host, event");
	return rpt_sql_close(&sql);
}

/* Put a number for an event on a host. */
static void put_hash(struct rpt_sql *sql)
{
	fprintf(sql->out, "%s(event, host) AS h",
		rpt_sql_is_duckdb(sql) ? "hash" : "cityHash64");
}

/* Put the four sums of a side and the other, as xa, na, xb, nb behind prefix.
 */
static void put_sums(struct rpt_sql *sql, const char *prefix)
{
	static const char *const columns[] = { "weight", "number" };

	for (size_t i = 0; i < 4; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%s%c%c", prefix, "xn"[i % 2],
			 "ab"[i / 2]);
		rpt_sql_put_sum(sql, columns[i % 2], i / 2, name);
	}
}

/* Put sums by host and function, as function, xa, na, xb, nb and the host: as
 * h; of some functions as event, host.  With callees a function has all stacks
 * that it is in, each once. */
static void put_by_host(struct rpt_sql *sql, const char *functions)
{
	const char *host = functions ? "event, host" : "h";
	bool children = sql->scope->args->children;

	if (children)
		fprintf(sql->out,
			"SELECT %s, function, sum(sxa) AS xa, sum(sna) AS na, "
			"sum(sxb) AS xb, sum(snb) AS nb FROM (\n",
			host);
	rpt_sql_put(sql, "SELECT ");
	if (functions)
		rpt_sql_put(sql, host);
	else
		put_hash(sql);
	rpt_sql_put(sql, children ? ", stack" : ", function");
	put_sums(sql, children ? "s" : "");
	rpt_sql_put(sql, "\nFROM ");
	rpt_sql_put_samples(sql);
	if (functions && !children)
		fprintf(sql->out, " AND function IN (%s)", functions);
	fprintf(sql->out, "\nGROUP BY %s, %s", host,
		children ? "stack" : "function");
	if (!children)
		return;
	rpt_sql_put(sql, ") AS s\nINNER JOIN (SELECT stack, function FROM ");
	rpt_sql_put_table(sql, "stacks");
	if (functions)
		fprintf(sql->out, " WHERE function IN (%s)", functions);
	fprintf(sql->out,
		" GROUP BY stack, function) AS f USING (stack)\n"
		"GROUP BY %s, function",
		host);
}

/* Put totals by host, as h, event, wa, ca, wb, cb. */
static void put_hosts_totals(struct rpt_sql *sql)
{
	rpt_sql_put(sql, "SELECT ");
	put_hash(sql);
	rpt_sql_put(sql, ", event");
	rpt_sql_put_sum(sql, "weight", false, "wa");
	rpt_sql_put_sum(sql, "number", false, "ca");
	rpt_sql_put_sum(sql, "weight", true, "wb");
	rpt_sql_put_sum(sql, "number", true, "cb");
	rpt_sql_put(sql, "\nFROM ");
	rpt_sql_put_samples(sql);
	rpt_sql_put(sql, "\nGROUP BY h, event");
}

/* Put what a function's sums on a host are multiplied by, as h, event, ca, cb:
 * ua, ub to get shares, 0 if the side has no samples; va, vb likewise, 0 if
 * either has none; qa, qb. */
static void put_factors(struct rpt_sql *sql)
{
	rpt_sql_put(sql, "SELECT h, event, ca, cb");
	for (const char *side = "ab"; *side; side++)
		fprintf(sql->out,
			",\nCASE WHEN w%c > 0 THEN 1 / w%c ELSE 0 END AS u%c, "
			"CASE WHEN wa > 0 AND wb > 0 THEN 1 / w%c ELSE 0 END "
			"AS v%c, 1 / (c%c + 4) / (c%c + 4) / (c%c + 4) AS q%c",
			*side, *side, *side, *side, *side, *side, *side, *side,
			*side);
	rpt_sql_put(sql, "\nFROM (");
	put_hosts_totals(sql);
	rpt_sql_put(sql, ") AS w");
}

/* What the sums of a function on the hosts add up to, from RPT_FLEET_ROW_OLD
 * on.  The variance of a share by chance (diff_estimate.h), with two samples
 * more in the row and two outside of it, less that of a row without samples:
 *	n (c - n) / (c + 4)^3	for n of c samples */
static const char *const sums[] = {
	"xa",
	"na",
	"(xa * ua)",
	"(xa * ua) * (xa * ua)",
	"na * (ca - na) * qa",
	"xb",
	"nb",
	"(xb * ub)",
	"(xb * ub) * (xb * ub)",
	"nb * (cb - nb) * qb",
	"(xa * va)",
	"(xa * va) * (xa * va)",
	"(xb * vb)",
	"(xb * vb) * (xb * vb)",
	"(xa * va) * (xb * vb)",
};
enum { SUM_NR = sizeof(sums) / sizeof(sums[0]) };

/* Put sums by event and function, as t0, t1 and so on. */
static void put_row_sums(struct rpt_sql *sql)
{
	rpt_sql_put(sql, "SELECT event, function");
	for (size_t i = 0; i < SUM_NR; i++)
		fprintf(sql->out, ", sum(%s) AS t%zu", sums[i], i);
	rpt_sql_put(sql, "\nFROM (");
	put_by_host(sql, NULL);
	rpt_sql_put(sql, ") AS x\nINNER JOIN (");
	put_factors(sql);
	rpt_sql_put(sql, ") AS f USING (h)\nGROUP BY event, function");
}

char *rpt_fleet_sql_rows(const struct rpt_fleet_scope *scope, bool is_spread)
{
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT ");
	rpt_sql_put_text(&sql, "event");
	rpt_sql_put(&sql, ", function, ");
	rpt_sql_put_text(&sql, "level");
	rpt_sql_put(&sql, ", ");
	rpt_sql_put_text(&sql, "name");
	rpt_sql_put(&sql, ", ");
	rpt_sql_put_text(&sql, "dso");
	for (size_t i = 0; i < SUM_NR; i++)
		fprintf(sql.out, ", u%zu", i);
	rpt_sql_put(&sql, "\nFROM (SELECT event, function");
	for (size_t i = 0; i < SUM_NR; i++)
		fprintf(sql.out, ", sum(t%zu) AS u%zu", i, i);
	put_each_server(&sql, !is_spread, put_row_sums);
	/* names are joined to few rows */
	rpt_sql_put(&sql, "GROUP BY event, function) AS r\n"
			  "LEFT JOIN (SELECT function, min(level) AS level, "
			  "min(name) AS name, min(dso) AS dso FROM ");
	rpt_sql_put_table(&sql, "stacks");
	if (!scope->args->children)
		rpt_sql_put(&sql, " WHERE is_self = 1");
	rpt_sql_put(&sql, " GROUP BY function) AS names USING (function)\n"
			  "ORDER BY event, function");
	return rpt_sql_close(&sql);
}

char *rpt_fleet_sql_missing(const struct rpt_fleet_scope *scope)
{
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT sum(number) FROM ");
	rpt_sql_put_samples(&sql);
	rpt_sql_put(&sql, "\nAND stack <> 0 AND stack ");
	rpt_sql_put(&sql, rpt_sql_is_duckdb(&sql) ? "" : "GLOBAL ");
	rpt_sql_put(&sql, "NOT IN (SELECT stack FROM ");
	rpt_sql_put_table(&sql, "stacks");
	rpt_sql_put(&sql, ")");
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

char *rpt_fleet_sql_weights(const struct rpt_fleet_scope *scope,
			    const char *const *functions, size_t nr)
{
	char *list = list_of(functions, nr);
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT ");
	rpt_sql_put_text(&sql, "event");
	rpt_sql_put(&sql, ", function, ");
	rpt_sql_put_text(&sql, "host");
	rpt_sql_put(&sql, ", xa, xb\nFROM (");
	put_by_host(&sql, list);
	rpt_sql_put(&sql, ") AS x ORDER BY event, function, host");
	free(list);
	return rpt_sql_close(&sql);
}

/* Put the second in which the step of a sample begins. */
static void put_step(struct rpt_sql *sql)
{
	const char *second = rpt_sql_second(sql);

	fprintf(sql->out, "%s - %s %% %" PRIu64 " AS step", second, second,
		sql->scope->args->step_ns / 1000000000);
}

static void put_step_sums(struct rpt_sql *sql, const char *by)
{
	fprintf(sql->out, "SELECT event, host, %s%s", by, *by ? ", " : "");
	put_step(sql);
	fprintf(sql->out, ", sum(CAST(weight AS %s)) AS %s\nFROM ",
		rpt_sql_real(sql), *by ? "x" : "w");
	rpt_sql_put_samples(sql);
}

/* Put sums by event, host, step and function.  With callees a function has all
 * stacks that it is in; 18.16 takes no second JOIN beside the first. */
static void put_step_functions(struct rpt_sql *sql, const char *list)
{
	bool children = sql->scope->args->children;

	if (children)
		rpt_sql_put(sql, "SELECT event, host, step, function, sum(x) "
				 "AS y FROM (\n");
	put_step_sums(sql, children ? "stack" : "function");
	if (!children)
		fprintf(sql->out, " AND function IN (%s)", list);
	fprintf(sql->out, "\nGROUP BY event, host, step, %s",
		children ? "stack" : "function");
	if (!children)
		return;
	rpt_sql_put(sql, ") AS s\nINNER JOIN (SELECT stack, function FROM ");
	rpt_sql_put_table(sql, "stacks");
	fprintf(sql->out,
		" WHERE function IN (%s) GROUP BY stack, function) AS f USING "
		"(stack)\nGROUP BY event, host, step, function",
		list);
}

char *rpt_fleet_sql_steps(const struct rpt_fleet_scope *scope,
			  const char *const *functions, size_t nr)
{
	char *list = list_of(functions, nr);
	struct rpt_sql sql;

	rpt_sql_open(&sql, scope);
	rpt_sql_put(&sql, "SELECT ");
	rpt_sql_put_text(&sql, "event");
	fprintf(sql.out, ", step, function, sum(%s / w)\nFROM (",
		scope->args->children ? "y" : "x");
	put_step_functions(&sql, list);
	rpt_sql_put(&sql, ") AS t\nINNER JOIN (");
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
	fprintf(sql.out,
		", na, nb, is_there\nFROM (SELECT event, %s AS thread, stack",
		comm);
	rpt_sql_put_sum(&sql, "number", false, "na");
	rpt_sql_put_sum(&sql, "number", true, "nb");
	rpt_sql_put(&sql, "\nFROM ");
	rpt_sql_put_samples(&sql);
	/* a stack has the same names wherever its code is */
	rpt_sql_put(&sql, "\nGROUP BY event, thread, stack) AS s\nLEFT JOIN "
			  "(SELECT stack, place, min(name) AS name, 1 AS "
			  "is_there FROM ");
	rpt_sql_put_table(&sql, "stacks");
	rpt_sql_put(&sql, " GROUP BY stack, place) AS f USING (stack)\n"
			  "ORDER BY event, thread, stack, place");
	return rpt_sql_close(&sql);
}
