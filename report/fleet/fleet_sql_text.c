#include "report/fleet/fleet_sql_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S 86400 /* slices that are longer may be missed: export says so */

void rpt_sql_open(struct rpt_sql *sql, const struct rpt_fleet_scope *scope)
{
	*sql = (struct rpt_sql){ .scope = scope };
	sql->out = open_memstream(&sql->text, &sql->len);
	if (!sql->out)
		abort();
}

char *rpt_sql_close(struct rpt_sql *sql)
{
	fputc('\n', sql->out);
	fclose(sql->out);
	return sql->text;
}

bool rpt_sql_is_duckdb(const struct rpt_sql *sql)
{
	return sql->scope->args->engine == RPT_FLEET_DUCKDB;
}

void rpt_sql_put(struct rpt_sql *sql, const char *text)
{
	fputs(text, sql->out);
}

/* Put a literal; those of DuckDB have no escapes. */
static void put_literal(struct rpt_sql *sql, const char *text, size_t len)
{
	fputc('\'', sql->out);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\'')
			fputs(rpt_sql_is_duckdb(sql) ? "''" : "\\'", sql->out);
		else if (text[i] == '\\' && !rpt_sql_is_duckdb(sql))
			fputs("\\\\", sql->out);
		else
			fputc(text[i], sql->out);
	}
	fputc('\'', sql->out);
}

/* Put a column of text for the answer, whose lines are TabSeparated. */
void rpt_sql_put_text(struct rpt_sql *sql, const char *column)
{
	if (rpt_sql_is_duckdb(sql))
		fprintf(sql->out,
			"replace(replace(replace(replace(coalesce(%s, ''), "
			"'\\', '\\\\'), chr(9), '\\t'), chr(10), '\\n'), "
			"chr(13), '\\r')",
			column);
	else
		rpt_sql_put(sql, column);
}

void rpt_sql_put_table(struct rpt_sql *sql, const char *name)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	if (!rpt_sql_is_duckdb(sql))
		fprintf(sql->out, "%s.", args->database);
	fprintf(sql->out, "%s%s", name,
		args->is_cluster && !sql->is_local ? "_all" : "");
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

static void put_term(struct rpt_sql *sql, const char *term)
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
	rpt_sql_put(sql, rpt_sql_is_duckdb(sql) ? "strpos(labels, "
						: "position(labels, ");
	put_literal(sql, line, strlen(line));
	rpt_sql_put(sql, ") > 0");
	free(line);
}

/* Put the terms that hold together; with only_slices those that are the same
 * for all rows of a slice. */
static void put_terms(struct rpt_sql *sql, const struct rpt_fleet_terms *terms,
		      bool only_slices)
{
	rpt_sql_put(sql, "(1 = 1");
	for (size_t i = 0; i < terms->nr; i++) {
		const char *term = terms->items[i];

		size_t column = column_of(term);

		if (only_slices && column >= OF_SLICE && column < COLUMN_NR)
			continue;
		rpt_sql_put(sql, " AND ");
		put_term(sql, term);
	}
	rpt_sql_put(sql, ")");
}

static void put_sides(struct rpt_sql *sql, bool only_slices)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	put_terms(sql, &args->where, only_slices);
	if (args->question != RPT_FLEET_DIFF)
		return;
	rpt_sql_put(sql, " AND (");
	put_terms(sql, &args->old, only_slices);
	rpt_sql_put(sql, " OR ");
	put_terms(sql, &args->new, only_slices);
	rpt_sql_put(sql, ")");
}

void rpt_sql_put_is_of_scope(struct rpt_sql *sql)
{
	put_sides(sql, true);
}

const char *rpt_sql_second(const struct rpt_sql *sql)
{
	return rpt_sql_is_duckdb(sql) ? "CAST(time AS BIGINT)"
				      : "toUInt32(time)";
}

/* Put what chooses slices by their start. */
static void put_starts(struct rpt_sql *sql)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	if (args->from_s >= 0)
		fprintf(sql->out, " AND start >= %" PRId64,
			args->from_s > DAY_S ? args->from_s - DAY_S : 0);
	if (args->to_s >= 0)
		fprintf(sql->out, " AND start < %" PRId64, args->to_s);
}

void rpt_sql_put_is_any_asked(struct rpt_sql *sql)
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
static void put_rows(struct rpt_sql *sql, bool are_whole)
{
	rpt_sql_put_table(sql, "samples");
	if (sql->scope->has_twins)
		rpt_sql_put(sql, " FINAL");
	rpt_sql_put(sql, "\nWHERE 1 = 1");
	put_starts(sql);
	if (!are_whole) {
		rpt_sql_put(sql, " AND ");
		rpt_sql_put_is_any_asked(sql);
	}
	if (!sql->scope->has_twins)
		return;
	/* an older load may have had more rows, or other labels */
	rpt_sql_put(sql,
		    "\nAND (run, slice, load) GLOBAL IN (SELECT run, slice, "
		    "max(load) FROM ");
	rpt_sql_put_table(sql, "samples");
	rpt_sql_put(sql, " GROUP BY run, slice)");
}

/* Put each row once. */
static void put_rows_once(struct rpt_sql *sql, bool are_whole)
{
	bool may_be_apart =
		sql->scope->has_twins && sql->scope->args->is_cluster;

	if (!may_be_apart) {
		put_rows(sql, are_whole);
		return;
	}
	/* FINAL is of each server alone */
	rpt_sql_put(sql, "(SELECT * FROM ");
	put_rows(sql, are_whole);
	rpt_sql_put(sql, "\nLIMIT 1 BY run, slice, seq) AS once\nWHERE 1 = 1");
}

void rpt_sql_put_samples(struct rpt_sql *sql)
{
	put_rows_once(sql, false);
}

void rpt_sql_put_loaded(struct rpt_sql *sql)
{
	put_rows_once(sql, true);
}

const char *rpt_sql_real(const struct rpt_sql *sql)
{
	return rpt_sql_is_duckdb(sql) ? "DOUBLE" : "Float64";
}

/* Put what is true of rows of a side. */
static void put_is_side(struct rpt_sql *sql, bool is_new)
{
	const struct rpt_fleet_args *args = sql->scope->args;

	if (args->question != RPT_FLEET_DIFF) {
		rpt_sql_put(sql, is_new ? "1 = 1" : "1 = 0");
		return;
	}
	put_terms(sql, is_new ? &args->new : &args->old, false);
}

void rpt_sql_put_is_asked(struct rpt_sql *sql, bool is_new)
{
	rpt_sql_put_is_any_asked(sql);
	rpt_sql_put(sql, " AND ");
	put_is_side(sql, is_new);
}

void rpt_sql_put_sum(struct rpt_sql *sql, const char *column, bool is_new,
		     const char *name)
{
	fputs(", sum(CASE WHEN ", sql->out);
	put_is_side(sql, is_new);
	fprintf(sql->out, " THEN CAST(%s AS %s) ELSE 0 END) AS %s", column,
		rpt_sql_real(sql), name);
}
