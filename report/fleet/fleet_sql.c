#include "report/fleet/fleet_sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S 86400 /* a slice is no longer */

/* SQL under construction. */
struct sql {
	const struct rpt_fleet_scope *scope;
	FILE *out;
	char *text;
	size_t len;
};

static void open_sql(struct sql *sql, const struct rpt_fleet_scope *scope)
{
	*sql = (struct sql){ .scope = scope };
	sql->out = open_memstream(&sql->text, &sql->len);
	if (!sql->out)
		abort();
}

static char *close_sql(struct sql *sql)
{
	fputc('\n', sql->out);
	fclose(sql->out);
	return sql->text;
}

static bool is_duckdb(const struct sql *sql)
{
	return sql->scope->args->engine == RPT_FLEET_DUCKDB;
}

static void put(struct sql *sql, const char *text)
{
	fputs(text, sql->out);
}

/* Put a literal; those of DuckDB have no escapes. */
static void put_literal(struct sql *sql, const char *text, size_t len)
{
	fputc('\'', sql->out);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\'')
			fputs(is_duckdb(sql) ? "''" : "\\'", sql->out);
		else if (text[i] == '\\' && !is_duckdb(sql))
			fputs("\\\\", sql->out);
		else
			fputc(text[i], sql->out);
	}
	fputc('\'', sql->out);
}

/* Put a column of text for the answer, whose lines are TabSeparated. */
static void put_text(struct sql *sql, const char *column)
{
	if (is_duckdb(sql))
		fprintf(sql->out,
			"replace(replace(replace(replace(coalesce(%s, ''), "
			"'\\', '\\\\'), chr(9), '\\t'), chr(10), '\\n'), "
			"chr(13), '\\r')",
			column);
	else
		put(sql, column);
}

static void put_table(struct sql *sql, const char *name)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	if (!is_duckdb(sql))
		fprintf(sql->out, "%s.", args->database);
	fprintf(sql->out, "%s%s", name, args->is_cluster ? "_all" : "");
}

/* Columns that terms name; the first ones are the same for all rows of a slice.
 */
static const char *const columns[] = { "host",	 "release", "service",
				       "run",	 "pod",	    "container",
				       "cgroup", "comm",    "event" };
enum { OF_SLICE = 4, COLUMN_NR = sizeof(columns) / sizeof(columns[0]) };

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
	char *line = NULL;

	if (column_of(term) < COLUMN_NR) {
		fprintf(sql->out, "%.*s = ", (int)len, term);
		put_literal(sql, term + len + 1, strlen(term + len + 1));
		return;
	}
	if (asprintf(&line, "\n%s\n", term) < 0)
		abort();
	put(sql, is_duckdb(sql) ? "strpos(labels, " : "position(labels, ");
	put_literal(sql, line, strlen(line));
	put(sql, ") > 0");
	free(line);
}

/* Put the terms that hold together; with only_slices those that are the same
 * for all rows of a slice. */
static void put_terms(struct sql *sql, const struct rpt_fleet_terms *terms,
		      bool only_slices)
{
	put(sql, "(1 = 1");
	for (size_t i = 0; i < terms->nr; i++) {
		const char *term = terms->items[i];

		size_t column = column_of(term);

		if (only_slices && column >= OF_SLICE && column < COLUMN_NR)
			continue;
		put(sql, " AND ");
		put_term(sql, term);
	}
	put(sql, ")");
}

static void put_sides(struct sql *sql, bool only_slices)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	put_terms(sql, &args->where, only_slices);
	if (args->question != RPT_FLEET_DIFF)
		return;
	put(sql, " AND (");
	put_terms(sql, &args->old, only_slices);
	put(sql, " OR ");
	put_terms(sql, &args->new, only_slices);
	put(sql, ")");
}

/* Put what chooses slices as a whole. */
static void put_slices(struct sql *sql)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	put_sides(sql, true);
	if (args->from_s >= 0)
		fprintf(sql->out, " AND start >= %" PRId64,
			args->from_s > DAY_S ? args->from_s - DAY_S : 0);
	if (args->to_s >= 0)
		fprintf(sql->out, " AND start < %" PRId64, args->to_s);
}

