/* rows_impl.h: what the files share that rows.h is made of: rows.c adds stacks,
 * hierarchy_rows.c sums rows up in a hierarchy when all are there, row_order.c
 * sorts.
 */
#ifndef RPT_ROWS_IMPL_H
#define RPT_ROWS_IMPL_H

#include "report/rows/rows.h"

/* One stack while it is added. */
struct rpt_row_addition {
	struct rpt_key_source source;
	const struct rpt_stack_key *key;
	const struct rpt_stack *stack;
	uint64_t second; /* of rpt_profile.seconds */
	const struct rpt_stack_frames *at;
	uint32_t member;     /* of the group */
	uint32_t from_frame; /* of a branch; of a memory access its data */
	char level;
	bool is_filtered; /* a filter hides its row */
	uint32_t base;	  /* the number of its part of the key */
};

/* Put the key of the row on this level that sums the row up into
 * rows->adding.words.  Return its length in bytes. */
size_t rpt_row_key_of_level(struct rpt_rows *rows, uint32_t row,
			    uint32_t level);

/* Take the cost of one row from the budget of its input, or return false. */
bool rpt_rows_pay(const struct rpt_rows *rows,
		  const struct rpt_rows_input *input);

/* Make room for more rows. */
void rpt_rows_grow(struct rpt_rows *rows);
/* Zero the counts of a new row. */
void rpt_rows_clear(struct rpt_rows *rows, uint32_t row);

/* Free what serves to add rows only. */
void rpt_rows_forget(struct rpt_rows *rows);

/* Reorder rows->order, which is sorted, so that each row comes before those
 * below it. */
void rpt_rows_nest(struct rpt_rows *rows);

#endif
