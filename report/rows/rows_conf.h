/* rows_conf.h: which rows there are: the keys that tell them apart and order
 * them, and what hides them.
 */
#ifndef RPT_ROWS_CONF_H
#define RPT_ROWS_CONF_H

#include "report/callchain/frame_match.h"
#include "report/events/trace_field.h"
#include "report/rows/dimension.h"

#define RPT_KEYS_MAX 64

/* The keys of a table; rpt_columns_keys() makes them of its columns. */
struct rpt_sort_keys {
	unsigned by;	       /* RPT_BY_* of all of them */
	uint32_t branch_flags; /* likewise */
	bool has_modes;	       /* RPT_WEIGHT_SYS or one behind it */
	bool has_second;       /* RPT_WEIGHT_SECOND or one behind it */
	struct rpt_sort_key items[RPT_KEYS_MAX]; /* these tell rows apart */
	uint32_t nr;
	struct rpt_sort_key order[RPT_KEYS_MAX]; /* the first one decides */
	size_t order_nr;
	/* Rows of a hierarchy stand below rows that sum them up.  A row of
	 * level i has the first levels[i] of items. */
	uint32_t levels[RPT_KEYS_MAX];
	size_t level_nr;			    /* 0: no hierarchy */
	const struct rpt_trace_field *trace_fields; /* for RPT_BY_FIELD */
	size_t trace_field_nr;
	enum rpt_value values[RPT_VALUES_NR]; /* of samples, in the profile */
	uint32_t value_nr;
};

/* The rows that are not shown, and the samples that are left out. */
struct rpt_rows_hide {
	const struct rpt_filter *filter; /* NULL: no filter */
	const char *symbol_part; /* rows whose symbols lack it; NULL: none */
	bool unresolved;	 /* -U: samples without a symbol */
	bool orphans;		 /* -x: rows without a parent */
	bool unmapped; /* callers in no map; in call graphs all frames there
			* are folded (rpt_chain_conf) */
};

/* One recording, as rows read it.  Equal names of several recordings are the
 * same name; equal pids, tids and numbers of CPUs are different ones. */
struct rpt_rows_input {
	uint32_t idx;
	bool is_only;	  /* there is no other */
	const char *host; /* its name */
	const struct rpt_profile *profile;
	const struct rpt_filter *filter;     /* NULL: none */
	struct rpt_tracepoints *tracepoints; /* NULL: no formats */
	const struct rpt_trace_field *trace_fields;
};

struct rpt_rows_conf {
	struct rpt_sort_keys keys;
	struct rpt_rows_hide hide;
	bool children;	       /* callers count, too */
	bool chains;	       /* call graphs are shown */
	bool is_caller_first;  /* their order */
	bool is_branch;	       /* the profile's stacks are branches */
	bool has_branch_types; /* and have the types of all */
	bool has_history;      /* branches are in front of call chains */
	uint32_t max_stack;    /* addresses of a chain that count */
	struct rpt_tracepoints *tracepoints; /* NULL: no formats */
	uint32_t first_member; /* of the weights that order rows: row_order.c */
	const char *host;      /* where it was recorded; NULL: "" */
	struct rpt_frame_match *parent;	 /* for RPT_BY_PARENT */
	struct rpt_frame_match *ignored; /* their callees do not count; NULL */
};

#endif
