/* rows_impl.h: what tells rows apart, for the files that rows.h is made of:
 * rows.c adds stacks, rows_prefetch.c fetches ahead what that asks for,
 * row_filter.c tells where their samples are, row_fields.c numbers their fields
 * and values, row_keys.c makes their keys, rows_memory.c has their memory,
 * hierarchy_rows.c sums rows up in a hierarchy when all are there, row_order.c
 * sorts, by what row_compare.c says of two.
 */
#ifndef RPT_ROWS_IMPL_H
#define RPT_ROWS_IMPL_H

#include "report/rows/rows.h"

/* Without padding, since it is hashed. */
struct rpt_row_key {
	uint64_t comm;	/* or tid << 32 | 1 */
	uint64_t place; /* of a symbol, or an address */
	uint32_t dso_place;
	uint32_t trace; /* << 1 | 1 with an address */
	uint32_t tid;	/* from here on 0 in most tables */
	uint32_t cpu;
	uint32_t fields;
	uint32_t from_dso_place;
	uint64_t from_place; /* << 1 | 1 of a symbol */
	uint64_t branch_flags;
	uint64_t ip;
	uint64_t map_len;
	uint32_t host;	/* number of its name */
	uint32_t input; /* where that tells rows apart: of ids */
	uint32_t line;	/* + 1 */
	uint32_t file;
	uint32_t from_line;
	uint32_t parent;
	uint32_t sum_level; /* + 1 of a row that sums others up, else 0 */
	uint32_t symbol_len;
	uint64_t from_addr;
	uint64_t to_addr;
	uint64_t data_line; /* of the cache, and whose it is */
	uint64_t data_ino;
	uint32_t data_pid;
	uint32_t addr_dso_from; /* + 1 */
	uint32_t addr_dso_to;
	uint32_t data_mode; /* << 1 | 1 where something is mapped */
};

/* What is known of one stack while it is added. */
struct rpt_row_addition {
	const struct rpt_stack_key *key;
	const struct rpt_stack *stack;
	const struct rpt_stack_frames *at;
	uint32_t member;
	uint32_t trace;
	uint32_t fields; /* number of their bytes */
	uint32_t from_frame;
	uint32_t parent_nr; /* number of its name + 1; 0: none */
	char level;
	bool is_out_of_place; /* its row is hidden by a filter */
	uint32_t base;	      /* number of what its rows have in common ... */
	const struct rpt_row_key *base_key; /* ... and that */
};

/* Whether a filter of places hides rows, as in perf: all samples of a row are
 * of one DSO, or function.  Else it leaves out samples. */
bool rpt_rows_have_place(const struct rpt_rows *rows);
bool rpt_row_is_in_place(const struct rpt_rows *rows,
			 const struct rpt_frame *frame);
/* conf.symbol_part: each row is asked for its own symbol, a caller's, too. */
bool rpt_row_has_symbol_part(const struct rpt_rows *rows,
			     const struct rpt_frame *frame);

/* Finds the frames that are in no call chain: of a branch its target, *self,
 * and where it came from, of a memory access its data.  0, -ENOMEM or -EFBIG.
 */
int rpt_row_resolve(struct rpt_rows *rows, struct rpt_row_addition *add,
		    uint32_t *self);
/* Whether they have symbols: of a branch both ends. */
bool rpt_row_is_resolved(const struct rpt_rows *rows,
			 const struct rpt_row_addition *add, uint32_t self);

/* What the rows of all frames of a stack have in common.  0 or -ENOMEM. */
int rpt_row_base_key(struct rpt_rows *rows, const struct rpt_row_addition *add,
		     struct rpt_row_key *ret);

/* The number of the row of a frame, by add->base_key and the frame; is_self:
 * the stack's own, not a caller's.  -ENOMEM. */
int64_t rpt_row_number(struct rpt_rows *rows,
		       const struct rpt_row_addition *add, uint32_t frame_idx,
		       bool is_self);

/* How long a key can be, with what else tells rows apart that is kept beside
 * it. */
size_t rpt_row_key_len_max(const struct rpt_rows *rows);

/* Takes the cost of one row from the budget of its input; false: there is not
 * so much left. */
bool rpt_rows_pay(const struct rpt_rows *rows,
		  const struct rpt_rows_input *input);
/* What all rows took, to whom they took it from. */
void rpt_rows_pay_back(const struct rpt_rows *rows);

/* Room for more rows.  0 or -ENOMEM. */
int rpt_rows_grow(struct rpt_rows *rows);
/* A new row has counted nothing. */
void rpt_rows_clear(struct rpt_rows *rows, uint32_t row);

/* What fields and values are read from. */
struct rpt_row_source {
	const struct rpt_rows_input *input;
	uint32_t event_idx;
	struct pd_str raw;
	const uint64_t *values;
};

/* A number for the first of the trace_fields and of the values: equal ones are
 * one row.  -ENOMEM. */
int64_t rpt_rows_number_fields(struct rpt_rows *rows,
			       const struct rpt_row_source *source,
			       size_t field_nr, size_t value_nr);

/* The name that is shown; NULL: nothing is mapped there. */
const char *rpt_row_dso_name(const struct rpt_rows *rows,
			     const struct rpt_frame *frame);

/* By one thing that rows show, no weight: below 0, 0 or above. */
int rpt_row_compare(const struct rpt_rows *rows,
		    const struct rpt_order_key *key, const struct rpt_row *x,
		    const struct rpt_row *y);

/* Puts order, which is sorted, so that each row stands before those below it. 0
 * or -ENOMEM. */
int rpt_rows_nest(struct rpt_rows *rows);

#endif
