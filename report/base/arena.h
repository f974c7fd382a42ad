/* arena.h: memory for many small things that live and die together.
 *
 * Chunks double up to 1 MiB; nothing is given back before
 * rpt_arena_release().  A zeroed struct is an empty arena.
 */
#ifndef RPT_ARENA_H
#define RPT_ARENA_H

#include <stddef.h>

struct rpt_arena_chunk;

struct rpt_arena {
	struct rpt_arena_chunk *chunks;
	size_t used; /* of the newest chunk */
};

/* len bytes, aligned to 8, not zeroed; NULL: out of memory. */
void *rpt_arena_alloc(struct rpt_arena *arena, size_t len);
/* A copy of len bytes, with a NUL behind them. */
void *rpt_arena_copy(struct rpt_arena *arena, const void *data, size_t len);
/* What from holds is to's; from is empty then. */
void rpt_arena_move(struct rpt_arena *to, struct rpt_arena *from);
void rpt_arena_release(struct rpt_arena *arena);

#endif
