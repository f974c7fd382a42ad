#include "report/base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* With its head. */
#define CHUNK_LEN_MIN ((size_t)4096)
#define CHUNK_LEN_MAX ((size_t)1 << 20)

struct rpt_arena_chunk {
	struct rpt_arena_chunk *older;
	size_t len;
	uint64_t data[];
};

static struct rpt_arena_chunk *chunk_new(const struct rpt_arena *arena,
					 size_t need_len)
{
	struct rpt_arena_chunk *chunk = arena->chunks;
	size_t len = CHUNK_LEN_MIN;

	if (chunk)
		len = (sizeof(*chunk) + chunk->len) * 2;
	if (len > CHUNK_LEN_MAX)
		len = CHUNK_LEN_MAX;
	if (len < sizeof(*chunk) + need_len)
		len = sizeof(*chunk) + need_len;
	chunk = malloc(len);
	if (!chunk)
		return NULL;
	chunk->len = len - sizeof(*chunk);
	chunk->older = arena->chunks;
	return chunk;
}

void *rpt_arena_alloc(struct rpt_arena *arena, size_t len)
{
	void *ret;

	if (len > SIZE_MAX / 2)
		return NULL;
	len = (len + 7) & ~(size_t)7;
	if (!arena->chunks || len > arena->chunks->len - arena->used) {
		struct rpt_arena_chunk *chunk = chunk_new(arena, len);

		if (!chunk)
			return NULL;
		arena->chunks = chunk;
		arena->used = 0;
	}
	ret = (uint8_t *)arena->chunks->data + arena->used;
	arena->used += len;
	return ret;
}

void *rpt_arena_copy(struct rpt_arena *arena, const void *data, size_t len)
{
	char *copy = rpt_arena_alloc(arena, len + 1);

	if (!copy)
		return NULL;
	if (len)
		memcpy(copy, data, len);
	copy[len] = '\0';
	return copy;
}

void rpt_arena_move(struct rpt_arena *to, struct rpt_arena *from)
{
	struct rpt_arena_chunk **end = &from->chunks;

	while (*end)
		end = &(*end)->older;
	*end = to->chunks;
	if (from->chunks != to->chunks)
		*to = *from;
	*from = (struct rpt_arena){ 0 };
}

void rpt_arena_release(struct rpt_arena *arena)
{
	while (arena->chunks) {
		struct rpt_arena_chunk *chunk = arena->chunks;

		arena->chunks = chunk->older;
		free(chunk);
	}
	arena->used = 0;
}