/* Put "samples WHERE ...": each sample once. */
static void put_samples_of(struct sql *sql, bool only_slices)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	put_table(sql, "samples");
	if (sql->scope->has_twins)
		put(sql, " FINAL");
	put(sql, "\nWHERE ");
	put_slices(sql);
	if (!only_slices) {
		put(sql, " AND ");
		put_sides(sql, false);
	}
	if (args->from_s >= 0 && !only_slices)
		fprintf(sql->out, " AND time >= %" PRId64, args->from_s);
	if (args->to_s >= 0 && !only_slices)
		fprintf(sql->out, " AND time < %" PRId64, args->to_s);
	if (!sql->scope->has_twins)
		return;
	/* an older load may have had more rows, or other labels */
	put(sql, "\nAND (run, slice, load) GLOBAL IN (SELECT run, slice, "
		 "max(load) FROM ");
	put_table(sql, "samples");
	put(sql, " GROUP BY run, slice)");
}

static void put_samples(struct sql *sql)
{
	put_samples_of(sql, false);
}

static const char *real(const struct sql *sql)
{
	return is_duckdb(sql) ? "DOUBLE" : "Float64";
}

/* Put 1 for a row of that side, else 0.  A question that has one side takes it
 * for the new one. */
static void put_is_side(struct sql *sql, bool is_new)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	if (args->question != RPT_FLEET_DIFF) {
		put(sql, is_new ? "1 = 1" : "1 = 0");
		return;
	}
	put_terms(sql, is_new ? &args->new : &args->old, false);
}

static void put_sum(struct sql *sql, const char *column, bool is_new,
		    const char *name)
{
	fputs(", sum(CASE WHEN ", sql->out);
	put_is_side(sql, is_new);
	fprintf(sql->out, " THEN CAST(%s AS %s) ELSE 0 END) AS %s", column,
		real(sql), name);
}

static void put_side(struct sql *sql)
{
	put(sql, "CASE WHEN ");
	put_is_side(sql, true);
	put(sql, " THEN 1 ELSE 0 END");
}

char *rpt_fleet_sql_slices(const struct rpt_fleet_scope *scope)
{
	struct sql sql;

	open_sql(&sql, scope);
	put(&sql, "SELECT count(*), sum(has_twins), sum(is_short), "
		  "sum(is_damaged) FROM (\n"
		  "SELECT run, slice, CASE WHEN min(load) <> max(load) OR "
		  "count(*) > max(rows) THEN 1 ELSE 0 END AS has_twins,\n"
		  "CASE WHEN count(*) < max(rows) THEN 1 ELSE 0 END AS "
		  "is_short, max(damaged) AS is_damaged\nFROM ");
	put_samples_of(&sql, true);
	put(&sql, "\nGROUP BY run, slice) AS t");
	return close_sql(&sql);
}

char *rpt_fleet_sql_hosts(const struct rpt_fleet_scope *scope)
{
	struct sql sql;
	const char *time;

	open_sql(&sql, scope);
	time = is_duckdb(&sql) ? "time" : "toUInt32(time)";
	put(&sql, "SELECT side, ");
	put_text(&sql, "host");
	put(&sql, ", sum(slice_lost), sum(slice_number), count(*), "
		  "sum(slice_damaged), min(first_s), max(last_s), ");
	put_text(&sql, "max(slice_release)");
	put(&sql, "\nFROM (SELECT ");
	put_side(&sql);
	put(&sql, " AS side, host, run, slice, sum(lost) AS slice_lost, "
		  "sum(number) AS slice_number, max(damaged) AS slice_damaged, "
		  "min(");
	put(&sql, time);
	put(&sql, ") AS first_s, max(");
	put(&sql, time);
	put(&sql, " + bin) AS last_s, max(release) AS slice_release\nFROM ");
	put_samples(&sql);
	put(&sql, "\nGROUP BY side, host, run, slice) AS t\n"
		  "GROUP BY side, host ORDER BY side, host");
	return close_sql(&sql);
}

