#include "report/fleet/fleet_sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts that questions have in common, in the dialect of the database.
 *
 *	sql_open(&sql, scope);
 *	sql_put(&sql, "SELECT count(*) FROM ");
 *	sql_put_samples(&sql);
 *	return sql_close(&sql); */

/* SQL under construction. */
struct sql {
	const struct rpt_fleet_scope *scope;
	FILE *out;
	char *text;
	size_t len;
	bool is_local; /* what follows runs on each server of a cluster, on its
			* own rows */
};

#define DAY_S 86400 /* slices that are longer may be missed: export says so */

static void sql_open(struct sql *sql, const struct rpt_fleet_scope *scope)
{
	*sql = (struct sql){ .scope = scope };
	sql->out = open_memstream(&sql->text, &sql->len);
	if (!sql->out)
		abort();
}

/* Return the text, which the caller frees. */
static char *sql_close(struct sql *sql)
{
	fputc('\n', sql->out);
	fclose(sql->out);
	return sql->text;
}

static bool sql_is_duckdb(const struct sql *sql)
{
	return sql->scope->args->engine == RPT_FLEET_DUCKDB;
}

static void sql_put(struct sql *sql, const char *text)
{
	fputs(text, sql->out);
}

/* Put a literal; those of DuckDB have no escapes. */
static void put_literal(struct sql *sql, const char *text, size_t len)
{
	fputc('\'', sql->out);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\'')
			fputs(sql_is_duckdb(sql) ? "''" : "\\'", sql->out);
		else if (text[i] == '\\' && !sql_is_duckdb(sql))
			fputs("\\\\", sql->out);
		else
			fputc(text[i], sql->out);
	}
	fputc('\'', sql->out);
}

/* Put a column of text for the answer, whose lines are TabSeparated. */
static void sql_put_text(struct sql *sql, const char *column)
{
	if (sql_is_duckdb(sql))
		fprintf(sql->out,
			"replace(replace(replace(replace(coalesce(%s, ''), "
			"'\\', '\\\\'), chr(9), '\\t'), chr(10), '\\n'), "
			"chr(13), '\\r')",
			column);
	else
		sql_put(sql, column);
}

static void sql_put_table(struct sql *sql, const char *name)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	if (!sql_is_duckdb(sql))
		fprintf(sql->out, "%s.", args->database);
	fprintf(sql->out, "%s%s", name,
		args->is_cluster && !sql->is_local ? "_all" : "");
}

/* Columns that terms name; the first ones are the same for all rows of a slice.
 */
static const char *const columns[] = { "host",	      "release", "service",
				       "run",	      "pod",	 "container",
				       "cgroup",      "comm",	 "event",
				       "comm_nodigit" };
enum {
	OF_SLICE = 4,
	COMM_KIND = 9,
	COLUMN_NR = sizeof(columns) / sizeof(columns[0])
};

/* Return the number of a term's column; COLUMN_NR: it is another label. */
static size_t column_of(const char *term)
{
	size_t len = strcspn(term, "="), i = 0;

	while (i < COLUMN_NR && (strlen(columns[i]) != len ||
				 strncmp(columns[i], term, len) != 0))
		i++;
	return i;
}

static void put_term(struct sql *sql, const char *term)
{
	size_t len = strcspn(term, "=");
	size_t column = column_of(term);
	char *line = NULL;

	if (column < COLUMN_NR) {
		if (column == COMM_KIND) /* the sort key of report */
			sql_put(sql, sql_is_duckdb(sql)
					     ? "regexp_replace(comm, '[0-9]+', "
					       "'<N>', 'g') = "
					     : "replaceRegexpAll(comm, "
					       "'[0-9]+', '<N>') = ");
		else
			fprintf(sql->out, "%.*s = ", (int)len, term);
		put_literal(sql, term + len + 1, strlen(term + len + 1));
		return;
	}
	if (asprintf(&line, "\n%s\n", term) < 0)
		abort();
	sql_put(sql,
		sql_is_duckdb(sql) ? "strpos(labels, " : "position(labels, ");
	put_literal(sql, line, strlen(line));
	sql_put(sql, ") > 0");
	free(line);
}

/* Put the terms that hold together; with only_slices those that are the same
 * for all rows of a slice. */
