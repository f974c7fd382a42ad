/* fleet_sql_page.h: the questions of a page as SQL; private to this room.
 *
 * Each function returns SQL that the caller frees.
 */
#ifndef RPT_FLEET_SQL_PAGE_H
#define RPT_FLEET_SQL_PAGE_H

#include "report/fleet/fleet_sql.h"

#include <stddef.h>

/* Hosts: host, a hash of it, which is below 10^15, so that a double holds it.
 */
enum { RPT_FLEET_HASH_HOST, RPT_FLEET_HASH_NUMBER, RPT_FLEET_HASH_COLUMNS };
char *rpt_fleet_sql_hashes(const struct rpt_fleet_scope *scope);

/* When there are samples: the first second, that behind the last, and the
 * widest bin. */
enum {
	RPT_FLEET_SPAN_FIRST,
	RPT_FLEET_SPAN_END,
	RPT_FLEET_SPAN_BIN,
	RPT_FLEET_SPAN_COLUMNS
};
char *rpt_fleet_sql_span(const struct rpt_fleet_scope *scope);

/* Hosts of a comparison by their hashes: one is in the last range whose least
 * hash is not above its own. */
struct rpt_fleet_ranges {
	double *least; /* ascending; the caller's */
	size_t nr;     /* at least 1 */
};

/* Samples by event, task and stack: also by release and step of time in a top,
 * by range in a comparison, where the step is 0.  A sample may be on both sides
 * of one. */
enum rpt_fleet_cell_column {
	RPT_FLEET_CELL_EVENT,
	RPT_FLEET_CELL_CLOCK,
	RPT_FLEET_CELL_COMM,
	RPT_FLEET_CELL_STACK,
	RPT_FLEET_CELL_LANE, /* a release, or the number of a range */
	RPT_FLEET_CELL_STEP, /* the second in which it begins */
	RPT_FLEET_CELL_OLD,  /* weight, number */
	RPT_FLEET_CELL_NEW = RPT_FLEET_CELL_OLD + 2,
	RPT_FLEET_CELL_COLUMNS = RPT_FLEET_CELL_NEW + 2
};
/* ranges: of a comparison; NULL: a top.  step_s: of the time. */
char *rpt_fleet_sql_cells(const struct rpt_fleet_scope *scope,
			  const struct rpt_fleet_ranges *ranges,
			  uint64_t step_s);

/* The frames of all stacks, those of a stack behind each other, the outermost
 * first. */
enum rpt_fleet_name_column {
	RPT_FLEET_NAME_STACK,
	RPT_FLEET_NAME_FUNCTION,
	RPT_FLEET_NAME_DSO,
	RPT_FLEET_NAME_KIND,
	RPT_FLEET_NAME_LEVEL,
	RPT_FLEET_NAME_COLUMNS
};
char *rpt_fleet_sql_names(const struct rpt_fleet_scope *scope);

#endif
