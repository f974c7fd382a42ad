#include "report/base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Lengths of chunks, with their heads. */
#define CHUNK_LEN_MIN ((size_t)4096)
#define CHUNK_LEN_MAX ((size_t)1 << 20)

struct rpt_arena_chunk {
	struct rpt_arena_chunk *older;
	size_t len;
	uint64_t data[];
};

static void add_chunk(struct rpt_arena *arena, size_t need_len)
{
	struct rpt_arena_chunk *chunk = arena->chunks;
	size_t len = CHUNK_LEN_MIN;

	if (chunk)
		len = (sizeof(*chunk) + chunk->len) * 2;
	if (len > CHUNK_LEN_MAX)
		len = CHUNK_LEN_MAX;
	if (len < sizeof(*chunk) + need_len)
		len = sizeof(*chunk) + need_len;
	chunk = rpt_alloc(len);
	rpt_budget_charge(arena->budget, len);
	chunk->len = len - sizeof(*chunk);
	chunk->older = arena->chunks;
	arena->chunks = chunk;
	arena->used = 0;
}

void *rpt_arena_alloc(struct rpt_arena *arena, size_t len)
{
	void *ret;

	assert(len <= SIZE_MAX / 2);
	len = (len + 7) & ~(size_t)7;
	if (!arena->chunks || len > arena->chunks->len - arena->used)
		add_chunk(arena, len);
	ret = (uint8_t *)arena->chunks->data + arena->used;
	arena->used += len;
	return ret;
}

void *rpt_arena_copy(struct rpt_arena *arena, const void *data, size_t len)
{
	char *copy = rpt_arena_alloc(arena, len + 1);

	if (len)
		memcpy(copy, data, len);
	copy[len] = '\0';
	return copy;
}

const char *rpt_arena_safe(struct rpt_arena *arena, const char *name)
{
	struct pd_str text = { name, strlen(name) };
	const char *copy;
	char *safe;

	if (sup_is_safe(text, SUP_SAFE_NAME))
		return name;
	safe = rpt_alloc_safe(text.ptr, text.len, SUP_SAFE_NAME);
	copy = rpt_arena_copy(arena, safe, strlen(safe));
	free(safe);
	return copy;
}

/* The chunks behind *end leave the budget of from and come to that of to. */
static void move_cost(const struct rpt_arena *to, const struct rpt_arena *from)
{
	const struct rpt_arena_chunk *chunk = from->chunks;

	for (; chunk; chunk = chunk->older) {
		rpt_budget_give(from->budget, sizeof(*chunk) + chunk->len);
		rpt_budget_charge(to->budget, sizeof(*chunk) + chunk->len);
	}
}

void rpt_arena_move(struct rpt_arena *to, struct rpt_arena *from)
{
	struct rpt_arena_chunk **end = &from->chunks;

	move_cost(to, from);
	if (from->chunks) {
		while (*end)
			end = &(*end)->older;
		*end = to->chunks;
		to->chunks = from->chunks;
		to->used = from->used;
	}
	*from = (struct rpt_arena){ .budget = from->budget };
}

void rpt_arena_release(struct rpt_arena *arena)
{
	while (arena->chunks) {
		struct rpt_arena_chunk *chunk = arena->chunks;

		arena->chunks = chunk->older;
		rpt_budget_give(arena->budget, sizeof(*chunk) + chunk->len);
		free(chunk);
	}
	*arena = (struct rpt_arena){ .budget = arena->budget };
}