static void put_terms(struct sql *sql, const struct rpt_fleet_terms *terms,
		      bool only_slices)
{
	sql_put(sql, "(1 = 1");
	for (size_t i = 0; i < terms->nr; i++) {
		const char *term = terms->items[i];

		size_t column = column_of(term);

		if (only_slices && column >= OF_SLICE && column < COLUMN_NR)
			continue;
		sql_put(sql, " AND ");
		put_term(sql, term);
	}
	sql_put(sql, ")");
}

static void put_sides(struct sql *sql, bool only_slices)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	put_terms(sql, &args->where, only_slices);
	if (args->question != RPT_FLEET_DIFF)
		return;
	sql_put(sql, " AND (");
	put_terms(sql, &args->old, only_slices);
	sql_put(sql, " OR ");
	put_terms(sql, &args->new, only_slices);
	sql_put(sql, ")");
}

/* Put what is true of rows of a slice that the question is about. */
static void sql_put_is_of_scope(struct sql *sql)
{
	put_sides(sql, true);
}

/* Return the second of a row. */
static const char *sql_second(const struct sql *sql)
{
	return sql_is_duckdb(sql) ? "CAST(time AS BIGINT)" : "toUInt32(time)";
}

/* Put what chooses slices by their start. */
static void put_starts(struct sql *sql)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	if (args->from_s >= 0)
		fprintf(sql->out, " AND start >= %" PRId64,
			args->from_s > DAY_S ? args->from_s - DAY_S : 0);
	if (args->to_s >= 0)
		fprintf(sql->out, " AND start < %" PRId64, args->to_s);
}

/* Put the same of either side. */
static void sql_put_is_any_asked(struct sql *sql)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	put_sides(sql, false);
	if (args->from_s >= 0)
		fprintf(sql->out, " AND time >= %" PRId64, args->from_s);
	if (args->to_s >= 0)
		fprintf(sql->out, " AND time < %" PRId64, args->to_s);
}

/* Put samples, or all of their slices; of those that are there twice, those of
 * the latest load. */
static void put_rows(struct sql *sql, bool are_whole)
{
	sql_put_table(sql, "samples");
	if (sql->scope->has_twins)
		sql_put(sql, " FINAL");
	sql_put(sql, "\nWHERE 1 = 1");
	put_starts(sql);
	if (!are_whole) {
		sql_put(sql, " AND ");
		sql_put_is_any_asked(sql);
	}
	if (!sql->scope->has_twins)
		return;
	/* an older load may have had more rows, or other labels */
	sql_put(sql, "\nAND (run, slice, load) GLOBAL IN (SELECT run, slice, "
		     "max(load) FROM ");
	sql_put_table(sql, "samples");
	sql_put(sql, " GROUP BY run, slice)");
}

/* Put each row once. */
static void put_rows_once(struct sql *sql, bool are_whole)
{
	bool may_be_apart =
		sql->scope->has_twins && sql->scope->args->is_cluster;

	if (!may_be_apart) {
		put_rows(sql, are_whole);
		return;
	}
	/* FINAL is of each server alone */
	sql_put(sql, "(SELECT * FROM ");
	put_rows(sql, are_whole);
	sql_put(sql, "\nLIMIT 1 BY run, slice, seq) AS once\nWHERE 1 = 1");
}

/* Put "samples WHERE ...": each sample of the scope once. */
static void sql_put_samples(struct sql *sql)
{
	put_rows_once(sql, false);
}

/* Put the same of all slices that may have samples at the asked time, whatever
 * their labels. */
static void sql_put_loaded(struct sql *sql)
{
	put_rows_once(sql, true);
}

/* Return the name of the type of a double. */
static const char *sql_real(const struct sql *sql)
{
	return sql_is_duckdb(sql) ? "DOUBLE" : "Float64";
}

/* Put what is true of rows of a side. */
static void put_is_side(struct sql *sql, bool is_new)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	if (args->question != RPT_FLEET_DIFF) {
		sql_put(sql, is_new ? "1 = 1" : "1 = 0");
		return;
	}
	put_terms(sql, is_new ? &args->new : &args->old, false);
}

/* Put what is true of rows that are asked for and of one side.  A question that
 * has one side takes it for the new one. */
static void sql_put_is_asked(struct sql *sql, bool is_new)
{
	sql_put_is_any_asked(sql);
	sql_put(sql, " AND ");
	put_is_side(sql, is_new);
}