char *rpt_fleet_sql_totals(const struct rpt_fleet_scope *scope)
{
	struct sql sql;

	open_sql(&sql, scope);
	put(&sql, "SELECT side, ");
	put_text(&sql, "event");
	put(&sql, ", ");
	put_text(&sql, "host");
	fprintf(sql.out,
		", max(is_clock), sum(CAST(weight AS %s)), sum(number)\n"
		"FROM (SELECT ",
		real(&sql));
	put_side(&sql);
	put(&sql, " AS side, event, host, is_clock, weight, number FROM ");
	put_samples(&sql);
	put(&sql, ") AS t\nGROUP BY side, event, host "
		  "ORDER BY side, event, host");
	return close_sql(&sql);
}

/* Put sums by host and function, as h, function, xa, na, xb, nb.  With callees
 * a function has all stacks that it is in, each once. */
static void put_by_host(struct sql *sql, const char *functions)
{
	bool children = sql->scope->args->children;

	if (children)
		put(sql, "SELECT h, function, sum(sxa) AS xa, sum(sna) AS na, "
			 "sum(sxb) AS xb, sum(snb) AS nb FROM (\n");
	fprintf(sql->out, "SELECT %s AS h, %s",
		is_duckdb(sql) ? "hash(event, host)"
			       : "cityHash64(event, host)",
		children ? "stack" : "function");
	put_sum(sql, "weight", false, children ? "sxa" : "xa");
	put_sum(sql, "number", false, children ? "sna" : "na");
	put_sum(sql, "weight", true, children ? "sxb" : "xb");
	put_sum(sql, "number", true, children ? "snb" : "nb");
	put(sql, "\nFROM ");
	put_samples(sql);
	if (functions && !children)
		fprintf(sql->out, " AND function IN (%s)", functions);
	fprintf(sql->out, "\nGROUP BY h, %s", children ? "stack" : "function");
	if (!children)
		return;
	put(sql, ") AS s\nINNER JOIN (SELECT stack, function FROM ");
	put_table(sql, "stacks");
	if (functions)
		fprintf(sql->out, " WHERE function IN (%s)", functions);
	put(sql, " GROUP BY stack, function) AS f USING (stack)\n"
		 "GROUP BY h, function");
}

/* Put totals by host, as h, event, host, wa, ca, wb, cb. */
static void put_hosts_totals(struct sql *sql)
{
	fprintf(sql->out, "SELECT %s AS h, event, host",
		is_duckdb(sql) ? "hash(event, host)"
			       : "cityHash64(event, host)");
	put_sum(sql, "weight", false, "wa");
	put_sum(sql, "number", false, "ca");
	put_sum(sql, "weight", true, "wb");
	put_sum(sql, "number", true, "cb");
	put(sql, "\nFROM ");
	put_samples(sql);
	put(sql, "\nGROUP BY h, event, host");
}

/* Put a host's share, 0 if it has no samples at all. */
static void put_share(struct sql *sql, char side)
{
	fprintf(sql->out, "CASE WHEN w%c > 0 THEN x%c / w%c ELSE 0 END AS s%c",
		side, side, side, side);
}

/* Put the variance of a share by chance, with two samples more in the row and
 * two outside of it, less that of a row without samples (diff_estimate.h). */
static void put_chance(struct sql *sql, char side)
{
	fprintf(sql->out,
		"CASE WHEN w%c > 0 THEN ((n%c + 2) * (c%c - n%c + 2) - "
		"2 * (c%c + 2)) / (c%c + 4) / (c%c + 4) / (c%c + 4) "
		"ELSE 0 END AS k%c",
		side, side, side, side, side, side, side, side, side);
}

