/* annotation_print.h: a function by instruction as text, in the layout of perf
 * annotate --stdio.
 *
 *	 Percent |	Source code & Disassembly of demo for cpu-clock (...
 *	---------------------------------------------------------------- ...
 *	         : 6    x ^= x >> 7;
 *	   24.79 :   1213:   shr    $0x7,%rcx
 */
#ifndef RPT_ANNOTATION_PRINT_H
#define RPT_ANNOTATION_PRINT_H

#include "report/annotate/annotation.h"

#include <stdio.h>

enum rpt_row_value {
	RPT_ROW_PERCENT,
	RPT_ROW_SAMPLES,
	RPT_ROW_PERIOD,
};

struct rpt_row_percent {
	bool is_global; /* of all samples, not of the function's */
	bool is_by_nr;	/* of the number of samples, not of periods */
};

struct rpt_annotation_style {
	enum rpt_row_value value;
	struct rpt_row_percent percent;
	bool with_source;
	bool with_bytes;
	bool with_summary; /* lines with their share first, and each row that
			    * has a share says its line */
	bool full_paths;
	bool is_coloured;
};

/* The columns of one table: events side by side. */
struct rpt_annotation_columns {
	const struct rpt_annotation_style *style;
	const uint32_t *events; /* their numbers in hits */
	uint32_t nr;
	const char *event_name; /* of all of them, for the title */
};

/* Print code, of a function of hits, and its source text that annotator finds.
 */
void rpt_annotation_print(FILE *out,
			  const struct rpt_annotation_columns *columns,
			  struct rpt_annotator *annotator,
			  const struct rpt_code_hits *hits, uint32_t function,
			  const struct rpt_annotation *code);

#endif