/* Put ", sum(...) AS name" of a column's values on one side, of rows that are
 * asked for. */
static void sql_put_sum(struct sql *sql, const char *column, bool is_new,
			const char *name)
{
	fputs(", sum(CASE WHEN ", sql->out);
	put_is_side(sql, is_new);
	fprintf(sql->out, " THEN CAST(%s AS %s) ELSE 0 END) AS %s", column,
		sql_real(sql), name);
}

/* Put a table, whose rows are the caller's to add up: what put() puts.  Of a
 * cluster each server puts that of its own rows: a subquery that is joined is
 * computed where the other table's rows are, and these are one row of
 * system.one on each server. */
static void put_each_server(struct sql *sql, bool is_local,
			    void (*put)(struct sql *))
{
	sql_put(sql, "\nFROM ");
	/* what is there twice may be on two servers */
	sql->is_local = is_local && sql->scope->args->is_cluster &&
			!sql->scope->has_twins;
	if (sql->is_local)
		sql_put(sql, "cluster('perfpair', system.one) ALL INNER "
			     "JOIN (SELECT 0 AS dummy, * FROM ");
	sql_put(sql, "(");
	put(sql);
	sql_put(sql, ") AS q\n");
	if (sql->is_local)
		sql_put(sql, ") AS v USING (dummy)\n");
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
static void put_totals(struct sql *sql)
{
	sql_put(sql, "SELECT event, host, max(is_clock) AS clock");
	for (size_t i = 0; i < 2 * TOTAL_NR; i++) {
		char name[4];

		snprintf(name, sizeof(name), "%s%c", totals[i % TOTAL_NR].name,
			 i < TOTAL_NR ? 'a' : 'b');
		sql_put_sum(sql, totals[i % TOTAL_NR].column, i >= TOTAL_NR,
			    name);
	}
	sql_put(sql, "\nFROM ");
	sql_put_samples(sql);
	sql_put(sql, "\nGROUP BY event, host");
}

char *rpt_fleet_sql_totals(const struct rpt_fleet_scope *scope)
{
	struct sql sql;

	sql_open(&sql, scope);
	sql_put(&sql, "SELECT ");
	sql_put_text(&sql, "event");
	sql_put(&sql, ", ");
	sql_put_text(&sql, "host");
	sql_put(&sql, ", count(*), max(clock)");
	for (size_t i = 0; i < 2 * TOTAL_NR; i++)
		fprintf(sql.out, ", sum(%s%c)", totals[i % TOTAL_NR].name,
			i < TOTAL_NR ? 'a' : 'b');
	put_each_server(&sql, true, put_totals);
	sql_put(&sql, "GROUP BY event, host ORDER BY host, event");
	return sql_close(&sql);
}

/* Put a number for an event on a host. */
static void put_hash(struct sql *sql)
{
	fprintf(sql->out, "%s(event, host) AS h",
		sql_is_duckdb(sql) ? "hash" : "cityHash64");
}

/* Put the four sums of a side and the other, as xa, na, xb, nb behind prefix.
 */
static void put_sums(struct sql *sql, const char *prefix)
{
	static const char *const sums[] = { "weight", "number" };

	for (size_t i = 0; i < 4; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%s%c%c", prefix, "xn"[i % 2],
			 "ab"[i / 2]);
		sql_put_sum(sql, sums[i % 2], i / 2, name);
	}
}

/* Put sums by host and function, as function, xa, na, xb, nb and the host: as
 * h; of some functions as event, host.  With callees a function has all stacks
 * that it is in, each once. */
static void put_by_host(struct sql *sql, const char *functions)
{
	const char *host = functions ? "event, host" : "h";
	bool children = sql->scope->args->children;

	if (children)
		fprintf(sql->out,
			"SELECT %s, function, sum(sxa) AS xa, sum(sna) AS na, "
			"sum(sxb) AS xb, sum(snb) AS nb FROM (\n",
			host);
	sql_put(sql, "SELECT ");
	if (functions)
		sql_put(sql, host);
	else
		put_hash(sql);
	sql_put(sql, children ? ", stack" : ", function");
	put_sums(sql, children ? "s" : "");
	sql_put(sql, "\nFROM ");
	sql_put_samples(sql);
	if (functions && !children)
		fprintf(sql->out, " AND function IN (%s)", functions);
	fprintf(sql->out, "\nGROUP BY %s, %s", host,
		children ? "stack" : "function");
	if (!children)
		return;
	sql_put(sql, ") AS s\nINNER JOIN (SELECT stack, function FROM ");
	sql_put_table(sql, "stacks");
	if (functions)
		fprintf(sql->out, " WHERE function IN (%s)", functions);
	fprintf(sql->out,
		" GROUP BY stack, function) AS f USING (stack)\n"
		"GROUP BY %s, function",
		host);
}

