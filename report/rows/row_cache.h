/* row_cache.h: which row a frame counted for last, so that most frames of most
 * stacks find theirs without a look at the row's key.
 *
 * A row is told apart by what its stack says (the base of its key) and by what
 * a frame says.  Bases that came lately are numbered; each frame remembers its
 * last row and the base that it was made with.
 */
#ifndef RPT_ROW_CACHE_H
#define RPT_ROW_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct rpt_row_key;
struct rpt_row_base;

struct rpt_row_memo {
	uint32_t base; /* 0: none yet */
	uint32_t row;
};

struct rpt_row_cache {
	struct rpt_row_memo (*items)[2]; /* by frame */
	uint32_t cap;
	struct rpt_row_base *bases; /* that came lately */
	struct rpt_row_base *last;
	uint32_t bases_nr; /* numbers given so far */
};

/* A zeroed struct is empty. */
void rpt_row_cache_release(struct rpt_row_cache *memos);

int rpt_row_cache_grow(struct rpt_row_cache *memos, uint32_t frame);

/* Makes room for a frame.  0 or -ENOMEM. */
static inline int rpt_row_cache_reserve(struct rpt_row_cache *memos,
					uint32_t frame)
{
	return frame < memos->cap ? 0 : rpt_row_cache_grow(memos, frame);
}

/* The number of a base, and a copy of it that stays until the next call.  0 or
 * -ENOMEM. */
int rpt_row_cache_base(struct rpt_row_cache *memos,
		       const struct rpt_row_key *key, uint32_t *ret_nr,
		       const struct rpt_row_key **ret_key);

/* is_address: where the stack's own row is another than that of a caller. */
static inline struct rpt_row_memo *
rpt_row_cache_at(const struct rpt_row_cache *memos, uint32_t frame,
		 bool is_address)
{
	return &memos->items[frame][is_address];
}

#endif
