/* column_plan.h: makes the columns of a table, and the order of its rows, from
 * -s, -F and the options that add columns.
 *
 * As in perf: -F with no '+' in front names all numbers, else the usual ones
 * come first; each list takes at its end what only the other one has.
 */
#ifndef RPT_COLUMN_PLAN_H
#define RPT_COLUMN_PLAN_H

#include "report/columns/columns.h"

/* Columns of latencies, and their place. */
enum rpt_plan_latency {
	RPT_PLAN_NO_LATENCY, /* unless -s or -F name them */
	RPT_PLAN_LATENCY_BESIDE,
	RPT_PLAN_LATENCY_FIRST, /* in front of overheads */
};

struct rpt_column_plan {
	const char *sort;	  /* -s; NULL: not given */
	const char *fields;	  /* -F; NULL: not given */
	const char *default_sort; /* if nothing is typed, or "+KEY" */
	const char *more_sort;	  /* keys behind those of -s; NULL: none */
	bool children;
	/* There were no call chains: overhead_children of -s and -F is left
	 * out, unless -F names all columns. */
	bool are_children_lost;
	enum rpt_plan_latency latency;
	bool show_nr_samples;
	bool show_total_period;
	bool show_cpu_utilization;
};

/* Return whether a list of -s or -F, or NULL, names a key: by its whole name,
 * letter case aside, since fields of tracepoints may be called latency_ns. */
bool rpt_column_plan_names(const char *list, const char *name);

/* Add to shown, whose tracepoints and events say where keys are looked for, and
 * fill in the order of *ret.  Return -EINVAL if a key is unknown, or none is
 * behind the '+'. */
int rpt_column_plan_make(const struct rpt_column_plan *plan,
			 struct rpt_columns *shown, struct rpt_sort_keys *ret,
			 struct pd_err *err);

#endif