/* Put totals by host, as h, event, wa, ca, wb, cb. */
static void put_hosts_totals(struct sql *sql)
{
	sql_put(sql, "SELECT ");
	put_hash(sql);
	sql_put(sql, ", event");
	sql_put_sum(sql, "weight", false, "wa");
	sql_put_sum(sql, "number", false, "ca");
	sql_put_sum(sql, "weight", true, "wb");
	sql_put_sum(sql, "number", true, "cb");
	sql_put(sql, "\nFROM ");
	sql_put_samples(sql);
	sql_put(sql, "\nGROUP BY h, event");
}

/* Put what a function's sums on a host are multiplied by, as h, event, ca, cb:
 * ua, ub to get shares, 0 if the side has no samples; va, vb likewise, 0 if
 * either has none; qa, qb. */
static void put_factors(struct sql *sql)
{
	sql_put(sql, "SELECT h, event, ca, cb");
	for (const char *side = "ab"; *side; side++)
		fprintf(sql->out,
			",\nCASE WHEN w%c > 0 THEN 1 / w%c ELSE 0 END AS u%c, "
			"CASE WHEN wa > 0 AND wb > 0 THEN 1 / w%c ELSE 0 END "
			"AS v%c, 1 / (c%c + 4) / (c%c + 4) / (c%c + 4) AS q%c",
			*side, *side, *side, *side, *side, *side, *side, *side,
			*side);
	sql_put(sql, "\nFROM (");
	put_hosts_totals(sql);
	sql_put(sql, ") AS w");
}

/* Columns of the total of a function's sums on the hosts, from
 * RPT_FLEET_ROW_OLD on.  The variance of a share by chance (diff_estimate.h),
 * with two samples more in the row and two outside of it, less that of a row
 * without samples:
 * 	n (c - n) / (c + 4)^3	for n of c samples */
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
static void put_row_sums(struct sql *sql)
{
	sql_put(sql, "SELECT event, function");
	for (size_t i = 0; i < SUM_NR; i++)
		fprintf(sql->out, ", sum(%s) AS t%zu", sums[i], i);
	sql_put(sql, "\nFROM (");
	put_by_host(sql, NULL);
	sql_put(sql, ") AS x\nINNER JOIN (");
	put_factors(sql);
	sql_put(sql, ") AS f USING (h)\nGROUP BY event, function");
}

char *rpt_fleet_sql_rows(const struct rpt_fleet_scope *scope, bool is_spread)
{
	struct sql sql;

	sql_open(&sql, scope);
	sql_put(&sql, "SELECT ");
	sql_put_text(&sql, "event");
	sql_put(&sql, ", function, ");
	sql_put_text(&sql, "level");
	sql_put(&sql, ", ");
	sql_put_text(&sql, "name");
	sql_put(&sql, ", ");
	sql_put_text(&sql, "dso");
	for (size_t i = 0; i < SUM_NR; i++)
		fprintf(sql.out, ", u%zu", i);
	sql_put(&sql, "\nFROM (SELECT event, function");
	for (size_t i = 0; i < SUM_NR; i++)
		fprintf(sql.out, ", sum(t%zu) AS u%zu", i, i);
	put_each_server(&sql, !is_spread, put_row_sums);
	/* names are joined to few rows */
	sql_put(&sql, "GROUP BY event, function) AS r\n"
		      "LEFT JOIN (SELECT function, min(level) AS level, "
		      "min(name) AS name, min(dso) AS dso FROM ");
	sql_put_table(&sql, "stacks");
	if (!scope->args->children)
		sql_put(&sql, " WHERE is_self = 1");
	sql_put(&sql, " GROUP BY function) AS names USING (function)\n"
		      "ORDER BY event, function");
	return sql_close(&sql);
}