char *rpt_fleet_sql_rows(const struct rpt_fleet_scope *scope)
{
	struct sql sql;

	open_sql(&sql, scope);
	put(&sql, "SELECT ");
	put_text(&sql, "event");
	put(&sql, ", function, ");
	put_text(&sql, "max(level)");
	put(&sql, ", ");
	put_text(&sql, "max(name)");
	put(&sql, ", ");
	put_text(&sql, "max(dso)");
	put(&sql, ",\nsum(xa), sum(na), sum(sa), sum(sa * sa), sum(ka), "
		  "sum(xb), sum(nb), sum(sb), sum(sb * sb), sum(kb), "
		  "sum(sa * sb)\nFROM (SELECT event, function, xa, na, xb, "
		  "nb, ");
	put_share(&sql, 'a');
	put(&sql, ", ");
	put_share(&sql, 'b');
	put(&sql, ",\n");
	put_chance(&sql, 'a');
	put(&sql, ",\n");
	put_chance(&sql, 'b');
	put(&sql, "\nFROM (");
	put_by_host(&sql, NULL);
	put(&sql, ") AS x\nINNER JOIN (");
	put_hosts_totals(&sql);
	put(&sql, ") AS w USING (h)) AS y\nLEFT JOIN (SELECT function, "
		  "min(level) AS level, min(name) AS name, min(dso) AS dso "
		  "FROM ");
	put_table(&sql, "stacks");
	if (!scope->args->children)
		put(&sql, " WHERE is_self = 1");
	put(&sql, " GROUP BY function) AS names USING (function)\n"
		  "GROUP BY event, function ORDER BY event, function");
	return close_sql(&sql);
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
	struct sql sql;

	open_sql(&sql, scope);
	put(&sql, "SELECT ");
	put_text(&sql, "event");
	put(&sql, ", function, ");
	put_text(&sql, "host");
	put(&sql, ", ");
	put_share(&sql, 'a');
	put(&sql, ", ");
	put_share(&sql, 'b');
	put(&sql, "\nFROM (");
	put_by_host(&sql, list);
	put(&sql, ") AS x\nINNER JOIN (");
	put_hosts_totals(&sql);
	put(&sql, ") AS w USING (h) ORDER BY event, function, host");
	free(list);
	return close_sql(&sql);
}

/* Put the second in which the step of a sample begins. */
static void put_step(struct sql *sql)
{
	uint64_t step_s = sql->scope->args->step_ns / 1000000000;
	const char *time =
		is_duckdb(sql) ? "CAST(time AS BIGINT)" : "toUInt32(time)";

	fprintf(sql->out, "%s - %s %% %" PRIu64 " AS step", time, time, step_s);
}

static void put_step_sums(struct sql *sql, const char *by)
{
	fprintf(sql->out, "SELECT event, host, %s%s", by, *by ? ", " : "");
	put_step(sql);
	fprintf(sql->out, ", sum(CAST(weight AS %s)) AS %s\nFROM ", real(sql),
		*by ? "x" : "w");
	put_samples(sql);
}

char *rpt_fleet_sql_steps(const struct rpt_fleet_scope *scope,
			  const char *const *functions, size_t nr)
{
	char *list = list_of(functions, nr);
	bool children = scope->args->children;
	struct sql sql;

	open_sql(&sql, scope);
	put(&sql, "SELECT ");
	put_text(&sql, "event");
	put(&sql, ", step, function, sum(x / w)\nFROM (");
	put_step_sums(&sql, children ? "stack" : "function");
	if (!children)
		fprintf(sql.out, " AND function IN (%s)", list);
	fprintf(sql.out, "\nGROUP BY event, host, step, %s) AS t\n",
		children ? "stack" : "function");
	if (children) {
		put(&sql, "INNER JOIN (SELECT stack, function FROM ");
		put_table(&sql, "stacks");
		fprintf(sql.out,
			" WHERE function IN (%s) GROUP BY stack, function) AS "
			"f USING (stack)\n",
			list);
	}
	put(&sql, "INNER JOIN (");
	put_step_sums(&sql, "");
	put(&sql, "\nGROUP BY event, host, step) AS u USING (event, host, "
		  "step)\nWHERE w > 0 GROUP BY event, step, function "
		  "ORDER BY event, step, function");
	free(list);
	return close_sql(&sql);
}

char *rpt_fleet_sql_counts(const struct rpt_fleet_scope *scope)
{
	struct sql sql;

	open_sql(&sql, scope);
	put(&sql, "SELECT ");
	put_text(&sql, "event");
	put(&sql, ", step, count(*)\nFROM (");
	put_step_sums(&sql, "");
	put(&sql, "\nGROUP BY event, host, step) AS t\nWHERE w > 0 "
		  "GROUP BY event, step ORDER BY event, step");
	return close_sql(&sql);
}
