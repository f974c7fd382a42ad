/* dimension.h: one thing that rows show: a sort key, or a number.
 *
 * A sort key is one entry of one table (report/columns): its name, what it
 * needs of the recording, how it tells rows apart and orders them, and its
 * cell.  Rows and columns know keys only by these entries.
 */
#ifndef RPT_DIMENSION_H
#define RPT_DIMENSION_H

#include "report/events/sample_value.h"
#include "report/profile/profile.h"

struct rpt_cell;
struct rpt_dimension;
struct rpt_row;
struct rpt_rows;
struct rpt_text;

/* The data that a key needs from the profile, which has to tell samples apart
 * by it, and from the frames of a stack. */
enum {
	RPT_BY_TASK = 1 << 0, /* the tid */
	RPT_BY_COMM = 1 << 1,
	RPT_BY_DSO = 1 << 2,
	RPT_BY_SYMBOL = 1 << 3,
	RPT_BY_CPU = 1 << 4,
	RPT_BY_TRACE = 1 << 5,	     /* the text of a tracepoint */
	RPT_BY_FIELD = 1 << 6,	     /* a field of a tracepoint */
	RPT_BY_HOST = 1 << 7,	     /* which recording it is */
	RPT_BY_PARENT = 1 << 8,	     /* the call chain: rpt_rows_conf.parent */
	RPT_BY_VALUE = 1 << 9,	     /* rpt_dimension.value of the sample */
	RPT_BY_DATA = 1 << 10,	     /* that value, and what is at it */
	RPT_BY_FLAGS = 1 << 11,	     /* rpt_dimension.branch_flags */
	RPT_BY_FROM = 1 << 12,	     /* the source of a branch */
	RPT_BY_LINE = 1 << 13,	     /* source lines */
	RPT_BY_ADDR = 1 << 14,	     /* the address of the instruction */
	RPT_BY_SYMBOL_LEN = 1 << 15, /* the length of the symbol */
};

/* Known of a stack without its call chain and the addresses of frames. */
#define RPT_BY_STACK_AND_LOCATION                                              \
	(RPT_BY_TASK | RPT_BY_COMM | RPT_BY_DSO | RPT_BY_SYMBOL | RPT_BY_CPU | \
	 RPT_BY_HOST)

/* If a frame has a symbol, these need only the symbol and the DSO. */
#define RPT_BY_FUNCTION                                            \
	(RPT_BY_STACK_AND_LOCATION | RPT_BY_TRACE | RPT_BY_FIELD | \
	 RPT_BY_PARENT | RPT_BY_VALUE | RPT_BY_SYMBOL_LEN)

/* Numbers that are added up; the heaviest rows come first. */
enum rpt_weight {
	RPT_WEIGHT_ACC, /* the accumulated period, with that of callees */
	RPT_WEIGHT_SELF,
	RPT_WEIGHT_SAMPLES,
	/* the parts of SELF in the kernel, in programs, and in a guest's */
	RPT_WEIGHT_SYS,
	RPT_WEIGHT_USER,
	RPT_WEIGHT_GUEST_SYS,
	RPT_WEIGHT_GUEST_USER,
	/* rpt_profile.seconds, and with that of callees */
	RPT_WEIGHT_SECOND,
	RPT_WEIGHT_SECOND_ACC,
};

#define RPT_WEIGHT_MODES 4

/* Names that rows are often ordered by: row_order.c ranks each once. */
enum rpt_rank {
	RPT_RANK_NONE,
	RPT_RANK_COMM,
	RPT_RANK_DSO,
	RPT_RANK_SYMBOL,
	RPT_RANKS_NR,
};

/* The place that a key is taken from. */
enum rpt_key_side {
	RPT_OF_STACK, /* the sample, whatever the frame */
	RPT_OF_FRAME, /* the frame of the row: of a caller, too */
	RPT_OF_FROM,  /* rpt_row.from_frame: a branch's source, or the data */
};

/* A dimension as a table uses it. */
struct rpt_sort_key {
	const struct rpt_dimension *dim;
	uint32_t idx; /* of conf.trace_fields or conf.values, if it needs one */
};

/* The source of a key: a stack, and the frame that needs a row. */
struct rpt_key_source {
	struct rpt_rows *rows;
	const struct rpt_sort_key *key;
	const struct rpt_stack_key *stack;
	uint32_t pid;
	uint32_t trace;	 /* number in rpt_rows.traces */
	uint32_t parent; /* number in rpt_rows.parents + 1; 0: none */
	uint32_t frame;	 /* by the dimension's side */
	bool is_own;	 /* the frame of the sample itself, not a caller's */
};

/* Two rows that a key compares. */
struct rpt_row_pair {
	const struct rpt_rows *rows;
	const struct rpt_sort_key *key;
	const struct rpt_row *x;
	const struct rpt_row *y;
};

/* A key has this many words at most. */
#define RPT_KEY_WORDS_MAX 6

/* Tables in which columns look otherwise than in those of perf 6.1. */
enum {
	RPT_VARIANT_NEWER = 1 << 0, /* newer perf than 6.1 reads the file */
	/* ... and the third number of a weight is not POWER's */
	RPT_VARIANT_RETIRE = 1 << 1,
	/* periods are latencies, the second number is the period: --latency */
	RPT_VARIANT_LATENCY = 1 << 2,
};

struct rpt_dimension {
	const char *name; /* in -s and -F */
	const char *header;
	const char *help; /* a line for --help and the manual */
	unsigned by;	  /* RPT_BY_*; 0: a number that is added up */
	enum rpt_key_side side;
	enum rpt_rank rank; /* instead of compare */
	enum rpt_value value;
	enum rpt_weight weight;
	uint32_t branch_flags; /* of struct pd_branch */
	uint32_t word_nr;      /* of the words that key sets */
	uint32_t width; /* if fit is NULL; of a number for each group member */
	bool is_count;	/* a number that is shown as it is, not in per cent */
	bool is_kept;	/* the column stays even if all rows have one name */
	bool has_level; /* "[k] " stands in front of the text */
	bool is_new;	/* not in perf 6.1, where a short name means another */
	bool is_name;	/* it may be shortened to fit a terminal */
	unsigned variants; /* RPT_VARIANT_* of tables with instead */
	const struct rpt_dimension *instead;

	/* Set word_nr words, equal for equal rows. */
	void (*key)(const struct rpt_key_source *source, uint32_t *words);
	/* Return less than 0 if x comes before y, 0, or more than 0. */
	int (*compare)(const struct rpt_row_pair *pair);
	/* Return the text of a cell, which may be put into cell->buf ... */
	const char *(*text)(const struct rpt_cell *cell);
	/* ... and print it, padded or cut to the cell's width. */
	void (*put)(const struct rpt_cell *cell, const char *text,
		    struct rpt_text *out);
	/* Print a cell whose text is not put together before; NULL: text. */
	void (*print)(const struct rpt_cell *cell, struct rpt_text *out);
	/* Return how wide the text is; NULL: as wide as any other. */
	uint32_t (*fit)(const struct rpt_cell *cell);
};

#endif
