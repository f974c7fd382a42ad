/* out_stdio.h: prints the report as text, as perf report --stdio prints it. */
#ifndef RPT_OUT_STDIO_H
#define RPT_OUT_STDIO_H

#include "report/columns/columns.h"

struct rpt_section {
	const char *event_name; /* of a group: "anon group { a, b }" */
	bool is_group;
	uint64_t sample_nr;
	const char *times;  /* --time; NULL: all */
	bool is_one_socket; /* --socket-filter */
	uint32_t socket;
	const char *sort_order;	     /* of memory accesses; NULL: samples */
	struct rpt_rows *rows;	     /* call graphs are built one by one */
	struct rpt_columns *columns; /* their widths are set here */
	double percent_limit;	     /* rows below it are left out */
	/* total: all periods, even if percentages are relative to fewer */
	struct rpt_callgraph_style graph;
	bool is_quiet; /* rows only */
	uint32_t jobs; /* threads; 0: as many as there are CPUs */
};

/* Return whether a row is shown: no filter hides it, and it is heavy enough. */
bool rpt_stdio_is_shown(const struct rpt_section *section, uint32_t row);
/* Return the weight from which on rows have a call graph:
 * rpt_print_pipeline.min_weight. */
uint64_t rpt_stdio_min_weight(const struct rpt_section *section);
/* Print the call graph of a row, which may be empty. */
void rpt_stdio_print_graph(const struct rpt_section *section, uint32_t row,
			   struct rpt_text *out);

/* Print "# Samples: 2K of event ..." and the table. */
void rpt_stdio_print_section(const struct rpt_section *section,
			     struct rpt_text *out);

#endif
