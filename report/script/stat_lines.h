/* stat_lines.h: the counts of `perf stat record` as script prints them, a line
 * for each cell of the table.
 */
#ifndef RPT_STAT_LINES_H
#define RPT_STAT_LINES_H

#include "report/events/filter.h"
#include "report/events/stat_table.h"

#include <stdio.h>

/* The round that ends at rec, a STAT_ROUND; of the CPUs that pass. */
void rpt_stat_lines_print(struct rpt_stat_table *table,
			  const struct rpt_filter *filter,
			  const struct pd_record *rec, FILE *out);

#endif