char *rpt_fleet_sql_missing(const struct rpt_fleet_scope *scope)
{
	struct sql sql;

	sql_open(&sql, scope);
	sql_put(&sql, "SELECT sum(number) FROM ");
	sql_put_samples(&sql);
	sql_put(&sql, "\nAND stack <> 0 AND stack ");
	sql_put(&sql, sql_is_duckdb(&sql) ? "" : "GLOBAL ");
	sql_put(&sql, "NOT IN (SELECT stack FROM ");
	sql_put_table(&sql, "stacks");
	sql_put(&sql, ")");
	return sql_close(&sql);
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
	struct sql sql;

	sql_open(&sql, scope);
	sql_put(&sql, "SELECT ");
	sql_put_text(&sql, "event");
	sql_put(&sql, ", function, ");
	sql_put_text(&sql, "host");
	sql_put(&sql, ", xa, xb\nFROM (");
	put_by_host(&sql, list);
	sql_put(&sql, ") AS x ORDER BY event, function, host");
	free(list);
	return sql_close(&sql);
}

/* Put the second in which the step of a sample begins. */
static void put_step(struct sql *sql)
{
	const char *second = sql_second(sql);

	fprintf(sql->out, "%s - %s %% %" PRIu64 " AS step", second, second,
		sql->scope->args->step_ns / 1000000000);
}

static void put_step_sums(struct sql *sql, const char *by)
{
	fprintf(sql->out, "SELECT event, host, %s%s", by, *by ? ", " : "");
	put_step(sql);
	fprintf(sql->out, ", sum(CAST(weight AS %s)) AS %s\nFROM ",
		sql_real(sql), *by ? "x" : "w");
	sql_put_samples(sql);
}

/* Put sums by event, host, step and function.  With callees a function has all
 * stacks that it is in; 18.16 takes no second JOIN beside the first. */
static void put_step_functions(struct sql *sql, const char *list)
{
	bool children = sql->scope->args->children;

	if (children)
		sql_put(sql, "SELECT event, host, step, function, sum(x) "
			     "AS y FROM (\n");
	put_step_sums(sql, children ? "stack" : "function");
	if (!children)
		fprintf(sql->out, " AND function IN (%s)", list);
	fprintf(sql->out, "\nGROUP BY event, host, step, %s",
		children ? "stack" : "function");
	if (!children)
		return;
	sql_put(sql, ") AS s\nINNER JOIN (SELECT stack, function FROM ");
	sql_put_table(sql, "stacks");
	fprintf(sql->out,
		" WHERE function IN (%s) GROUP BY stack, function) AS f USING "
		"(stack)\nGROUP BY event, host, step, function",
		list);
}

char *rpt_fleet_sql_steps(const struct rpt_fleet_scope *scope,
			  const char *const *functions, size_t nr)
{
	char *list = list_of(functions, nr);
	struct sql sql;

	sql_open(&sql, scope);
	sql_put(&sql, "SELECT ");
	sql_put_text(&sql, "event");
	fprintf(sql.out, ", step, function, sum(%s / w)\nFROM (",
		scope->args->children ? "y" : "x");
	put_step_functions(&sql, list);
	sql_put(&sql, ") AS t\nINNER JOIN (");
	put_step_sums(&sql, "");
	sql_put(&sql, "\nGROUP BY event, host, step) AS u USING (event, host, "
		      "step)\nWHERE w > 0 GROUP BY event, step, function "
		      "ORDER BY event, step, function");
	free(list);
	return sql_close(&sql);
}

char *rpt_fleet_sql_counts(const struct rpt_fleet_scope *scope)
{
	struct sql sql;

	sql_open(&sql, scope);
	sql_put(&sql, "SELECT ");
	sql_put_text(&sql, "event");
	sql_put(&sql, ", step, count(*)\nFROM (");
	put_step_sums(&sql, "");
	sql_put(&sql, "\nGROUP BY event, host, step) AS t\nWHERE w > 0 "
		      "GROUP BY event, step ORDER BY event, step");
	return sql_close(&sql);
}

