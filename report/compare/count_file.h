/* count_file.h: reads what perfpair stat -j has written: the values that each
 * event had in each run.
 *
 * A line is a JSON object (perfpair-stat(1), "JSON"); empty lines and those
 * that begin with # are skipped, but that which says when runs began.  A row is
 * an event of a group (a CPU, a core,
 * ...); rows that come again, as with --append, get more runs.  The last line
 * gives the row "elapsed".  Lines of metrics are skipped, since they are
 * computed of the counts.
 */
#ifndef RPT_COUNT_FILE_H
#define RPT_COUNT_FILE_H

#include "report/base/intern.h"

#include "format/base/err.h"

/* The values of one event on one side. */
struct rpt_count_runs {
	double *values; /* owned; finite */
	uint32_t nr;	/* 0: it was not counted */
	uint32_t cap;
	double drift_pct; /* from the first half of the runs to the last */
	bool has_drift;
	bool is_refused; /* not counted, or not supported, in a run */
};

enum rpt_count_side { RPT_COUNT_OLD, RPT_COUNT_NEW, RPT_COUNT_SIDES };

struct rpt_count_row {
	const char *name; /* "page-faults", "S0-D0-C1 page-faults" */
	char *unit;	  /* owned; "msec", "s"; "": a number */
	struct rpt_count_runs sides[RPT_COUNT_SIDES];
};

/* When the first and the last of a side's blocks of runs began, in s; 0: the
 * file does not say. */
struct rpt_count_span {
	int64_t first_s;
	int64_t last_s;
};

/* A zeroed struct is empty. */
struct rpt_count_table {
	struct rpt_count_span spans[RPT_COUNT_SIDES];
	struct rpt_intern names;
	struct rpt_count_row *rows; /* owned; by number of the name */
	uint32_t cap;
};

static inline uint32_t rpt_count_table_nr(const struct rpt_count_table *table)
{
	return table->names.nr;
}

/* Add the rows of a file to a side.  Return 0; -EBADMSG with the line's number
 * in err if a line is no such object; -EINVAL if the file was written with -I,
 * whose lines are no runs. */
int rpt_count_table_read(struct rpt_count_table *table, const char *path,
			 enum rpt_count_side side, struct pd_err *err);
void rpt_count_table_release(struct rpt_count_table *table);

#endif
