/* text_pool.h: strings with one lifetime, freed together. */
#ifndef REC_TEXT_POOL_H
#define REC_TEXT_POOL_H

#include "format/cursor.h"
#include "record/base/text_scan.h"

struct rec_text_block;

struct rec_text_pool {
	struct rec_text_block *blocks; /* owned */
};

void rec_text_pool_release(struct rec_text_pool *pool);

/* A copy that lives as long as the pool; its ptr is NULL when out of memory. */
struct pd_str rec_text_pool_add(struct rec_text_pool *pool,
				const struct rec_text_scan *text);

#endif
