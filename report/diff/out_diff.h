/* out_diff.h: prints a diff as text (perf's table, with an interval and a mark
 * to the right of each delta), JSON, CSV, folded
 * stacks or Markdown. */
#ifndef RPT_OUT_DIFF_H
#define RPT_OUT_DIFF_H

#include "report/base/look.h"
#include "report/diff/diff_args.h"

#include <stdio.h>

/* The advice if rpt_sides_are_blocks(). */
#define RPT_DIFF_BLOCKS                                                     \
	"runs were one block a side, and machines drift; perfpair ab runs " \
	"them in turn"

/* Return the name of the measure, such as "share of all". */
const char *rpt_measure_name(const struct rpt_diff_args *args, char *buf,
			     size_t len);

/* Print what is compared and how, and how the runs differ, in "# " lines. */
void rpt_diff_print_head(const struct rpt_diff_args *args,
			 const struct rpt_side *sides, FILE *out);

/* Begin a line about a side: "# Old", "# New", or "# [2]" of several. */
void rpt_diff_print_side(FILE *out, size_t side_nr, size_t side);

/* Return the unit of values that are not shares: 1e9, 1e6, 1e3 or 1, so that
 * the largest has up to four digits before the point. */
double rpt_diff_unit(const struct rpt_diff_table *table);

/* Print how much of an event each side has, and how many rows changed, in "# "
 * lines. */
void rpt_diff_print_totals(const struct rpt_diff_table *table, FILE *out);

/* Return a side's name of the event, NULL if it has none. */
const char *rpt_diff_event_name(const struct rpt_diff_table *table,
				size_t side);
/* Return the code whose samples are compared: "user", "kernel" or "all". */
const char *rpt_diff_event_modes(const struct rpt_diff_table *table);

#define RPT_DIFF_CELL_LEN  6400
#define RPT_DIFF_SHORT_MAX 1000u

/* Put the two sentences of these about a side, without an end: what a run cost
 * and costs, and how many rows changed and what may be missed,
 * which with_missed asks for even if some changed. */
void rpt_diff_put_cost(const struct rpt_diff_table *table, size_t side,
		       FILE *out);
void rpt_diff_put_verdict(const struct rpt_diff_table *table, size_t side,
			  bool with_missed, FILE *out);

struct rpt_diff_text;
/* Put the text of a cell to text->buf, which is empty. */
typedef void rpt_diff_print(const struct rpt_diff_text *text);

/* out_diff_columns.c: a column of the table. */
struct rpt_diff_column {
	char header[32];
	size_t width; /* of the header, or a number; labels may be wider */
	bool is_label;
	bool is_left;
	bool is_last; /* nothing is put behind its text */
	bool is_bare; /* without a percent sign: -t */
	bool is_cut;  /* to the width: a comm in perf's table */
	rpt_diff_print *print;
	size_t side;	  /* of a label: its column in rpt_label */
	double total;	  /* of the baseline */
	double unit;	  /* that values are shown in */
	size_t short_len; /* names have at most so many bytes, up to
			   * RPT_DIFF_SHORT_MAX; 0: any number */
};

/* A cell under print. */
struct rpt_diff_text {
	const struct rpt_diff_column *column;
	const struct rpt_diff_table *table;
	size_t row;
	const struct rpt_diff_cell *old;  /* of the row in the baseline */
	const struct rpt_diff_cell *cell; /* on the column's side */
	char *buf;			  /* RPT_DIFF_CELL_LEN bytes */
	double *ret_pct; /* set if it is a percentage, or a ratio; or NULL */
};

/* Return the columns from left to right, *ret_nr of them; the caller frees
 * them. */
struct rpt_diff_column *rpt_diff_columns_new(const struct rpt_diff_args *args,
					     const struct rpt_diff_table *table,
					     size_t *ret_nr);

/* Print the table of one event to out, a stream of text. */
void rpt_diff_print_table(const struct rpt_diff_args *args,
			  const struct rpt_diff_table *table,
			  struct rpt_text *text, FILE *out);

/* Print JSON or CSV, as docs/formats.md describes. */
void rpt_diff_print_json(const struct rpt_diff_args *args,
			 const struct rpt_side *sides,
			 const struct rpt_diff_table *tables, size_t table_nr,
			 struct rpt_text *out);
/* Print Markdown for a merge request; gate: what --fail-above has found. */
void rpt_diff_print_markdown(const struct rpt_diff_args *args,
			     const struct rpt_gate_result *gate,
			     const struct rpt_diff_table *tables,
			     size_t table_nr, FILE *out);
/* Print lines "main;f OLD NEW" with the samples that end there, for
 * differential flame graphs; tables are of call paths. */
void rpt_diff_print_folded(const struct rpt_diff_table *tables, size_t table_nr,
			   struct rpt_text *out);
void rpt_diff_print_csv(const struct rpt_diff_args *args,
			const struct rpt_diff_table *tables, size_t table_nr,
			struct rpt_text *out);

#endif
