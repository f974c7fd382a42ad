/* inflated_cache.h: records that came out of compressed data, as they are, so
 * that they need not be inflated twice; and in blocks, so that several threads
 * can count what one had to inflate.
 *
 *	rpt_inflated_cache_add(&text, &rec);		each, in order
 *	for each of its blocks, at = 0:
 *		while (rpt_kept_block_next(block, &at, swap, &rec))
 *			...
 */
#ifndef RPT_INFLATED_CACHE_H
#define RPT_INFLATED_CACHE_H

#include "format/record.h"
#include "report/base/memory.h"

/* For all texts of a file: a part of the memory that may be made of it, and
 * never more than 600,000 samples with short chains take. */
#define RPT_INFLATED_CACHE_SHARE   4u
#define RPT_INFLATED_CACHE_LEN_MAX ((uint64_t)48 << 20)

struct rpt_kept_block {
	uint8_t *data; /* mapped; NULL: it was used up */
	size_t len;
	size_t cap;
};

/* A zeroed struct takes none. */
struct rpt_inflated_cache {
	struct rpt_budget *budget;
	struct rpt_kept_block *blocks;
	size_t nr;
	size_t cap;
	uint64_t taken_len; /* of the budget */
	uint64_t record_nr;
};

/* Keeps a copy.  0, -ENOMEM, or -EFBIG: there is no budget. */
int rpt_inflated_cache_add(struct rpt_inflated_cache *text,
			   const struct pd_record *rec);
void rpt_inflated_cache_release(struct rpt_inflated_cache *text);

/* The record at *at, which moves behind it; as one out of compressed data, but
 * for where it was in its frame.  False: that was the last one. */
bool rpt_kept_block_next(const struct rpt_kept_block *block, size_t *at,
			 bool swap, struct pd_record *ret);

/* Gives its memory back. */
void rpt_kept_block_release(struct rpt_kept_block *block);

#endif
