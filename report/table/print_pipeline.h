/* print_pipeline.h: from the rows of a table to its text: which step comes
 * after which, and which run beside each other.  The files that do a step know
 * of no thread but their caller's.
 *
 *	READY	rpt_print_pipeline_ready(), each by one thread, as it is free:
 *		  order of rows		row_order.c
 *		  chains by row		row_chains.c	conf.chains
 *		  widths of columns	column_fit.c	piece by piece
 *	HEAD	the caller's own: it takes the widths
 *	ROWS	rpt_print_pipeline_print(), in the order of rows:
 *		  with call graphs	the caller's thread
 *		  the others		print_rows.c	piece by piece, by all
 *						threads but that, then by it too
 *
 * READY: none of its steps knows of the others.  The first two cannot be split,
 * so they are begun first.  (Children of a g++ run, 118,685 rows: order 13 ms,
 * chains 7, widths 3; by two threads, which wait for the same memory, 17
 * instead of 23.)  Where source lines tell frames apart, labels of chains ask
 * files for them: one thread does all then.
 *
 * ROWS: rows->graph is the tree of one row at a time, so one thread makes all.
 * Few rows have one, and these stand above the others mostly.  (There 26 of
 * them take 2 ms, the others 9: by two threads 6 instead of 11.)
 *
 * Neither is done by several threads where columns keep something, or ask files
 * (rpt_columns_may_be_shared()), nor where rows are few.
 *
 * What runs beside what before there are rows: stack_resolver.h.
 */
#ifndef RPT_PRINT_PIPELINE_H
#define RPT_PRINT_PIPELINE_H

#include "report/columns/columns.h"

struct rpt_print_pipeline {
	struct rpt_columns *columns; /* READY sets their widths */
	struct rpt_rows *rows;
	uint64_t min_weight; /* rpt_rows_index_chains() */
	uint32_t jobs;	     /* threads; 0: as many as there are CPUs */
};

/* Sort the rows, index their chains, and set the widths of columns. */
void rpt_print_pipeline_ready(const struct rpt_print_pipeline *steps);

enum rpt_out_kind {
	RPT_OUT_UNSHOWN,
	RPT_OUT_PLAIN,
	RPT_OUT_WITH_GRAPH,
};

/* What is shown of a table that is no hierarchy. */
struct rpt_out_table {
	const uint8_t *kinds; /* enum rpt_out_kind, by row */
	/* Print the graph of a row. */
	void (*graph)(const void *ctx, uint32_t row, struct rpt_text *out);
	const void *ctx;
};

/* Print the rows. */
void rpt_print_pipeline_print(const struct rpt_print_pipeline *steps,
			      const struct rpt_out_table *table,
			      struct rpt_text *out);

#endif
