#include "report/rows/row_cache.h"

#include "report/rows/rows_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define BASES_NR 64u

struct rpt_row_base {
	struct rpt_row_key key;
	uint32_t number; /* 0: free */
};

void rpt_row_cache_release(struct rpt_row_cache *memos)
{
	free(memos->items);
	free(memos->bases);
	*memos = (struct rpt_row_cache){ 0 };
}

int rpt_row_cache_grow(struct rpt_row_cache *memos, uint32_t frame)
{
	uint32_t cap = memos->cap ? memos->cap : 256;
	struct rpt_row_memo(*items)[2];

	while (cap <= frame)
		cap *= 2; /* frames are 2^30 at most, as what is interned */
	items = reallocarray(memos->items, cap, sizeof(*items));
	if (!items)
		return -ENOMEM;
	memset(items + memos->cap, 0, (cap - memos->cap) * sizeof(*items));
	memos->items = items;
	memos->cap = cap;
	return 0;
}

int rpt_row_cache_base(struct rpt_row_cache *memos,
		       const struct rpt_row_key *key, uint32_t *ret_nr,
		       const struct rpt_row_key **ret_key)
{
	struct rpt_row_base *base = memos->last;

	if (!memos->bases) {
		memos->bases = calloc(BASES_NR, sizeof(*memos->bases));
		if (!memos->bases)
			return -ENOMEM;
	}
	if (!base || memcmp(&base->key, key, sizeof(*key)) != 0)
		base = &memos->bases[XXH3_64bits(key, sizeof(*key)) % BASES_NR];
	if (!base->number || memcmp(&base->key, key, sizeof(*key)) != 0)
		*base = (struct rpt_row_base){ *key, ++memos->bases_nr };
	memos->last = base;
	*ret_nr = base->number;
	*ret_key = &base->key;
	return 0;
}
