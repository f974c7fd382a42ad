/* text_pool.c: strings that are freed together. */
#include "record/host/host_parts.h"

#include <stdlib.h>

enum { BLOCK_LEN = 8 * 1024 };

struct rec_text_block {
	struct rec_text_block *next;
	size_t len;
	size_t cap;
	char text[];
};

void rec_text_pool_release(struct rec_text_pool *pool)
{
	while (pool->blocks) {
		struct rec_text_block *block = pool->blocks;

		pool->blocks = block->next;
		free(block);
	}
}

static struct rec_text_block *room_for(struct rec_text_pool *pool, size_t len)
{
	struct rec_text_block *block = pool->blocks;
	const size_t cap = len > BLOCK_LEN ? len : BLOCK_LEN;

	if (block && block->cap - block->len >= len)
		return block;
	block = malloc(sizeof(*block) + cap);
	if (!block)
		return NULL;
	block->next = pool->blocks;
	block->len = 0;
	block->cap = cap;
	pool->blocks = block;
	return block;
}

struct pd_str rec_text_pool_add(struct rec_text_pool *pool, const char *text)
{
	struct pd_str ret = { .len = strlen(text) };
	struct rec_text_block *block = room_for(pool, ret.len);

	if (!block)
		return (struct pd_str){ NULL, 0 };
	memcpy(block->text + block->len, text, ret.len);
	ret.ptr = block->text + block->len;
	block->len += ret.len;
	return ret;
}
