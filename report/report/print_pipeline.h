/* print_pipeline.h: from the rows of a table to its text: which step comes
 * after which, and which run beside each other.  The files that do a step know
 * of no thread but their caller's.
 *
 *	READY	rpt_print_pipeline_ready(), each by one thread, as it is free:
 *		  order of rows		row_order.c
 *		  chains by row		row_chains.c	conf.chains
 *		  widths of columns	column_lines.c	piece by piece
 *	HEAD	by the caller: it takes the widths
 *	ROWS	rpt_print_pipeline_print(), in the order of rows:
 *		  with call graphs	by the caller's thread, as rows->graph
 *					is the tree of one row at a time
 *		  the others		piece by piece, by all threads
 *
 * One thread does all if columns keep something or ask files
 * (rpt_columns_may_be_shared()), if labels of chains ask files for source lines
 * (READY), or if there are few rows.
 *
 * stack_resolver.h says what runs beside what before there are rows.
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

/* The rows of a table that is no hierarchy. */
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