char *rpt_fleet_sql_frames(const struct rpt_fleet_scope *scope)
{
	const char *comm =
		scope->args->question == RPT_FLEET_DIFF ? "''" : "comm";
	struct sql sql;

	sql_open(&sql, scope);
	sql_put(&sql, "SELECT ");
	sql_put_text(&sql, "event");
	sql_put(&sql, ", ");
	sql_put_text(&sql, "thread");
	sql_put(&sql, ", stack, ");
	sql_put_text(&sql, "name");
	fprintf(sql.out,
		", na, nb, is_there\nFROM (SELECT event, %s AS thread, stack",
		comm);
	sql_put_sum(&sql, "number", false, "na");
	sql_put_sum(&sql, "number", true, "nb");
	sql_put(&sql, "\nFROM ");
	sql_put_samples(&sql);
	/* a stack has the same names wherever its code is */
	sql_put(&sql, "\nGROUP BY event, thread, stack) AS s\nLEFT JOIN "
		      "(SELECT stack, place, min(name) AS name, 1 AS "
		      "is_there FROM ");
	sql_put_table(&sql, "stacks");
	sql_put(&sql, " GROUP BY stack, place) AS f USING (stack)\n"
		      "ORDER BY event, thread, stack, place");
	return sql_close(&sql);
}

/* The slices by host, as SQL. */

/* Put what a slice has: whether it has samples of the old side and of the new
 * one, and of those that are asked for their number and when they were. */
static void put_asked(struct sql *sql)
{
	const char *second = sql_second(sql);

	for (int is_new = 0; is_new < 2; is_new++) {
		sql_put(sql, ",\nmax(CASE WHEN ");
		sql_put_is_asked(sql, is_new);
		sql_put(sql, " THEN 1 ELSE 0 END) AS ");
		sql_put(sql, is_new ? "is_new" : "is_old");
	}
	sql_put(sql, ",\nsum(CASE WHEN ");
	sql_put_is_any_asked(sql);
	sql_put(sql, " THEN number ELSE 0 END) AS asked_nr, min(CASE WHEN ");
	sql_put_is_any_asked(sql);
	fprintf(sql->out,
		" THEN %s ELSE 4294967296 END) AS first_s, max(CASE "
		"WHEN ",
		second);
	sql_put_is_any_asked(sql);
	fprintf(sql->out, " THEN %s + bin ELSE 0 END) AS end_s", second);
}

/* Put slices, each as a row. */
static void put_slices(struct sql *sql)
{
	sql_put(sql,
		"SELECT max(host) AS host_name, max(release) AS "
		"release_name,\n"
		"CASE WHEN min(load) <> max(load) OR count(*) > max(seq) + 1 "
		"THEN 1 ELSE 0 END AS has_twins,\n"
		"CASE WHEN count(*) < max(rows) OR max(seq) + 1 < "
		"max(rows) THEN 1 ELSE 0 END AS is_short,\n"
		"max(damaged) AS is_damaged, sum(lost) AS lost_nr, "
		"sum(number) AS all_nr");
	put_asked(sql);
	sql_put(sql, "\nFROM ");
	/* an older load may have other labels */
	sql_put_loaded(sql);
	sql_put(sql, "\nGROUP BY run, slice\nHAVING max(CASE WHEN ");
	sql_put_is_of_scope(sql);
	sql_put(sql, " THEN 1 ELSE 0 END) = 1");
	if (sql->scope->args->from_s >= 0)
		fprintf(sql->out, " AND max(%s + bin) > %" PRId64,
			sql_second(sql), sql->scope->args->from_s);
}

char *rpt_fleet_sql_slices(const struct rpt_fleet_scope *scope)
{
	struct sql sql;

	sql_open(&sql, scope);
	sql_put(&sql, "SELECT ");
	sql_put_text(&sql, "host_name");
	sql_put(&sql, ", count(*), sum(has_twins), sum(is_short), "
		      "sum(is_damaged),\n"
		      "sum(greatest(is_old, is_new)), sum(greatest(is_old, "
		      "is_new) * is_damaged), sum(greatest(is_old, is_new) * "
		      "lost_nr),\nsum(asked_nr), min(first_s), max(end_s), ");
	sql_put_text(&sql, "max(release_name)");
	for (int is_new = 0; is_new < 2; is_new++) {
		const char *side = is_new ? "is_new" : "is_old";

		fprintf(sql.out,
			",\nsum(%s * lost_nr), sum(%s * all_nr), "
			"sum(%s * is_damaged)",
			side, side, side);
	}
	sql_put(&sql, "\nFROM (");
	put_slices(&sql);
	sql_put(&sql, ") AS s\nGROUP BY host_name ORDER BY host_name");
	return sql_close(&sql);
}

