/* column_plan.h: what -s, -F and the options that add columns come to: the
 * columns of the table, in their order, and what its rows are ordered by.
 *
 * As in perf: -F with no '+' in front names all numbers, else the usual ones
 * come first; each list takes at its end what only the other one has.
 */
#ifndef RPT_COLUMN_PLAN_H
#define RPT_COLUMN_PLAN_H

#include "report/columns/columns.h"

struct rpt_column_plan {
	const char *sort;	  /* -s; NULL: not given */
	const char *fields;	  /* -F; NULL: not given */
	const char *default_sort; /* where nothing is typed, or "+KEY" */
	const char *more_sort;	  /* keys behind those of -s; NULL: none */
	bool children;
	/* There were no call chains for them: what -s and -F say of
	 * overhead_children goes, unless -F names all columns. */
	bool are_children_lost;
	bool show_nr_samples;
	bool show_total_period;
	bool show_cpu_utilization;
};

/* Adds to shown, whose tracepoints and events say where keys are looked for,
 * and fills the order of *ret.  -EINVAL: a key is unknown, or lacks behind
 * the '+'. */
int rpt_column_plan_make(const struct rpt_column_plan *plan,
			 struct rpt_columns *shown, struct rpt_sort_keys *ret,
			 struct pd_err *err);

#endif
