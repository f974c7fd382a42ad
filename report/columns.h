/* columns.h: what a row shows, by table: names as perf has them in -s and -F,
 * headers, widths, contents.
 */
#ifndef RPT_COLUMNS_H
#define RPT_COLUMNS_H

#include "report/rows.h"
#include "report/text_out.h"

#define RPT_COLUMNS_MAX 64

struct rpt_column;

struct rpt_columns {
	const struct rpt_column *items[RPT_COLUMNS_MAX];
	uint32_t widths[RPT_COLUMNS_MAX];
	bool is_hidden[RPT_COLUMNS_MAX]; /* of another event; rpt_columns_fit()
					  */
	/* of items that are fields of tracepoints, one behind the other */
	struct rpt_trace_field fields[RPT_COLUMNS_MAX];
	size_t field_nr;
	size_t nr;
	/* where fields are looked for; events NULL: nowhere */
	const struct rpt_tracepoints *tracepoints;
	const struct pd_event_set *events;
	bool is_branch;	    /* those of branches are there too */
	bool children;	    /* "Overhead" is called "Self" */
	bool is_dso_chosen; /* --dsos */
};

/* Adds the column whose name starts with name, letter case aside; one that is
 * there already is left alone.  -EINVAL: there is none, err says so with what:
 * "--sort key" or "--fields key". */
int rpt_columns_add(struct rpt_columns *columns, const char *name, size_t len,
		    const char *what, struct pd_err *err);

/* A list as -s and -F take it: names with commas or blanks between. */
int rpt_columns_parse(struct rpt_columns *columns, const char *list,
		      const char *what, struct pd_err *err);

/* What its columns tell apart: RPT_BY_* of rows.h. */
unsigned rpt_columns_by(const struct rpt_columns *columns);

/* The numbers among them, in their order; returns how many. */
size_t rpt_columns_weights(const struct rpt_columns *columns,
			   enum rpt_weight weights[RPT_WEIGHTS]);

/* Takes out the columns that tell these apart (RPT_BY_*): all rows would show
 * the same. */
void rpt_columns_drop(struct rpt_columns *columns, unsigned by);

/* Widths that fit all rows. */
void rpt_columns_fit(struct rpt_columns *columns, const struct rpt_rows *rows);

/* The text of a column of names, and what it is called; neither cut nor
 * padded. */
void rpt_columns_print_text(const struct rpt_columns *columns, size_t idx,
			    const struct rpt_rows *rows, uint32_t row,
			    struct rpt_text *out);
/* As in -s: "comm". */
const char *rpt_columns_name(const struct rpt_columns *columns, size_t idx);
const char *rpt_columns_header(const struct rpt_columns *columns, size_t idx);

/* What one column tells apart: RPT_BY_*; 0: it is one of numbers. */
unsigned rpt_columns_by_at(const struct rpt_columns *columns, size_t idx);

void rpt_columns_print_header(const struct rpt_columns *columns,
			      struct rpt_text *out);
void rpt_columns_print_row(const struct rpt_columns *columns,
			   const struct rpt_rows *rows, uint32_t row,
			   struct rpt_text *out);

#endif
