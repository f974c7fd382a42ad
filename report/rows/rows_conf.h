/* rows_conf.h: which rows there are: what tells them apart, what they are
 * ordered by, what hides them.
 */
#ifndef RPT_ROWS_CONF_H
#define RPT_ROWS_CONF_H

#include "report/callchain/parent.h"
#include "report/events/sample_value.h"
#include "report/events/trace_field.h"

/* What tells rows apart. */
enum {
	RPT_BY_TASK = 1 << 0,
	RPT_BY_COMM = 1 << 1,
	RPT_BY_DSO = 1 << 2,
	RPT_BY_SYMBOL = 1 << 3,
	RPT_BY_CPU = 1 << 4,
	RPT_BY_TRACE = 1 << 5, /* what a tracepoint says */
	RPT_BY_FIELD = 1 << 6, /* some of its fields */
	/* of a branch; DSO and SYMBOL are its target's */
	RPT_BY_DSO_FROM = 1 << 7,
	RPT_BY_SYMBOL_FROM = 1 << 8,
	RPT_BY_MISPREDICT = 1 << 9,
	RPT_BY_IN_TX = 1 << 10,
	RPT_BY_ABORT = 1 << 11,
	RPT_BY_CYCLES = 1 << 12,
	RPT_BY_HOST = 1 << 13, /* which recording's */
	RPT_BY_SRCLINE = 1 << 14,
	RPT_BY_SRCFILE = 1 << 15,
	RPT_BY_SRCLINE_FROM = 1 << 16, /* of a branch */
	RPT_BY_PARENT = 1 << 17,       /* found by rpt_rows_conf.parent */
	RPT_BY_VALUE = 1 << 18,	       /* some of the sample's numbers */
	RPT_BY_SYMBOL_SIZE = 1 << 19,
	RPT_BY_ADDR = 1 << 20,	   /* of the instruction */
	RPT_BY_DSO_SIZE = 1 << 21, /* of its map */
	/* of the data that an instruction has touched */
	RPT_BY_DATA_ADDR = 1 << 22,
	RPT_BY_DATA_DSO = 1 << 23,
	RPT_BY_DATA_LINE = 1 << 24, /* of the cache */
	RPT_BY_ADDR_FROM = 1 << 25, /* of a branch, in its DSO */
	RPT_BY_ADDR_TO = 1 << 26,
	/* DSO and SYMBOL of a branch's target in the order of rows, which is
	 * another one there */
	RPT_BY_DSO_TO = 1 << 27,
	RPT_BY_SYMBOL_TO = 1 << 28,
};

/* What a stack's key tells of itself, and its frames' DSOs and symbols. */
#define RPT_BY_STACK_AND_PLACE                                                 \
	(RPT_BY_TASK | RPT_BY_COMM | RPT_BY_DSO | RPT_BY_SYMBOL | RPT_BY_CPU | \
	 RPT_BY_HOST)

/* What asks of a frame that has a symbol no more than that and its DSO. */
#define RPT_BY_FUNCTION                                         \
	(RPT_BY_STACK_AND_PLACE | RPT_BY_TRACE | RPT_BY_FIELD | \
	 RPT_BY_PARENT | RPT_BY_VALUE | RPT_BY_SYMBOL_SIZE)

/* What rows can be ordered by, heaviest first. */
enum rpt_weight {
	RPT_WEIGHT_ACC, /* accumulated period */
	RPT_WEIGHT_SELF,
	RPT_WEIGHT_SAMPLES,
	/* what of SELF was taken in the kernel, in programs, and in a guest's
	 */
	RPT_WEIGHT_SYS,
	RPT_WEIGHT_USER,
	RPT_WEIGHT_GUEST_SYS,
	RPT_WEIGHT_GUEST_USER,
};

#define RPT_WEIGHT_MODES 4

/* One key of their order. */
struct rpt_order_key {
	unsigned by;	/* RPT_BY_*, one of them; 0: a weight */
	uint32_t field; /* with RPT_BY_FIELD: which of the trace_fields; with
			 * RPT_BY_VALUE: of the values */
	enum rpt_weight weight;
};

#define RPT_ORDER_MAX 64

/* A level of a hierarchy. */
struct rpt_row_level {
	unsigned by;	   /* of this level and those above */
	uint32_t field_nr; /* of trace_fields, likewise */
	uint32_t value_nr; /* of values, likewise */
};

struct rpt_rows_conf {
	unsigned by;
	bool children;
	bool has_modes;	      /* some column is a RPT_WEIGHT_SYS or behind */
	bool chains;	      /* call graphs are kept */
	bool is_caller_first; /* their order */
	uint32_t max_stack;   /* addresses of a chain that count */
	struct rpt_tracepoints *tracepoints; /* NULL: no formats */
	bool is_branch;	       /* the profile's stacks are branches */
	bool has_branch_types; /* and have the types of all */
	bool has_history;      /* or branches are in front of call chains */
	const struct rpt_trace_field *trace_fields; /* with RPT_BY_FIELD */
	size_t trace_field_nr;
	enum rpt_value values[RPT_VALUES_NR]; /* with RPT_BY_VALUE */
	uint32_t value_nr;
	const struct rpt_filter *filter; /* of places; NULL: none */
	bool hide_unresolved;		 /* -U: nothing without a symbol */
	uint32_t first_member; /* of the weights that order rows: row_order.c */
	const char *symbol_part; /* rows whose own symbols lack it are hidden */
	const char *host;	 /* where it was recorded; NULL: "" */
	struct rpt_frame_match *parent;	 /* with RPT_BY_PARENT */
	struct rpt_frame_match *ignored; /* whose callees; NULL: none */
	bool is_orphan_hidden;		 /* -x: rows without a parent */
	struct rpt_order_key order[RPT_ORDER_MAX]; /* the first one decides */
	size_t order_nr;
	/* Rows stand below rows that sum them up.  0: they do not. */
	struct rpt_row_level levels[RPT_ORDER_MAX];
	size_t level_nr;
};

#endif