static const char *hash_of_host(const struct sql *sql)
{
	return sql_is_duckdb(sql) ? "hash(host) % 1000000000000000"
				  : "cityHash64(host) % 1000000000000000";
}

char *rpt_fleet_sql_hashes(const struct rpt_fleet_scope *scope)
{
	struct sql sql;

	sql_open(&sql, scope);
	sql_put(&sql, "SELECT ");
	sql_put_text(&sql, "host");
	fprintf(sql.out, ", %s\nFROM ", hash_of_host(&sql));
	sql_put_samples(&sql);
	sql_put(&sql, "\nGROUP BY host ORDER BY host");
	return sql_close(&sql);
}

char *rpt_fleet_sql_span(const struct rpt_fleet_scope *scope)
{
	struct sql sql;

	sql_open(&sql, scope);
	fprintf(sql.out, "SELECT min(%s), max(%s + bin), max(bin)\nFROM ",
		sql_second(&sql), sql_second(&sql));
	sql_put_samples(&sql);
	return sql_close(&sql);
}

/* Put which range a host is in. */
static void put_range(struct sql *sql, const struct rpt_fleet_ranges *ranges)
{
	if (ranges->nr < 2) {
		sql_put(sql, "0");
		return;
	}
	sql_put(sql, "CASE");
	for (size_t i = 1; i < ranges->nr; i++)
		fprintf(sql->out, "\nWHEN %s < %.0f THEN %zu",
			hash_of_host(sql), ranges->least[i], i - 1);
	fprintf(sql->out, " ELSE %zu END", ranges->nr - 1);
}

static void put_lane(struct sql *sql, const struct rpt_fleet_ranges *ranges,
		     uint64_t step_s)
{
	if (ranges) {
		put_range(sql, ranges);
		sql_put(sql, " AS lane, 0 AS step");
	} else {
		fprintf(sql->out,
			"release AS lane, %s - %s %% %" PRIu64 " AS step",
			sql_second(sql), sql_second(sql), step_s);
	}
}

char *rpt_fleet_sql_cells(const struct rpt_fleet_scope *scope,
			  const struct rpt_fleet_ranges *ranges,
			  uint64_t step_s)
{
	struct sql sql;

	sql_open(&sql, scope);
	sql_put(&sql, "SELECT ");
	sql_put_text(&sql, "event");
	sql_put(&sql, ", clock, ");
	sql_put_text(&sql, "comm");
	sql_put(&sql, ", stack, ");
	if (ranges)
		sql_put(&sql, "lane");
	else
		sql_put_text(&sql, "lane");
	sql_put(&sql, ", step, xa, na, xb, nb\nFROM (SELECT event, comm, "
		      "stack, ");
	put_lane(&sql, ranges, step_s);
	sql_put(&sql, ",\nmax(is_clock) AS clock");
	sql_put_sum(&sql, "weight", false, "xa");
	sql_put_sum(&sql, "number", false, "na");
	sql_put_sum(&sql, "weight", true, "xb");
	sql_put_sum(&sql, "number", true, "nb");
	sql_put(&sql, "\nFROM ");
	sql_put_samples(&sql);
	sql_put(&sql, "\nGROUP BY event, comm, stack, lane, step) AS t\n"
		      "ORDER BY event, comm, stack, lane, step");
	return sql_close(&sql);
}

char *rpt_fleet_sql_names(const struct rpt_fleet_scope *scope)
{
	struct sql sql;

	sql_open(&sql, scope);
	sql_put(&sql, "SELECT stack, ");
	sql_put_text(&sql, "name");
	sql_put(&sql, ", ");
	sql_put_text(&sql, "dso");
	sql_put(&sql, ", kind, ");
	sql_put_text(&sql, "level");
	/* a stack has the same names wherever its code is */
	sql_put(&sql, "\nFROM (SELECT stack, place, min(name) AS name, "
		      "min(dso) AS dso, min(kind) AS kind, min(level) AS "
		      "level\nFROM ");
	sql_put_table(&sql, "stacks");
	sql_put(&sql, sql_is_duckdb(&sql)
			      ? " WHERE stack IN (SELECT stack FROM "
			      : " WHERE stack GLOBAL IN (SELECT stack "
				"FROM ");
	sql_put_samples(&sql);
	sql_put(&sql, ")\nGROUP BY stack, place) AS t\n"
		      "ORDER BY stack, place");
	return sql_close(&sql);
}
