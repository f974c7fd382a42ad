/* rows_impl.h: what the files share that rows.h is made of: rows.c adds stacks,
 * tracepoint_text.c numbers texts, row_filter.c resolves the frames that are in
 * no chain and asks filters, row_keys.c makes keys, rows_memory.c has the
 * memory, hierarchy_rows.c sums rows up in a hierarchy when all are there,
 * row_order.c sorts.
 */
#ifndef RPT_ROWS_IMPL_H
#define RPT_ROWS_IMPL_H

#include "report/rows/rows.h"

/* One stack while it is added. */
struct rpt_row_addition {
	struct rpt_key_source source;
	const struct rpt_stack_key *key;
	const struct rpt_stack *stack;
	const struct rpt_stack_frames *at;
	uint32_t member;     /* of the group */
	uint32_t from_frame; /* of a branch; of a memory access its data */
	char level;
	bool is_filtered; /* a filter hides its row */
	uint32_t base;	  /* the number of its part of the key */
};

/* Return whether the filter hides rows, as in perf: all samples of a row are of
 * one DSO, or function.  Otherwise it leaves out samples. */
bool rpt_rows_hide_filtered(const struct rpt_rows *rows);
bool rpt_row_passes_filter(const struct rpt_rows *rows,
			   const struct rpt_frame *frame);
/* Return whether the row's symbol, or a caller's, contains conf.symbol_part. */
bool rpt_row_has_symbol_part(const struct rpt_rows *rows,
			     const struct rpt_frame *frame);

/* Find the frames that are in no call chain: a branch's target, *self, and its
 * source, or the data of a memory access.  Return 0 or -EFBIG. */
int rpt_row_resolve(struct rpt_rows *rows, struct rpt_row_addition *add,
		    uint32_t *self);
/* Return whether self has a symbol, and the source of a branch, too. */
bool rpt_row_is_resolved(const struct rpt_rows *rows,
			 const struct rpt_row_addition *add, uint32_t self);

/* Compute where the words of each sort key are. */
void rpt_row_keys_init(struct rpt_rows *rows);

/* Begin a key with what the stack says, the same for all frames.  Return a
 * number for that, above 0; equal numbers mean equal words. */
uint32_t rpt_row_key_base(struct rpt_rows *rows, struct rpt_key_source *source);

/* Starts to fetch the place of a row's number, as if the words that are not the
 * frame's were those of the last stack. */
void rpt_row_key_prefetch(struct rpt_rows *rows, struct rpt_key_source *source);

/* Complete that key with what the source's frame says.  Return the number of
 * the row, or -EFBIG: see rpt_intern(). */
int64_t rpt_row_key_number(struct rpt_rows *rows,
			   struct rpt_key_source *source);

/* Put the key of the row on this level that sums the row up into
 * rows->adding.words.  Return its length in bytes. */
size_t rpt_row_key_of_level(struct rpt_rows *rows, uint32_t row,
			    uint32_t level);

/* Return how many bytes a key can have, with what is allocated beside it. */
size_t rpt_row_key_len_max(const struct rpt_rows *rows);

/* Take the cost of one row from the budget of its input, or return false. */
bool rpt_rows_pay(const struct rpt_rows *rows,
		  const struct rpt_rows_input *input);
/* Give back what all rows took, each to the budget of its input. */
void rpt_rows_pay_back(const struct rpt_rows *rows);

/* Make room for more rows. */
void rpt_rows_grow(struct rpt_rows *rows);
/* Zero the counts of a new row. */
void rpt_rows_clear(struct rpt_rows *rows, uint32_t row);

/* Return the number of the text of a stack's raw data, which is empty if no
 * format is known; or -EFBIG: see rpt_intern(). */
int64_t rpt_rows_number_trace(struct rpt_rows *rows, uint32_t stack_idx);

/* Make room for the caches of a frame. */
void rpt_rows_grow_caches(struct rpt_rows *rows, uint32_t frame);
/* Free what serves to add rows only. */
void rpt_rows_forget(struct rpt_rows *rows);

/* Reorder rows->order, which is sorted, so that each row comes before those
 * below it. */
void rpt_rows_nest(struct rpt_rows *rows);

#endif
